"""Gemini CLI's memories keep the contract of a provider."""

from __future__ import annotations

from pathlib import Path

import pytest

import recall_gemini
from recall.testing import Corpus, FolderCorpus, ProviderContract


class Memory(FolderCorpus):
    """The project's memory folder."""

    def make(self) -> None:
        super().make()
        folder = self.scope.home / ".gemini/tmp/project-1"
        (folder / ".project_root").write_text(str(self.scope.root), encoding="utf-8")


class TestContract(ProviderContract):
    @pytest.fixture
    def corpus(self, tmp_path: Path) -> Corpus:
        place = "~/.gemini/tmp/project-1/memory/{name}.md"
        return Memory(tmp_path, recall_gemini, place, limits={"max_file_bytes": 1024})
