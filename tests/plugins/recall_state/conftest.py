"""A project to put state documents into."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from recall.api import Authority
from recall_state.provider import StateOptions, StateProvider
from support.looking import Looking
from support.worlds import NOW, make_scope


@dataclass
class World(Looking):
    """One project, and what the provider makes of its state."""

    now: float = NOW

    def journal(self, *records: object) -> Path:
        """The journal of checkpoints."""
        return self.put(".context/CONVERSATION.jsonl", "".join(f"{json.dumps(one)}\n" for one in records))

    def age(self, name: str, days: float) -> None:
        """Let a file be so many days old."""
        moment = NOW - days * 86_400
        os.utime(self.root / name, (moment, moment))

    @property
    def provider(self) -> StateProvider:
        return StateProvider(self.options, lambda: self.now)

    def authorities(self) -> dict[str, Authority | None]:
        """Ids, and how much each memory is believed."""
        return {key: memory.authority for key, memory in self.memories().items()}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(make_scope(tmp_path, in_git=True), StateOptions())
