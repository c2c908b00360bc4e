"""How the project stands now: the line that leads an answer about its past."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from recall.api import Deadline
from recall.git import repository, worktree
from recall.git.repository import Condition, Repository
from recall.git.shown import safe
from recall.git.worktree import WorkTree


class Present(NamedTuple):
    """Branch, commit and work tree; `state` says how much of it could be found out."""

    state: str  # a `Condition`
    branch: str = ""  # as it is shown; "" if HEAD is on none
    head: str = ""  # full commit id; "" without a commit
    kind: str = ""  # "worktree", "submodule", "shallow", or several of them
    tree: WorkTree = worktree.NOT_LOOKED
    reason: str = ""  # why the state is not "ready"

    def words(self) -> str:
        """`main @ 1a2b3c4 · 3 files changed, 1 untracked`."""
        if self.state not in (Condition.READY, Condition.UNBORN):
            return f"{self.state}: {self.reason}" if self.reason else self.state
        where = self.branch or "no branch"
        where += f" @ {self.head[:7]}" if self.head else f" ({self.reason})"
        parts = [where, *([self.kind] if self.kind else []), self._tree(), self._distance()]
        return " · ".join(filter(None, parts))

    def _tree(self) -> str:
        if not self.tree.looked:
            return f"work tree not compared: {self.tree.reason}"
        return self.tree.words()

    def _distance(self) -> str:
        tree = self.tree
        parts = [f"{tree.ahead:,} ahead"] if tree.ahead else []
        parts += [f"{tree.behind:,} behind"] if tree.behind else []
        return f"{', '.join(parts)} of {tree.upstream}" if parts else ""


LATE = Present(Condition.LATE, reason="git did not answer in time")


def look(root: Path, home: Path, env: Mapping[str, str], deadline: Deadline) -> Present:
    """How the repository at `root` stands; never an exception."""
    found = repository.find(root, home, env, deadline)
    if found.condition not in (Condition.READY, Condition.UNBORN):
        return Present(found.condition, safe(found.branch), reason=safe(found.reason))
    tree = worktree.look(found, deadline)
    tree = tree._replace(upstream=safe(tree.upstream), reason=safe(tree.reason))
    return Present(found.condition, safe(found.branch), found.head, _kind(found), tree, found.reason)


def _kind(found: Repository) -> str:
    kinds = (("worktree", found.worktree), ("submodule", found.submodule), ("shallow", found.shallow))
    return ", ".join(name for name, true in kinds if true)
