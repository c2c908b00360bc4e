"""A project to put decisions into."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from recall.api import Deadline, Entry, Health, Memory, Problem, Scope
from recall.supersession import Said, standing
from recall_decisions.provider import DecisionsOptions, DecisionsProvider
from support.worlds import make_scope


@dataclass
class World:
    """One project, and what the provider makes of its decisions."""

    scope: Scope
    options: DecisionsOptions

    @property
    def root(self) -> Path:
        return self.scope.root

    def put(self, name: str, text: str | bytes) -> Path:
        """A file of the project."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def record(self, name: str, text: str | bytes) -> Path:
        """A record in docs/adr."""
        return self.put(f"docs/adr/{name}.md", text)

    def change(self, **changes: object) -> None:
        """Set fields of the scope."""
        self.scope = replace(self.scope, **changes)  # type: ignore[arg-type]

    @property
    def provider(self) -> DecisionsProvider:
        return DecisionsProvider(self.options)

    def listed(self) -> list[Entry | Problem]:
        return list(self.provider.entries(self.scope, Deadline.after(60)))

    def entries(self) -> dict[str, Entry]:
        return {item.key: item for item in self.listed() if isinstance(item, Entry)}

    def loaded(self) -> Iterable[Memory | Problem]:
        for item in self.listed():
            yield from self.provider.load(item, self.scope) if isinstance(item, Entry) else [item]

    def memories(self) -> dict[str, Memory]:
        found = [item for item in self.loaded() if isinstance(item, Memory)]
        assert len({memory.id for memory in found}) == len(found)
        return {memory.id: memory for memory in found}

    def withdrawn(self) -> dict[str, str]:
        """File names without ending, and why those records no longer stand, by their own or newer ones' words."""
        found = self.memories()
        said = [Said(old, key, why) for key, memory in found.items() for old, why in memory.withdraws.items()]
        said += [
            Said(key, one.successor, one.withdrawn)
            for key, one in found.items()
            if one.withdrawn and one.successor
        ]
        why = {old: why for old, why in standing(said).withdrawn.items() if old in found}
        why |= {key: one.withdrawn for key, one in found.items() if one.withdrawn and not one.successor}
        return {key.rsplit("/", 1)[-1]: said for key, said in sorted(why.items())}

    def problems(self) -> dict[str, Problem]:
        return {item.where: item for item in self.loaded() if isinstance(item, Problem)}

    def health(self) -> Health:
        return self.provider.health(self.scope, Deadline.after(60))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(make_scope(tmp_path, in_git=True), DecisionsOptions())
