"""A home folder and a project to put Serena's memories into."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from recall.api import Deadline, Entry, Health, Memory, Problem, Scope
from recall_serena.provider import SerenaOptions, SerenaProvider


@dataclass
class World:
    """One home, one project, and what the provider makes of them."""

    scope: Scope
    options: SerenaOptions = field(default_factory=SerenaOptions)

    @property
    def home(self) -> Path:
        """Serena's home."""
        return self.scope.home / ".serena"

    @property
    def root(self) -> Path:
        return self.scope.root

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

    def change(self, **changes: object) -> None:
        """Set fields of the scope."""
        self.scope = replace(self.scope, **changes)  # type: ignore[arg-type]

    def choose(self, **changes: object) -> None:
        """Set options."""
        self.options = replace(self.options, **changes)  # type: ignore[arg-type]

    @property
    def provider(self) -> SerenaProvider:
        return SerenaProvider(self.options)

    def listed(self) -> list[Entry | Problem]:
        return list(self.provider.entries(self.scope, soon()))

    def stamps(self) -> dict[str, str]:
        return {item.key: item.stamp for item in self.listed() if isinstance(item, Entry)}

    def loaded(self) -> Iterable[Memory | Problem]:
        for item in self.listed():
            yield from self.provider.load(item, self.scope) if isinstance(item, Entry) else [item]

    def memories(self) -> dict[str, Memory]:
        return {item.id: item for item in self.loaded() if isinstance(item, Memory)}

    def problems(self) -> list[Problem]:
        return [item for item in self.loaded() if isinstance(item, Problem)]

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
    return World(Scope(home=home, cwd=root, root=root, main_root=root, names=("shop-api",), in_git=True))
