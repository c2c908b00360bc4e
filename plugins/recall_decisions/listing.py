"""Which files of a project are decision records and decision logs; none of them is read here."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from recall import conventions, files
from recall.api import Entry, Problem
from recall.errors import StoreBroken
from recall.files import Found
from recall.project_files import Look

if TYPE_CHECKING:
    from recall_decisions.names import Names

_DEPTH = 3  # folders below a folder of records
_HELPERS = frozenset({"assets", "images", "img", "node_modules", "template", "templates"})
# Pages about the folder. "0012-template-engine" is a decision, "0000-template" is none.
# Compiled at its first use: most questions find no new file.
_ABOUT = (
    r"(?i:(?:0+[-_ ])?(?:readme|index)|toc|contributing|changelog|템플릿|양식"
    r"|_?(?:0+[-_ ])?(?:[a-z]+[-_ ])?template(?:[-_. ][a-z]+)*)"
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


def entries(look: Look, further: tuple[str, ...]) -> Iterator[Entry | Problem]:
    """Every log and record, and what could not be looked at; `further` are folders that the user names."""
    for folder, name in look.named(further):
        yield from _records(look, folder, name)
    for root in look.roots():
        for item in look.documents(root, "", conventions.is_decision_log):
            if isinstance(item, Problem):
                yield item
            else:
                yield Entry(item.key, item.found.stamp, Located(item.found, None), "logs")
        folders, beyond = conventions.decision_folders(root)
        for name in (*_adr_dir(root), *folders):
            yield from _records(look, os.path.join(root, name), name)
        if beyond:
            reason = (
                f"{beyond} parts of the repository are not looked into: name their folders under `folders`"
            )
            yield Problem(files.display_path(root), reason, harmless=True)


def _records(look: Look, folder: str, name: str) -> Iterator[Entry | Problem]:
    held = Folder()
    for item in look.folder(folder, name, _holds_records):
        if isinstance(item, Problem):
            yield item
        elif not _is_about(item.found.relative):
            held.found[item.key] = item.found
    # Which records one supersedes depends on what the older ones are called. A new record at the end changes no
    # other's stamp: the index keeps what it says of the older ones.
    older = 0
    for key, found in held.found.items():
        yield Entry(key, f"{found.stamp}:{older:08x}", Located(found, held), name)
        older = zlib.crc32(key.encode("utf-8", "replace"), older)


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
    return name.startswith(".") or re.fullmatch(_ABOUT, name.rsplit(".", 1)[0]) is not None
