"""A project to put decisions into."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall.supersession import Said, standing
from recall_decisions.provider import DecisionsOptions, DecisionsProvider
from support.looking import Looking
from support.worlds import make_scope


class World(Looking):
    """One project, and what the provider makes of its decisions."""

    provider_class = DecisionsProvider

    def record(self, name: str, text: str | bytes) -> Path:
        """A record in docs/adr."""
        return self.put(f"docs/adr/{name}.md", text)

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


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(make_scope(tmp_path, in_git=True), DecisionsOptions())
