"""Serena's memories over MCP keep the contract too."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import ClassVar

import pytest

import recall_serena
from recall.testing import FolderCorpus, ProviderContract
from recall_serena.provider import SerenaOptions
from support import serena_server


class TestServedSerena(ProviderContract):
    skips: ClassVar[dict[str, str]] = {
        "test_template_text_is_not_content": "Serena makes no templates: what is in its files was written by an agent",
    }

    @pytest.fixture
    def corpus(self, tmp_path: Path) -> FolderCorpus:
        seen = tmp_path / "seen"
        seen.mkdir()
        command = (sys.executable, str(serena_server.__file__), "2.1.0", "answers", str(seen))
        options = SerenaOptions(mode="mcp", command=command)
        return FolderCorpus(tmp_path, recall_serena, ".serena/memories/{name}.md", options)
