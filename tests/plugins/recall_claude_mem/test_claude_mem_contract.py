"""claude-mem's observations keep the contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pytest

import recall_claude_mem
from recall.testing import Corpus, ProviderContract

if TYPE_CHECKING:
    from conftest import Store


class Observations(Corpus):
    """An observation a memory."""

    def __init__(self, folder: Path, store: type[Store]) -> None:
        super().__init__(folder, recall_claude_mem, limits={"max_chars": 1000})
        self._store = store
        self.rows: dict[str, int] = {}
        self.store: Store | None = None

    def make(self) -> None:
        self.store = self._store.create(self.scope.home / ".claude-mem/claude-mem.db", 52)

    def write(self, name: str, text: str) -> None:
        assert self.store is not None
        if name in self.rows:
            self.store.run("UPDATE observations SET narrative = ? WHERE id = ?", text, self.rows[name])
        else:
            self.rows[name] = self.store.observation(None, narrative=text)

    def spoil(self, name: str) -> None:
        self.cannot(
            "one row of a database cannot be unreadable by itself; test_claude_mem_health.py damages the file"
        )

    def remove(self, name: str) -> None:
        assert self.store is not None
        self.store.run("DELETE FROM observations WHERE id = ?", self.rows.pop(name))


class TestClaudeMem(ProviderContract):
    skips: ClassVar[dict[str, str]] = {
        "test_template_text_is_not_content": "claude-mem makes no templates: its rows are made of what happened",
    }

    @pytest.fixture
    def corpus(self, tmp_path: Path, new_store: type[Store]) -> Iterator[Corpus]:
        corpus = Observations(tmp_path, new_store)
        yield corpus
        if corpus.store is not None:
            corpus.store.close()
