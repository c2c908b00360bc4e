"""How the project stands now: the line that leads an answer about its past."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from recall.api import Deadline
from recall.git import repository, worktree
from recall.git.repository import Condition, Repository
from recall.git.worktree import WorkTree

_PLAIN = re.compile(r"[\w./, -]*")
# What may be a token: a long word with a capital or a digit in it, a very long one, or what a token is announced by.
_TOKEN_LIKE = re.compile(
    r"(?=[a-z]{0,99}[A-Z0-9])[A-Za-z0-9]{16}|\w{30}|(?i:sk-)[\w-]{20}"
    r"|(?i:gl[a-z]{2,5}-|xox|xapp|eyj|ya29\.|gocspx-|pypi-|aiza|[sr]k_|api_|whsec_|sg\.|hvs\.|figd_|tskey-|dckr_|atatt)"
    r"[\w.-]{10}"
)


class Present(NamedTuple):
    """Branch, commit and work tree; `state` says how much of it could be found out."""

    state: str  # a `Condition`
    branch: str = ""  # as it is shown; "" if HEAD is on none
    head: str = ""  # full commit id; "" without a commit
    kind: str = ""  # "worktree", "submodule", "shallow", or several of them
    tree: WorkTree = WorkTree()
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


_LATE = "git did not answer in time"
LATE = Present(Condition.LATE, tree=WorkTree(reason=_LATE), reason=_LATE)


def look(root: Path, home: Path, env: Mapping[str, str], deadline: Deadline) -> Present:
    """How the repository at `root` stands; never an exception."""
    found = repository.find(root, home, env, deadline)
    branch, reason = _safe(found.branch), _safe(found.reason)
    if found.condition not in (Condition.READY, Condition.UNBORN):
        unread = WorkTree(reason=reason or found.condition)
        return Present(found.condition, branch, tree=unread, reason=reason)
    tree = worktree.look(found, deadline)
    tree = tree._replace(upstream=_safe(tree.upstream), reason=_safe(tree.reason))
    return Present(found.condition, branch, found.head, _kind(found), tree, reason)


def _safe(text: str) -> str:
    """A name or a reason as an agent may see it: a branch, too, can be called like the frame of a message, or a key."""
    if _PLAIN.fullmatch(text) and not _TOKEN_LIKE.search(text):
        return text
    from recall import clean  # its patterns cost as much as a whole query, and most branches are plain

    return clean.clean(text).text


def _kind(found: Repository) -> str:
    kinds = (("worktree", found.worktree), ("submodule", found.submodule), ("shallow", found.shallow))
    return ", ".join(name for name, true in kinds if true)
