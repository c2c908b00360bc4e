"""A project to put decisions into."""

from __future__ import annotations

from pathlib import Path

import pytest

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
        why = {
            old: said for memory in found.values() for old, said in memory.withdraws.items() if old in found
        }
        why |= {key: memory.withdrawn for key, memory in found.items() if memory.withdrawn}
        return {key.rsplit("/", 1)[-1]: said for key, said in sorted(why.items())}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(make_scope(tmp_path, in_git=True), DecisionsOptions())
