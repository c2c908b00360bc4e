"""Hand-overs keep the contract."""

from __future__ import annotations

from pathlib import Path

import pytest

import recall_state
from recall.testing import FolderCorpus, ProviderContract


class TestState(ProviderContract):
    @pytest.fixture
    def corpus(self, tmp_path: Path) -> FolderCorpus:
        limits = {"max_file_bytes": 1024}
        return FolderCorpus(tmp_path, recall_state, "docs/handoff/{name}.md", limits=limits)
