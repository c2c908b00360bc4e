"""Antigravity's memories, read from its folders: the app need not run, nor be installed any more."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import ClassVar, NamedTuple

from recall import files
from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope, option, record
from recall.errors import StoreAbsent
from recall.files import Found
from recall.kept import Kept
from recall_antigravity.listing import BRAIN_SUFFIXES, KNOWLEDGE_SUFFIXES, Artifact, Page, artifacts, pages

_BACKUP = "antigravity-backup"
_NEXT_STEP = "let Antigravity save a knowledge item, or give its folder as `home` in [providers.antigravity]"


@record
class AntigravityOptions:
    """Which of Antigravity's folders are read."""

    home: str = option("", "The folder that holds Antigravity's own; empty: ~/.gemini.")
    roots: tuple[str, ...] = option(
        ("antigravity", "antigravity-ide", "antigravity-cli"),
        "Antigravity's folders below it: the desktop app, the IDE and the command line keep one each.",
    )
    backup: bool = option(
        False, "Also read antigravity-backup, which a migration left behind.", from_project="value"
    )
    brain: bool = option(
        True, "Read the plans, task lists and walkthroughs of conversations (brain).", from_project="value"
    )
    max_file_bytes: int = option(
        files.READ_LIMIT, "Most bytes read of one file; what is cut is reported.", at_least=1024
    )


class Root(NamedTuple):
    """One of Antigravity's folders that is there."""

    name: str
    folder: str


class AntigravityProvider:
    """Knowledge items of every root, and brain documents."""

    name = "antigravity"
    reading = "1"
    authority = Authority.CURATED
    Options: ClassVar[type] = AntigravityOptions

    def __init__(self, options: AntigravityOptions) -> None:
        self._options = options
        self._walker = files.Walker()
        self._kept: Kept[tuple[Entry | Problem, ...]] = Kept()

    def entries(self, scope: Scope, deadline: Deadline) -> tuple[Entry | Problem, ...]:
        """Every document of every root, each real file once; an item in two roots comes from both."""
        roots = self._roots(scope)
        if not roots:
            raise StoreAbsent(f"no Antigravity folder in {files.display_path(self._home(scope))}", _NEXT_STEP)
        listed = [
            (root, part, tuple(_listing(root, part, self._walker, deadline)))
            for root in roots
            for part in self._parts()
        ]
        return self._kept.of(listed, lambda: tuple(_entries(listed)))

    def load(self, entry: Entry, scope: Scope) -> Iterator[Memory | Problem]:
        """One document."""
        from recall_antigravity import brain, knowledge  # a question after which nothing changed reads none

        piece: Artifact | Page = entry.locator
        identity = entry.key.removesuffix(".md")
        if isinstance(piece, Artifact):
            yield from knowledge.read(identity, piece, scope, self._options.max_file_bytes)
        else:
            yield from brain.read(identity, piece, scope, self._options.max_file_bytes)

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """Read every document and tell what there is, and what there is that nobody can read."""
        from recall import documents

        places = tuple(
            files.display_path(os.path.join(self._home(scope), name, part))
            for name in self._names()
            for part in self._parts()
        )
        try:
            survey = documents.survey(self, scope, deadline)
        except StoreAbsent as error:
            return Health.unread(error, places)
        roots = self._roots(scope)
        conversations = list(_conversations(roots))
        reason = "; ".join((f"no knowledge item, no brain document of {scope.whose}", *conversations))
        facts = (
            *(f"memories in {root.name}: {survey.parts.get(root.name, 0)}" for root in roots),
            *self._facts(scope, deadline),
            *conversations,
            *_other_files(roots, deadline),
        )
        return survey.health(places=places, facts=facts, reason=reason, next_step=_NEXT_STEP)

    def _home(self, scope: Scope) -> str:
        return os.fspath(scope.expand(self._options.home or "~/.gemini"))

    def _names(self) -> Iterable[str]:
        extra = (_BACKUP,) if self._options.backup else ()
        return dict.fromkeys((*self._options.roots, *extra))

    def _roots(self, scope: Scope) -> list[Root]:
        """The roots that are there, or may be: one that cannot be looked at is told when it is walked."""
        roots = [Root(name, os.path.join(self._home(scope), name)) for name in self._names()]
        return [root for root in roots if files.look(root.folder) is not None]

    def _parts(self) -> tuple[str, ...]:
        return ("knowledge", "brain") if self._options.brain else ("knowledge",)

    def _facts(self, scope: Scope, deadline: Deadline) -> Iterator[str]:
        """Items in several roots, and documents left out as other projects'."""
        from recall_antigravity import brain

        items: set[tuple[str, str]] = set()
        elsewhere = 0
        for entry in self.entries(scope, deadline):
            piece = None if isinstance(entry, Problem) else entry.locator
            if isinstance(piece, Artifact) and piece.item:
                items.add((piece.place.split("/", 1)[0], piece.item))
            elif isinstance(piece, Page):
                elsewhere += brain.is_elsewhere(piece, scope, self._options.max_file_bytes)
        copies = Counter(item for _, item in items)
        split = sorted(item for item, count in copies.items() if count > 1)
        if split:
            yield f"split over {max(copies.values())} roots: {', '.join(split)}"
        if elsewhere:
            yield f"brain documents of other projects, left out: {elsewhere}"
        backup = os.path.join(self._home(scope), _BACKUP)
        if not self._options.backup and files.is_folder(backup):
            yield f"{files.display_path(backup)} is there and not read: `backup` in [providers.antigravity]"


