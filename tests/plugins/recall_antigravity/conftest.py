"""A home folder and a project to put Antigravity's stores into."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from recall.api import Deadline, Entry, Health, Memory, Problem, Scope
from recall_antigravity.provider import AntigravityOptions, AntigravityProvider


@dataclass
class World:
    """One home, one project, and what the provider makes of them."""

    scope: Scope
    options: AntigravityOptions

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

    def change(self, **changes: object) -> None:
        """Set fields of the scope."""
        self.scope = replace(self.scope, **changes)  # type: ignore[arg-type]

    def choose(self, **changes: object) -> None:
        """Set options."""
        self.options = replace(self.options, **changes)  # type: ignore[arg-type]

    @property
    def provider(self) -> AntigravityProvider:
        return AntigravityProvider(self.options)

    def listed(self) -> list[Entry | Problem]:
        return list(self.provider.entries(self.scope, Deadline.after(60)))

    def entries(self) -> dict[str, Entry]:
        """By the id of the memory that comes of each."""
        return {item.key.removesuffix(".md"): item for item in self.listed() if isinstance(item, Entry)}

    def loaded(self) -> Iterable[Memory | Problem]:
        for item in self.listed():
            yield from self.provider.load(item, self.scope) if isinstance(item, Entry) else [item]

    def memories(self) -> dict[str, Memory]:
        return {item.id: item for item in self.loaded() if isinstance(item, Memory)}

    def problems(self) -> dict[str, Problem]:
        return {item.where: item for item in self.loaded() if isinstance(item, Problem)}

    def health(self) -> Health:
        return self.provider.health(self.scope, Deadline.after(60))


@pytest.fixture
def world(tmp_path: Path) -> World:
    home, root = tmp_path / "home", tmp_path / "code" / "shop-api"
    home.mkdir()
    root.mkdir(parents=True)
    scope = Scope(home=home, cwd=root, root=root, main_root=root, names=("shop-api",), in_git=True)
    return World(scope, AntigravityOptions())
