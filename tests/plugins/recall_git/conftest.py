"""A repository, a scope in it, and what the provider makes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from recall.api import Deadline, Entry, Health, Memory, Problem, Scope
from recall_git.provider import GitOptions, GitProvider
from support.repositories import ENV, Repo


@dataclass
class World:
    """One repository and one provider that is kept, as an engine keeps it."""

    repo: Repo
    scope: Scope
    provider: GitProvider

    def choose(self, **options: object) -> None:
        self.provider = GitProvider(GitOptions(**options))  # type: ignore[arg-type]

    def change(self, **changes: object) -> None:
        self.scope = replace(self.scope, **changes)  # type: ignore[arg-type]

    def listed(self) -> list[Entry | Problem]:
        return list(self.provider.entries(self.scope, soon()))

    def keys(self) -> list[str]:
        return [item.key for item in self.listed() if isinstance(item, Entry)]

    def notes(self) -> dict[str, str]:
        return {item.where: item.reason for item in self.listed() if isinstance(item, Problem)}

    def loaded(self) -> list[Memory | Problem]:
        entries = [item for item in self.listed() if isinstance(item, Entry)]
        return [item for entry in entries for item in self.provider.load(entry, self.scope)]

    def memory(self, sha: str) -> Memory | None:
        found = {item.id: item for item in self.loaded() if isinstance(item, Memory)}
        return found.get(sha)

    def health(self) -> Health:
        return self.provider.health(self.scope, soon())


def soon() -> Deadline:
    return Deadline.after(60)


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
    return World(repo, scope, GitProvider())
