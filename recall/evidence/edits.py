"""What differs from the last commit, and whether that is all of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from recall.evidence.store import hashed
from recall.git.worktree import WorkTree


class Edits(NamedTuple):
    """Paths that differ from the last commit, as they are shown; a folder that git does not know ends with "/"."""

    paths: frozenset[str] = frozenset()
    lists_changed: bool = True  # all files that git knows are among them
    lists_untracked: bool = True  # all that it does not know, too
    reason: str = ""  # why not


def edits_of(tree: WorkTree) -> Edits:
    """What a look at the work tree tells."""
    reason = tree.reason
    if not (reason or (tree.lists_changed and tree.lists_untracked)):
        reason = "there are too many changes to list"
    return Edits(frozenset(tree.paths), tree.lists_changed, tree.lists_untracked, reason)


class Once:
    """A look at what differs that is done at most once, when somebody asks."""

    def __init__(self, work: Callable[[], Edits]) -> None:
        self._work = work
        self.known: Edits | None = None  # None as long as nobody asked

    def __call__(self) -> Edits:
        if self.known is None:
            self.known = self._work()
        return self.known


def keyed(state: str, edits: Edits, stamp: Callable[[str], str]) -> str:
    """Something that changes with a state, and with every file that differs from the last commit.

    stamp: what changes when a file does.
    """
    if not edits.paths:
        return state
    stamps = "\n".join(f"{path}\0{stamp(path)}" for path in sorted(edits.paths))
    return f"{state}:{hashed(stamps)}"
