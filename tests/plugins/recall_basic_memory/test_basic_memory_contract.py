"""Basic Memory's notes keep the contract of a provider."""

from __future__ import annotations

from pathlib import Path

import pytest

import recall_basic_memory
from recall.testing import Corpus, FolderCorpus, ProviderContract
from recall.testing.corpus import TEMPLATE


class TestContract(ProviderContract):
    @pytest.fixture
    def corpus(self, tmp_path: Path) -> Corpus:
        place = "~/basic-memory/{name}.md"
        return FolderCorpus(tmp_path, recall_basic_memory, place, limits={"max_file_bytes": 1024})


class TestContractOfObservations(ProviderContract):
    """The same where every memory is an observation in a note."""

    @pytest.fixture
    def corpus(self, tmp_path: Path) -> Corpus:
        place = "~/basic-memory/{name}.md"
        return Observed(tmp_path, recall_basic_memory, place, limits={"max_file_bytes": 1024})


class Observed(FolderCorpus):
    """A note with front matter and one observation."""

    def document(self, name: str, text: str) -> str:
        return f"---\ntitle: {name}\ntype: note\n---\n\n## Observations\n\n- [fact] {text}\n"

    def write_template(self, name: str) -> None:
        self.put(self.path(name), TEMPLATE.encode())
