"""Antigravity's knowledge items keep the contract."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import ClassVar

import pytest

import recall_antigravity
from recall.testing import Corpus, FolderCorpus, ProviderContract


class Items(FolderCorpus):
    """A knowledge item a memory: a folder with its metadata and one page."""

    def make(self) -> None:
        """The folder of all items."""
        self.path("any").parents[2].mkdir(parents=True)

    def write(self, name: str, text: str) -> None:
        item = self.path(name).parents[1]
        self.put(item / "metadata.json", json.dumps({"title": name}, ensure_ascii=False).encode())
        super().write(name, text)

    def write_blank(self, name: str) -> None:
        self.write(name, "")

    def remove(self, name: str) -> None:
        shutil.rmtree(self.path(name).parents[1])


class TestAntigravity(ProviderContract):
    skips: ClassVar[dict[str, str]] = {
        "test_template_text_is_not_content": "Antigravity makes no templates: an agent wrote what is in its pages",
    }

    @pytest.fixture
    def corpus(self, tmp_path: Path) -> Corpus:
        place = "~/.gemini/antigravity/knowledge/{name}/artifacts/page.md"
        return Items(tmp_path, recall_antigravity, place, limits={"max_file_bytes": 1024})
