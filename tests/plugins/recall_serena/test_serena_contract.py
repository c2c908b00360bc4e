"""Serena's memories keep the contract."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

import recall_serena
from recall.testing import FolderCorpus, ProviderContract


class TestSerena(ProviderContract):
    skips: ClassVar[dict[str, str]] = {
        "test_template_text_is_not_content": "Serena makes no templates: what is in its files was written by an agent",
    }

    @pytest.fixture
    def corpus(self, tmp_path: Path) -> FolderCorpus:
        limits = {"max_file_bytes": 1024}
        return FolderCorpus(tmp_path, recall_serena, ".serena/memories/{name}.md", limits=limits)
