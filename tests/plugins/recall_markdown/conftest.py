"""A home folder and a project to put markdown memories into."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from recall.api import Deadline, Entry, Health, Memory, Problem, Scope
from recall.claude_names import slug
from recall_markdown.provider import MarkdownProvider
from recall_markdown.stores import MarkdownOptions


@dataclass
class World:
    """One home, one project, and what the provider makes of them."""

    home: Path
    scope: Scope
    options: MarkdownOptions

    @property
    def root(self) -> Path:
        return self.scope.root

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

    def change(self, **changes: object) -> None:
        """Set fields of the scope."""
        self.scope = replace(self.scope, **changes)  # type: ignore[arg-type]

    def choose(self, **changes: object) -> None:
        """Set options."""
        self.options = replace(self.options, **changes)  # type: ignore[arg-type]

    @property
    def provider(self) -> MarkdownProvider:
        return MarkdownProvider(self.options)

    def listed(self) -> list[Entry | Problem]:
        return list(self.provider.entries(self.scope, soon()))

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
        return self.provider.health(self.scope, soon())


def soon() -> Deadline:
    return Deadline.after(60)


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.fixture
def world(tmp_path: Path) -> World:
    home, root = tmp_path / "home", tmp_path / "code" / "shop-api"
    home.mkdir()
    root.mkdir(parents=True)
    scope = Scope(home=home, cwd=root, root=root, main_root=root, names=("shop-api",), in_git=True)
    return World(home, scope, MarkdownOptions())
