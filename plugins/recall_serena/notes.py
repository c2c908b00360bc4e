"""The memories in Serena's folders: which files they are, what they are called, what they say."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from recall.api import Deadline, Memory, Problem
from recall.documents import Document, dates, is_blank, parse_document
from recall.errors import StoreBroken
from recall.files import Found, display_path, read_bytes, read_text, walk
from recall_serena.layout import Layout, Tree

STOCK_NAME = "memory_maintenance"
# The stock note as Serena 1.5 to 2.1 plants it, with \n line ends. Users put facts of their own into that
# file, so it is known by its text and never by its name.
_STOCK_LENGTH = 2043
_STOCK_SHA256 = "09d514088a02af6dd4487f6538011e398601f5397a8e68b901c0d7cf29a30177"

_FIELDS_KEPT = 16
_FIELD_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Note:
    """One memory file."""

    key: str  # unique: the name, with the tree's origin before it where another tree has the name already
    name: str  # as Serena calls it, NFC: "payments/retry_policy", "global/style"
    found: Found
    tree: Tree


@dataclass(frozen=True, slots=True)
class Listing:
    """What the trees hold, before any of it is read."""

    notes: tuple[Note, ...]
    ignored: int  # files hidden by ignored_memory_patterns
    problems: tuple[Problem, ...]


def list_notes(layout: Layout, deadline: Deadline) -> Listing:
    """Every memory once: of equal copies in several trees the first tree's counts."""
    taken: dict[str, Note] = {}
    problems = list(layout.problems)
    ignored = 0
    for tree in layout.trees:
        unreachable = False
        for found in walk(tree.folder, deadline):
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
        return read_bytes(one.path) == read_bytes(other.path)
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


def read_note(note: Note, limit: int) -> Iterator[Memory | Problem]:
    """What a file says: no memory if it is blank or Serena's stock note."""
    where = display_path(note.found.path)
    try:
        text = read_text(note.found.path, limit)
    except StoreBroken as error:
        yield Problem(where, str(error))
        return
    if text.problem:
        yield Problem(where, text.problem)
    if text.encoding != "utf-8":
        yield Problem(where, f"{text.encoding} text, which Serena itself cannot read", harmless=True)
    if is_stock(text.text):
        return
    document = parse_document(text.text)
    if document.front.problem:
        yield Problem(where, document.front.problem, harmless=True)
    if not is_blank(document.body) or document.description:
        yield _memory(note, document)


def is_stock(text: str) -> bool:
    """Whether this is the note about upkeep that Serena plants by itself (line ends are \\n)."""
    data = text.encode("utf-8", "replace")
    if len(data) != _STOCK_LENGTH:
        return False
    import hashlib

    return hashlib.sha256(data).hexdigest() == _STOCK_SHA256


def _memory(note: Note, document: Document) -> Memory:
    text, line = document.text()
    dated = dates(document.front, note.found.mtime_ns)
    return Memory(
        id=note.key,
        text=text,
        title=document.title or note.name,
        path=_openable(note.found.path),
        line=line,
        project=note.tree.project,
        created=dated.created,
        updated=dated.updated,
        date_origin=dated.origin,
        kind="memory",
        extra=_extra(note, document),
    )


def _extra(note: Note, document: Document) -> dict[str, str]:
    """The short texts of the front matter, and the tree if it is not the project's own."""
    front = document.front
    texts = {key: front.text(key) for key in list(front.fields)[:_FIELDS_KEPT]}
    extra = {key: text for key, text in texts.items() if 0 < len(text) <= _FIELD_LENGTH}
    return {**extra, "tree": note.tree.origin} if note.tree.origin else extra


def _openable(path: str) -> str:
    """The path as the file system spells it (a decomposed name opens only so), if it can be stored."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return display_path(path)
    return path
