"""A home folder and a project to put Antigravity's stores into."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recall.api import Entry
from recall_antigravity.provider import AntigravityOptions, AntigravityProvider
from support.looking import Looking, made_scope


class World(Looking):
    """One home, one project, and what the provider makes of them."""

    provider_class = AntigravityProvider

    def folder(self, root: str = "antigravity") -> Path:
        return self.scope.home / ".gemini" / root

    def file(self, name: str, content: str | bytes | object, root: str = "antigravity") -> Path:
        """A file below one of Antigravity's roots; anything but text and bytes is written as JSON."""
        path = self.folder(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str | bytes) else json.dumps(content, ensure_ascii=False)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def item(self, name: str, pages: dict[str, str], root: str = "antigravity", **metadata: object) -> None:
        """A knowledge item with the given artifacts."""
        self.file(f"knowledge/{name}/metadata.json", metadata, root)
        for page, text in pages.items():
            self.file(f"knowledge/{name}/artifacts/{page}", text, root)

    def entries(self) -> dict[str, Entry]:
        """By the id of the memory that comes of each."""
        return {item.key.removesuffix(".md"): item for item in self.listed() if isinstance(item, Entry)}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(made_scope(tmp_path), AntigravityOptions())
