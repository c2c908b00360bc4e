"""A user's folders and one project, for tests of the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recall import settings
from recall.errors import SettingsError
from recall.places import Places
from recall.settings import trust


@dataclass
class Machine:
    """A user's folders and one project."""

    folder: Path

    def __post_init__(self) -> None:
        for folder in (self.places.config, self.root):
            folder.mkdir(parents=True, exist_ok=True)

    @property
    def places(self) -> Places:
        return Places(self.folder / "config", self.folder / "cache", self.folder / "state")

    @property
    def root(self) -> Path:
        return self.folder / "프로젝트"

    @property
    def user_file(self) -> Path:
        return self.places.config / "config.toml"

    @property
    def project_file(self) -> Path:
        return self.root / ".recall.toml"

    def trust_project(self) -> None:
        trust.trust(self.project_file, self.project_file.read_bytes(), self.places.state)

    def load(self, env: Mapping[str, str] | None = None, **flags: Any) -> settings.Settings:
        return settings.load(
            places=self.places, root=self.root, env=env or {}, flags=flags, home=self.folder / "home"
        )

    def problems(self, env: Mapping[str, str] | None = None, **flags: Any) -> tuple[str, ...]:
        with pytest.raises(SettingsError) as caught:
            self.load(env, **flags)
        assert caught.value.next_step
        assert all(len(line.splitlines()) == 1 for line in caught.value.problems)
        return caught.value.problems

    def problem(self, env: Mapping[str, str] | None = None, **flags: Any) -> str:
        (line,) = self.problems(env, **flags)
        return line
