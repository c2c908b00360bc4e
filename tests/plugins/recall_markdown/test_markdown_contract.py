"""Claude Code's memory keeps the contract."""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

import pytest

import recall_markdown
from recall.claude_names import slug
from recall.testing import FolderCorpus, ProviderContract


class TestMarkdown(ProviderContract):
    skips: ClassVar[dict[str, str]] = {
        "test_template_text_is_not_content": "Claude Code makes no templates; test_stores.py has those of memory banks",
    }

    @pytest.fixture
    def corpus(self, tmp_path: Path) -> FolderCorpus:
        folder = f"~/.claude/projects/{slug(os.fspath(tmp_path / 'shop-api'))}/memory"
        limits = {"max_file_bytes": 1024}
        return FolderCorpus(tmp_path, recall_markdown, f"{folder}/{{name}}.md", limits=limits)
