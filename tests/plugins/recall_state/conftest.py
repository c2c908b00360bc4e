"""A project to put state documents into."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope
from recall.errors import StoreBroken
from recall_state.provider import StateOptions, StateProvider
from support.worlds import NOW, make_scope


@dataclass
class World:
    """One project, and what the provider makes of its state."""

    scope: Scope
    options: StateOptions
    now: float = NOW

    @property
    def root(self) -> Path:
        return self.scope.root

    def put(self, name: str, text: str | bytes) -> Path:
        """A file of the project."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def journal(self, *records: object) -> Path:
        """The journal of checkpoints."""
        return self.put(".context/CONVERSATION.jsonl", "".join(f"{json.dumps(one)}\n" for one in records))

    def age(self, name: str, days: float) -> None:
        """Let a file be so many days old."""
        moment = NOW - days * 86_400
        os.utime(self.root / name, (moment, moment))

    def change(self, **changes: object) -> None:
        """Set fields of the scope."""
        self.scope = replace(self.scope, **changes)  # type: ignore[arg-type]

    @property
    def provider(self) -> StateProvider:
        return StateProvider(self.options, lambda: self.now)

    def listed(self) -> list[Entry | Problem]:
        return list(self.provider.entries(self.scope, Deadline.after(60)))

    def entries(self) -> dict[str, Entry]:
        return {item.key: item for item in self.listed() if isinstance(item, Entry)}

    def loaded(self) -> Iterable[Memory | Problem]:
        for item in self.listed():
            try:
                yield from self.provider.load(item, self.scope) if isinstance(item, Entry) else [item]
            except StoreBroken as error:  # of this entry alone, as the host takes it
                yield Problem(item.key, str(error))

    def memories(self) -> dict[str, Memory]:
        found = [item for item in self.loaded() if isinstance(item, Memory)]
        assert len({memory.id for memory in found}) == len(found)
        return {memory.id: memory for memory in found}

    def authorities(self) -> dict[str, Authority | None]:
        """Ids, and how much each memory is believed."""
        return {key: memory.authority for key, memory in self.memories().items()}

    def problems(self) -> dict[str, Problem]:
        return {item.where: item for item in self.loaded() if isinstance(item, Problem)}

    def health(self) -> Health:
        return self.provider.health(self.scope, Deadline.after(60))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(make_scope(tmp_path, in_git=True), StateOptions())
