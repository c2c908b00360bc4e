"""A repository, a scope in it, and what the provider makes of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from recall.api import Memory, Problem, Scope
from recall_git.provider import GitOptions, GitProvider
from support.looking import Looking
from support.repositories import ENV, Repo


@dataclass
class World(Looking):
    """One repository and one provider that is kept, as an engine keeps it."""

    repo: Repo
    kept: GitProvider = field(default_factory=GitProvider)

    @property
    def provider(self) -> GitProvider:
        return self.kept

    def choose(self, **options: object) -> None:
        """Options for another provider."""
        self.kept = GitProvider(GitOptions(**options))  # type: ignore[arg-type]

    def loaded(self) -> list[Memory | Problem]:  # type: ignore[override]  # what listing says is in `notes`
        """What each commit gives."""
        return [item for one in self.entries().values() for item in self.kept.load(one, self.scope)]

    def keys(self) -> list[str]:
        return list(self.entries())

    def notes(self) -> dict[str, str]:
        return {item.where: item.reason for item in self.listed() if isinstance(item, Problem)}

    def memory(self, sha: str) -> Memory | None:
        return self.memories().get(sha)


@pytest.fixture
def world(tmp_path: Path) -> World:
    repo = Repo.new(tmp_path / "shop-api", tmp_path / "home")
    scope = Scope(
        home=repo.home,
        cwd=repo.top,
        root=repo.top,
        main_root=repo.top,
        names=("shop-api",),
        env=ENV,
        in_git=True,
    )
    return World(scope, GitOptions(), repo)
