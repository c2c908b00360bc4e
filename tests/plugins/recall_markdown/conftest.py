"""A home folder and a project to put markdown memories into."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recall.api import Entry
from recall.claude_names import slug
from recall_markdown.provider import MarkdownProvider
from recall_markdown.stores import MarkdownOptions
from support.looking import Looking, made_scope, write


class World(Looking):
    """One home, one project, and what the provider makes of them."""

    provider_class = MarkdownProvider

    @property
    def home(self) -> Path:
        return self.scope.home

    def store(self, path: Path | str | None = None) -> Path:
        """Claude Code's memory folder for a project path; default: this project's."""
        return self.home / ".claude/projects" / slug(os.fspath(path or self.root)) / "memory"

    def note(self, name: str, text: str | bytes, path: Path | str | None = None) -> Path:
        """A file in that folder."""
        return write(self.store(path) / name, text)

    def transcript(self, cwd: Path | str, name: str, path: Path | str | None = None) -> Path:
        """A session's record beside that folder."""
        line = f'{{"type":"user","cwd":"{cwd}","message":{{"role":"user","content":"안녕"}}}}\n'
        return write(self.store(path).parent / f"{name}.jsonl", '{"type":"mode"}\n' + line)

    def entries(self) -> dict[str, Entry]:
        """By the id of the memory that comes of each."""
        return {item.key.removesuffix(".md"): item for item in self.listed() if isinstance(item, Entry)}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(made_scope(tmp_path), MarkdownOptions())
