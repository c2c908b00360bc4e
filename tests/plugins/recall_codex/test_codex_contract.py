"""Codex's memories keep the contract of a provider."""

from __future__ import annotations

from pathlib import Path

import pytest

import recall_codex
from recall.testing import Corpus, FolderCorpus, ProviderContract

HEAD = "thread_id: 0198\nupdated_at: 2026-05-20T10:00:00+00:00\ncwd: {}\n\n"


class Summaries(FolderCorpus):
    """One summary of a session for each memory."""

    def document(self, name: str, text: str) -> str:
        return HEAD.format(self.scope.root) + text


class TestContract(ProviderContract):
    @pytest.fixture
    def corpus(self, tmp_path: Path) -> Corpus:
        place = "~/.codex/memories/rollout_summaries/{name}.md"
        return Summaries(tmp_path, recall_codex, place, limits={"max_file_bytes": 1024})