def _entries(listed: Iterable[tuple[Root, str, tuple[Found | Problem, ...]]]) -> Iterator[Entry | Problem]:
    seen: set[tuple[int, int]] = set()
    taken: set[str] = set()
    for root, part, items in listed:
        found: list[Found] = []
        for item in items:
            if isinstance(item, Problem):
                yield item
            elif item.identity not in seen or item.identity == (0, 0):
                seen.add(item.identity)
                found.append(item)
        for piece in _pieces(root, part, found):
            identity = files.unique(piece.place.removesuffix(".md"), taken)
            key = identity + ".md" * piece.place.endswith(".md")
            yield Entry(key, piece.stamp, piece, f"{root.name}/{part}")


def _pieces(root: Root, part: str, found: list[Found]) -> Iterable[Artifact | Page]:
    place = f"{root.name}/{part}"
    return artifacts(found, place) if part == "knowledge" else pages(found, place)


def _listing(root: Root, part: str, walker: files.Walker, deadline: Deadline) -> Iterator[Found | Problem]:
    """The files of a part that may matter, and what could not be looked at."""
    folder = os.path.join(root.folder, part)
    obstacle = files.look(folder)
    if obstacle:
        yield Problem(files.display_path(folder), obstacle, hides_entries=True)
    if obstacle != "":
        return
    suffixes, enter = (KNOWLEDGE_SUFFIXES, _is_shown) if part == "knowledge" else (BRAIN_SUFFIXES, _is_top)
    for item in walker.walk(folder, deadline, suffixes=suffixes, enter=enter):
        if isinstance(item, Problem) and not os.path.isabs(item.where):
            item = replace(item, where=f"{root.name}/{part}/{item.where}")
        yield item


def _is_shown(relative: str) -> bool:
    return not relative.rsplit("/", 1)[-1].startswith(".")


def _is_top(relative: str) -> bool:
    """Conversations only: below them are recordings and logs by the ten thousand."""
    return "/" not in relative and _is_shown(relative)


def _conversations(roots: Iterable[Root]) -> Iterator[str]:
    """Chats that are there and cannot be read, or are not read here."""
    names = [
        name for root in roots for part in ("conversations", "implicit") for name in _names_in(root, part)
    ]
    encrypted = sum(name.endswith(".pb") for name in names)
    databases = sum(name.endswith(".db") for name in names)
    if encrypted:
        yield f"conversations that are there but unreadable (encrypted .pb): {encrypted}"
    if databases:
        yield f"conversations in databases, not read: {databases}"


def _names_in(root: Root, part: str) -> list[str]:
    try:
        return os.listdir(os.path.join(root.folder, part))
    except OSError:
        return []


def _other_files(roots: Iterable[Root], deadline: Deadline) -> Iterator[str]:
    """Files among the knowledge that are no text to read."""
    for root in roots:
        folder = os.path.join(root.folder, "knowledge")
        others = [
            item.relative
            for item in files.walk(folder, deadline, suffixes=("",), enter=_is_shown)
            if isinstance(item, Found) and not item.relative.endswith((*KNOWLEDGE_SUFFIXES, ".lock"))
        ]
        if others:
            yield f"files of other kinds in {root.name}/knowledge, not read: {len(others)}, as {others[0]}"
