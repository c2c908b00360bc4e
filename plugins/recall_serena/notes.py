"""The memories in Serena's folders: which files they are, what they are called."""

from __future__ import annotations

import os
from typing import NamedTuple

from recall.api import Deadline, Problem
from recall.errors import StoreBroken
from recall.files import Found, Walker, display_path, read_bytes
from recall_serena.layout import Layout, Tree

STOCK_NAME = "memory_maintenance"
Walked = tuple[tuple[Tree, tuple[Found | Problem, ...]], ...]


class Note(NamedTuple):
    """One memory file."""

    key: str  # unique: the name, with the tree's origin before it where another tree has the name already
    name: str  # as Serena calls it, NFC: "payments/retry_policy", "global/style"
    found: Found
    tree: Tree


class Listing(NamedTuple):
    """What the trees hold, before any of it is read."""

    notes: tuple[Note, ...]
    ignored: int  # files hidden by ignored_memory_patterns
    problems: tuple[Problem, ...]


def walk_trees(layout: Layout, walker: Walker, deadline: Deadline) -> Walked:
    """What is in the folders of memories."""
    return tuple((tree, tuple(walker.walk(tree.folder, deadline))) for tree in layout.trees)


def list_notes(layout: Layout, walked: Walked) -> Listing:
    """Every memory once: of equal copies in several trees the first tree's counts."""
    taken: dict[str, Note] = {}
    problems = list(layout.problems)
    ignored = 0
    for tree, items in walked:
        unreachable = False
        for found in items:
            if isinstance(found, Problem):
                problems.append(_placed(found, tree))
                continue
            name = tree.prefix + _name(found.relative)
            if tree.ignored.hide(name):
                ignored += 1
                continue
            if tree.ignored.leave_undecided(name):
                problems.append(
                    Problem(display_path(found.path), "an ignore pattern is too costly for this name")
                )
            key = _key(name, tree, found, taken)
            if key:
                taken[key] = Note(key, name, found, tree)
                unreachable = unreachable or _is_unreachable(name, tree)
        if unreachable:
            problems.append(_unreachable(tree))
    return Listing(tuple(taken.values()), ignored, tuple(problems))


def _name(relative: str) -> str:
    """A file's path as a memory's name: without the one `.md`, unless nothing else would be left."""
    name = relative.removesuffix(".md")
    return relative if not name or name.endswith("/") else name


def _is_unreachable(name: str, tree: Tree) -> bool:
    """Serena looks `global/...` up in its home, also for a file that lies in the project's own `global/`."""
    return not tree.prefix and name.startswith("global/")


def _key(name: str, tree: Tree, found: Found, taken: dict[str, Note]) -> str:
    """A key nobody has; "" for an equal copy of a memory that is taken already.

    Serena refuses names with an empty part, so `//` is free to set an origin apart from a name.
    """
    key = tree.apart + name
    if key in taken and _same_bytes(taken[key].found, found):
        return ""
    if key in taken or _is_unreachable(name, tree):
        key = f"{tree.apart}{tree.origin or 'project'}//{name}"
    while key in taken:
        key += "~"
    return key


def _same_bytes(one: Found, other: Found) -> bool:
    if one.size != other.size:
        return False
    if one.identity == other.identity:
        return True
    try:
        return read_bytes(one) == read_bytes(other)
    except StoreBroken:
        return False


def _placed(problem: Problem, tree: Tree) -> Problem:
    """A walk's problem with the whole path: several trees may hold a file of that name."""
    where = os.path.join(display_path(tree.folder), problem.where)
    return Problem(where, problem.reason, problem.hides_entries, problem.harmless)


def _unreachable(tree: Tree) -> Problem:
    where = os.path.join(display_path(tree.folder), "global")
    reason = "Serena looks for global/... in its home folder only, so it cannot reach the memories here"
    return Problem(where, reason, harmless=True)
