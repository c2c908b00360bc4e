"""How the project stands now: the line that leads an answer about its past."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from recall.api import Deadline
from recall.git import repository, worktree
from recall.git.repository import Condition, Repository
from recall.git.shown import safe
from recall.git.worktree import WorkTree

_NAMED = 5  # files that differ which are named; the others are counted


class Present(NamedTuple):
    """Branch, commit and work tree; `state` says how much of it could be found out."""

    state: str  # a `Condition`
    branch: str = ""  # as it is shown; "" if HEAD is on none
    head: str = ""  # full commit id; "" without a commit
    kind: str = ""  # "worktree", "submodule", "shallow", "bare", or several of them
    tree: WorkTree = worktree.NOT_LOOKED
    reason: str = ""  # why the state is not "ready"

    @property
    def upstream(self) -> str:
        """The branch that this one follows, as it may be shown; "" if it follows none."""
        return self.tree.upstream

    @property
    def files(self) -> tuple[str, ...]:
        """The first few that differ from the commit, as they may be shown; only who shows them pays for that."""
        return tuple(map(safe, self.tree.paths[:_NAMED]))

    @property
    def more(self) -> int:
        """How many files differ beside those that are named."""
        return self.tree.changed + self.tree.untracked + self.tree.conflicted - len(self.tree.paths[:_NAMED])

    def words(self) -> str:
        """`main @ 1a2b3c4 · 3 files changed, 1 untracked`."""
        return " · ".join(self.parts())

    def parts(self) -> tuple[str, ...]:
        """The same, a fact each."""
        if self.state not in (Condition.READY, Condition.UNBORN):
            return (f"{self.state}: {self.reason}" if self.reason else self.state,)
        where = self.branch or "no branch"
        where += f" @ {self.head[:7]}" if self.head else f" ({self.reason})"
        return tuple(filter(None, (where, self.kind, self._tree(), self._distance())))

    def _tree(self) -> str:
        if not self.tree.looked:
            return f"work tree not compared: {self.tree.reason}"
        return self.tree.words()

    def _distance(self) -> str:
        tree = self.tree
        parts = [f"{tree.ahead:,} ahead"] if tree.ahead else []
        parts += [f"{tree.behind:,} behind"] if tree.behind else []
        return f"{', '.join(parts)} of {tree.upstream}" if parts else ""


_LATE = "git did not answer in time"
LATE = Present(Condition.LATE, tree=WorkTree(reason=_LATE), reason=_LATE)


def look(root: Path, home: Path, env: Mapping[str, str], deadline: Deadline) -> Present:
    """How the repository at `root` stands; never an exception."""
    return found_and_stands(root, home, env, deadline)[1]


def found_and_stands(
    root: Path, home: Path, env: Mapping[str, str], deadline: Deadline, cache: Path | None = None
) -> tuple[Repository, Present]:
    """The repository at `root` and how it stands; never an exception.

    cache: recall's own cache folder, where git may keep what it learns of the work tree.
    """
    place = repository.located(root, home, env)
    if place.condition is Condition.NONE:
        return place, stands(place, deadline)
    with worktree.Filters(place.git, deadline) as filters:  # git does both at once
        found = repository.asked(place, deadline)
        return found, stands(found, deadline, cache, filters)


def stands(
    found: Repository,
    deadline: Deadline,
    cache: Path | None = None,
    filters: worktree.Filters | None = None,
) -> Present:
    """The same of a repository that was found; never an exception."""
    branch, reason = safe(found.branch), safe(found.reason)
    if found.condition not in (Condition.READY, Condition.UNBORN):
        unread = WorkTree(reason=reason or found.condition)
        return Present(found.condition, branch, tree=unread, reason=reason)
    tree = worktree.look(found, deadline, cache, filters)
    tree = tree._replace(upstream=safe(tree.upstream), reason=safe(tree.reason))
    kind = ", ".join(_kinds(found))
    return Present(found.condition, branch, found.head, kind, tree, reason)


def _kinds(found: Repository) -> Iterator[str]:
    """What a repository is beside a plain clone."""
    kinds = {
        "worktree": found.worktree,
        "submodule": found.submodule,
        "shallow": found.shallow,
        "bare": found.bare,
    }
    return (name for name, true in kinds.items() if true)
