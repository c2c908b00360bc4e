"""A home folder and a project to put Serena's memories into."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from recall.api import Problem
from recall_serena.provider import SerenaOptions, SerenaProvider
from support.looking import Looking, made_scope, write
from support.serena_world import Serving


class World(Looking):
    """One home, one project, and what the provider makes of them."""

    provider_class = SerenaProvider

    @property
    def home(self) -> Path:
        """Serena's home."""
        return self.scope.home / ".serena"

    def note(self, name: str, text: str | bytes, data: Path | None = None) -> Path:
        """A project memory by its name; `data` is another data folder than the project's own."""
        return write((data or self.root / ".serena") / "memories" / f"{name}.md", text)

    def shared_note(self, name: str, text: str) -> Path:
        """A memory for all projects."""
        return write(self.home / "memories/global" / f"{name}.md", text)

    def config(self, text: str) -> Path:
        """Serena's own settings."""
        return write(self.home / "serena_config.yml", text)

    def project_config(self, text: str, name: str = "project.yml") -> Path:
        return write(self.root / ".serena" / name, text)

    def problems(self) -> list[Problem]:
        return [item for item in self.loaded() if isinstance(item, Problem)]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(made_scope(tmp_path), SerenaOptions())


@pytest.fixture
def serving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serving]:
    """A world whose Serena is started, with a folder for temporary ones of its own; nothing of it is left."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    made = Serving(tmp_path)
    yield made
    made.close()
