"""The files of a project that a source reads by itself: each once, by a key that is its path below the project."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from recall import conventions, files
from recall.api import CorpusProvider, Deadline, Health, Problem, Scope
from recall.errors import StoreAbsent
from recall.files import Found


class Keyed(NamedTuple):
    """A file, and its path below the project: unique, NFC."""

    key: str
    found: Found


class Look:
    """One look at a project's files: each once, the work tree's own before the main checkout's."""

    def __init__(self, scope: Scope, deadline: Deadline) -> None:
        self.present = False  # whether anything was there to be looked at
        self._scope = scope
        self._deadline = deadline
        self._within = tuple(os.path.realpath(root) for root in scope.roots)
        self._seen: set[tuple[int, int]] = set()
        self._taken: set[str] = set()
        self._before: frozenset[str] = frozenset()  # keys of the folders looked at before

    def roots(self) -> Iterator[str]:
        """The project's folders; what one has, the next adds nothing to."""
        for root in map(os.fspath, self._scope.roots):
            self._before = frozenset(self._taken)
            yield root

    def named(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Folders that the user names, and what they are called in keys."""
        for path in paths:
            folder = os.path.normpath(self._scope.expand(path))
            inside = self._is_inside(folder)
            yield folder, os.path.relpath(folder, self._scope.root) if inside else os.path.basename(folder)

    def documents(self, root: str, base: str, wanted: Callable[[str], bool]) -> Iterator[Keyed | Problem]:
        """Single documents below a base folder and in its folders for notes, wanted by their path from there."""
        top = os.path.join(root, base)
        for folder in ("", *conventions.present(top, filter(None, conventions.NOTE_FOLDERS))):
            if not files.is_inside(os.path.join(top, folder), self._within):
                continue
            for item in self._walked(os.path.join(top, folder), base, folder, (".md",), lambda _: False):
                place = item.where if isinstance(item, Problem) else item.key
                if wanted(place[len(base) :].lstrip("/")):
                    self.present = True
                    yield from self._new(item)

    def folder(
        self, folder: str, name: str, enter: Callable[[str], bool], suffixes: tuple[str, ...] = (".md",)
    ) -> Iterator[Keyed | Problem]:
        """The files below a folder that is called `name` in keys; inside the project its links may not leave that."""
        obstacle = files.look(folder)
        if obstacle == "" and self._is_inside(folder) and not files.is_inside(folder, self._within):
            obstacle = "a link that leaves the project; to read it, name its real folder in your own settings"
        self.present |= obstacle is not None
        if obstacle:
            yield Problem(files.display_path(folder), obstacle, hides_entries=True)
        elif obstacle == "":
            for item in self._walked(folder, name, "", suffixes, enter):
                yield from self._new(item)

    def _walked(
        self, top: str, base: str, folder: str, suffixes: tuple[str, ...], enter: Callable[[str], bool]
    ) -> Iterator[Keyed | Problem]:
        prefix = files.display_path("/".join(filter(None, (base, folder)))).replace(os.sep, "/")
        inside = self._is_inside(top)
        allowed = self._within if inside else ()
        for item in files.walk(
            top, self._deadline, suffixes=suffixes, enter=enter, leave_root=not inside, allowed=allowed
        ):
            name = item.where if isinstance(item, Problem) else item.relative
            place = f"{prefix}/{name}" if prefix and not os.path.isabs(name) else name
            yield replace(item, where=place) if isinstance(item, Problem) else Keyed(place, item)

    def _new(self, item: Keyed | Problem) -> Iterator[Keyed | Problem]:
        """The item, unless it is a file that came before, or that a folder before has its own of."""
        if isinstance(item, Problem):
            yield item
            return
        stem, dot, ending = item.key.rpartition(".")
        identity = item.found.identity
        if stem not in self._before and (identity not in self._seen or identity == (0, 0)):
            self._seen.add(identity)
            yield Keyed(files.unique(stem, self._taken) + dot + ending, item.found)

    def _is_inside(self, folder: str) -> bool:
        return files.lies_in(folder, (*map(os.fspath, self._scope.roots), *self._within))


def places_in_project(scope: Scope, folder: str) -> tuple[str, ...]:
    """What a folder inside the project is called from the project's top and the folders below it; () outside."""
    found = []
    for root in map(os.fspath, scope.roots):
        for base in conventions.bases(root, scope):
            top = os.path.join(root, base)
            if files.lies_in(folder, [top]):
                place = os.path.relpath(folder, top)
                found.append("" if place == os.curdir else files.display_path(place).replace(os.sep, "/"))
    return tuple(found)


def taker_of(places: Iterable[str], relative: str) -> str:
    """The source that reads a file of the project by itself, so that it is not read twice, or ""."""
    paths = (f"{place}/{relative}".lstrip("/") for place in places)
    return next(filter(None, map(conventions.owner, paths)), "")


def health(
    provider: CorpusProvider,
    scope: Scope,
    deadline: Deadline,
    *,
    looked: Iterable[str],
    item: str,
    next_step: str,
    made: str = "",
) -> Health:
    """What reading all of a source's files of the project amounts to.

    looked: the paths where it looks. item: what one file is called ("record"). next_step: for a source without any.
    made: folder of files that say nothing on purpose, being views of others.
    """
    from recall import documents  # doctor alone reads everything

    places = tuple(files.display_path(os.path.normpath(scope.expand(place))) for place in looked)
    try:
        survey = documents.survey(provider, scope, deadline)
    except StoreAbsent as error:
        return Health.unread(error, places)
    facts = [f"memories in {part}: {count}" for part, count in survey.parts.items()]
    if survey.withdrawn:
        facts.append(f"withdrawn, as superseded or the like: {survey.withdrawn}")
    facts += [f"superseding each other, so none is withdrawn: {', '.join(one)}" for one in survey.circles]
    silent = [key for key in survey.silent if not (made and key.startswith(f"{made}/"))]
    if silent:
        facts.append(f"empty files or unfilled templates: {len(silent)}, as {silent[0]}")
    reason = "nothing but templates or empty files" if survey.silent else f"folders without a {item}"
    return survey.health(places=places, facts=facts, reason=reason, next_step=next_step)
