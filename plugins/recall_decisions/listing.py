"""Which files of a project are decision records and decision logs; none of them is read here."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from recall import conventions, files
from recall.api import Deadline, Entry, Problem, Scope
from recall.errors import StoreBroken
from recall.files import Found

if TYPE_CHECKING:
    from recall_decisions.names import Names

_DEPTH = 3  # folders below a folder of records
_HELPERS = frozenset({"assets", "images", "img", "node_modules", "template", "templates"})
# Pages about the folder. "0012-template-engine" is a decision, "0000-template" is none.
_ABOUT = re.compile(
    r"(?:0+[-_ ])?(?:readme|index)|toc|contributing|changelog|템플릿|양식"
    r"|_?(?:0+[-_ ])?(?:[a-z]+[-_ ])?template(?:[-_. ][a-z]+)*",
    re.IGNORECASE,
)


class Folder:
    """The records of one folder, by key."""

    def __init__(self) -> None:
        self.found: dict[str, Found] = {}
        self._names: Names | None = None

    @property
    def names(self) -> Names:
        """What they may be called; made when the first of them is read."""
        if self._names is None:
            from recall_decisions.names import Names

            plain = {key: found.relative.removesuffix(".md") for key, found in self.found.items()}
            self._names = Names((key, name, name.rsplit("/", 1)[-1]) for key, name in plain.items())
        return self._names


class Located(NamedTuple):
    """What `load` needs of an entry."""

    found: Found
    folder: Folder | None  # None = it is a log


class Listing:
    """One look at a project: every file once, the work tree's own before the main checkout's."""

    def __init__(self, scope: Scope, deadline: Deadline, further: tuple[str, ...]) -> None:
        """further: folders that the user names."""
        self.present = False  # whether there is anything to look at
        self._scope = scope
        self._deadline = deadline
        self._further = further
        self._seen: set[tuple[int, int]] = set()
        self._taken: set[str] = set()

    def entries(self) -> Iterator[Entry | Problem]:
        """Every log and record, and what could not be looked at."""
        within = conventions.real_roots(self._scope)
        for path in self._further:
            folder = os.path.normpath(self._scope.expand(path))
            inside = files.lies_in(folder, map(os.fspath, self._scope.roots))
            name = os.path.relpath(folder, self._scope.root) if inside else os.path.basename(folder)
            yield from self._records(folder, name, within if inside else ())
        for root in map(os.fspath, self._scope.roots):
            yield from self._logs(root, within)
            folders, beyond = conventions.decision_folders(root)
            for name in (*_adr_dir(root), *folders):
                yield from self._records(os.path.join(root, name), name, within)
            if beyond:
                reason = f"{beyond} parts of the repository are not looked into: name their folders under `folders`"
                yield Problem(files.display_path(root), reason, harmless=True)

    def _logs(self, root: str, within: tuple[str, ...]) -> Iterator[Entry | Problem]:
        for item in conventions.documents(root, within, self._deadline, conventions.is_decision_log):
            self.present = True
            if isinstance(item, Problem):
                yield item
            elif self._is_new(item, item.relative):
                yield Entry(item.relative, item.stamp, Located(item, None), "logs")

    def _records(self, folder: str, name: str, within: tuple[str, ...]) -> Iterator[Entry | Problem]:
        """The records of a folder; `within` are real folders that its links may not leave, () = they may."""
        obstacle = files.look(folder)
        if obstacle == "" and within and not files.is_inside(folder, within):
            obstacle = "a link that leaves the project; to read it, name its real folder in your own settings"
        self.present |= obstacle is not None
        if obstacle != "":
            if obstacle:
                yield Problem(files.display_path(folder), obstacle, hides_entries=True)
            return
        name = files.display_path(name)
        held = Folder()
        walked = files.walk(
            folder, self._deadline, enter=_holds_records, leave_root=not within, allowed=within
        )
        for item in walked:
            if isinstance(item, Problem):
                yield item if os.path.isabs(item.where) else replace(item, where=f"{name}/{item.where}")
            elif not _is_about(item.relative) and self._is_new(item, key := f"{name}/{item.relative}"):
                held.found[key] = item
        # Which records one supersedes depends on what the older ones are called. A new record at the end
        # changes no other's stamp: the index keeps what it says of the older ones.
        older = 0
        for key, found in held.found.items():
            yield Entry(key, f"{found.stamp}:{older:08x}", Located(found, held), name)
            older = zlib.crc32(key.encode("utf-8", "replace"), older)

    def _is_new(self, found: Found, key: str) -> bool:
        """Whether neither the file nor its place came before; takes both."""
        new = key not in self._taken and (found.identity not in self._seen or found.identity == (0, 0))
        self._taken.add(key)
        self._seen.add(found.identity)
        return new


def _adr_dir(root: str) -> Iterator[str]:
    """The folder that adr-tools was told to use, as long as it is in the project."""
    try:
        path = files.read_text(os.path.join(root, ".adr-dir"), 1_000).text.split("\n")[0].strip()
    except StoreBroken:
        return  # not there, or nothing that names a folder
    name = os.path.normpath(path) if path else ".."
    if not os.path.isabs(name) and name.split(os.sep)[0] not in ("..", "."):
        yield name.replace(os.sep, "/")


def _holds_records(relative: str) -> bool:
    name = relative.rsplit("/", 1)[-1]
    return not (name.startswith(".") or name.lower() in _HELPERS) and relative.count("/") < _DEPTH


def _is_about(relative: str) -> bool:
    """Whether a file is a page about the records, or hidden."""
    name = relative.rsplit("/", 1)[-1]
    return name.startswith(".") or _ABOUT.fullmatch(name.rsplit(".", 1)[0]) is not None
