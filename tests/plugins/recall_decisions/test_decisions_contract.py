"""Decision records keep the contract."""

from __future__ import annotations

from pathlib import Path

import pytest

import recall_decisions
from recall.testing import FolderCorpus, ProviderContract


class TestDecisions(ProviderContract):
    @pytest.fixture
    def corpus(self, tmp_path: Path) -> FolderCorpus:
        limits = {"max_file_bytes": 1024}
        return FolderCorpus(tmp_path, recall_decisions, "docs/adr/{name}.md", limits=limits)
