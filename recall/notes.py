"""Folders of notes, listed for every question: each real file once, by a key that stays.

    shelf = Shelf()
    shelf.entries([Folder("work", "/home/me/notes")], deadline)     # the same tuple while nothing changes

An entry's locator is its `Note`. What a note says is read with `recall.pages.Page`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from recall import conventions, files
from recall.api import Deadline, Entry, Problem, Scope
from recall.errors import StoreAbsent
from recall.files import Found
from recall.kept import Kept
from recall.project_files import taker_of


def is_visible(relative: str) -> bool:
    """Whether a folder or file may hold notes, by its path: not hidden, and nobody's installed packages."""
    name = relative.rsplit("/", 1)[-1]
    return not name.startswith(".") and name != "node_modules"


class Folder(NamedTuple):
    """One folder to read. Functions in it are module-level ones: a lambda is another one at every look."""

    prefix: str  # first part of its notes' keys
    path: str
    project: str = ""  # label; "" = all projects
    suffixes: tuple[str, ...] = (".md",)
    names: frozenset[str] = frozenset()  # only files of these names, and only in the folder itself
    enter: Callable[[str], bool] = is_visible  # whether to descend, by the path below the folder
    shared: bool = False  # it holds other things, too: without a note in it it is no store
    within: tuple[str, ...] = ()  # real folders that its links may not leave; () = anywhere
    places: tuple[str, ...] = ()  # inside a project: its path there, so that each file belongs to one source


class Note(NamedTuple):
    """What `load` needs of an entry: a tuple, since a thousand are made for every question."""

    folder: Folder
    found: Found

    @property
    def key(self) -> str:
        """Where a person would look for it."""
        return f"{self.folder.prefix}/{self.found.relative}".lstrip("/")


class Shelf:
    """Folders of notes that one provider lists again and again."""

    def __init__(self) -> None:
        self._walker = files.Walker()
        self._kept: Kept[tuple[Entry | Problem, ...]] = Kept()

    def entries(
        self,
        folders: Iterable[Folder],
        deadline: Deadline,
        absent: StoreAbsent,
        also: tuple[Problem, ...] = (),
    ) -> tuple[Entry | Problem, ...]:
        """Every note, the very same tuple while nothing changes; raises `absent` if there is no store.

        also: what else there is to tell, as of settings; then nothing is absent.
        """
        walked = [
            (folder, tuple(self._walked(folder, obstacle, deadline)))
            for folder in folders
            if (obstacle := files.look(folder.path)) is not None
        ]
        if not also and all(folder.shared and not found for folder, found in walked):
            raise absent
        return self._kept.of((walked, also), lambda: (*_entries(walked), *also))

    def _walked(self, folder: Folder, obstacle: str, deadline: Deadline) -> Iterator[Found | Problem]:
        if not obstacle and folder.within and not files.is_inside(folder.path, folder.within):
            obstacle = "a link that leaves the project"
        if obstacle:
            yield Problem(files.display_path(folder.path), obstacle, hides_entries=True)
            return
        for item in self._walker.walk(
            folder.path,
            deadline,
            suffixes=tuple(sorted(folder.names)) or folder.suffixes,
            enter=_nowhere if folder.names else folder.enter,
            leave_root=not folder.within,
            allowed=folder.within,
        ):
            if isinstance(item, Problem):
                place = (
                    item.where if os.path.isabs(item.where) else f"{folder.prefix}/{item.where}".lstrip("/")
                )
                yield replace(item, where=place)
            elif _counts(folder, item.relative):
                yield item


def own_folders(scope: Scope, prefix: str, names: frozenset[str] = frozenset()) -> Iterator[Folder]:
    """The project's folders from its top down to the current one, in every checkout; links stay inside them."""
    within = tuple(os.path.realpath(root) for root in scope.roots)
    label = scope.names[0] if scope.names else ""
    for root, main in zip(map(os.fspath, scope.roots), ("", "main-"), strict=False):
        for base in conventions.bases(root, scope):
            name = files.display_path(f"{main}{prefix}/{base}").rstrip("/")
            yield Folder(
                name, os.path.join(root, base).rstrip(os.sep), label, names=names, shared=True, within=within
            )


def is_own(scope: Scope, path: str) -> bool:
    """Whether a path that another tool wrote down lies in the scope's project, links followed or not."""
    given = [os.fspath(one) for one in (*scope.roots, scope.cwd)]
    plain = path.strip().removeprefix("\\\\?\\")
    return bool(plain) and files.lies_in(plain, (*given, *map(os.path.realpath, given)))


def _nowhere(_relative: str) -> bool:
    return False


def _counts(folder: Folder, relative: str) -> bool:
    wanted = relative in folder.names if folder.names else is_visible(relative)
    return wanted and not taker_of(folder.places, relative)


def _entries(walked: Iterable[tuple[Folder, tuple[Found | Problem, ...]]]) -> Iterator[Entry | Problem]:
    seen: set[tuple[int, int]] = set()
    taken: set[str] = set()
    for folder, found in walked:
        for item in found:
            if isinstance(item, Problem):
                yield item
            elif item.identity not in seen or item.identity == (0, 0):
                seen.add(item.identity)
                note = Note(folder, item)
                stem, dot, ending = note.key.rpartition(".")
                yield Entry(files.unique(stem, taken) + dot + ending, item.stamp, note, folder.prefix)
