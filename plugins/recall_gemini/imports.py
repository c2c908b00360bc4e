"""What a context file imports with `@path`, so that it is listed, dated and read by itself."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator

from recall import files
from recall.api import Deadline, Problem
from recall.errors import StoreBroken
from recall.files import Found
from recall.notes import Folder

_MOST_HOPS = 5  # as deep as Gemini CLI follows imports
_MOST = 100  # files that one context file brings along
_IMPORT = r"(?m)(?:^|(?<=[ \t]))@((?:\.{0,2}/)?[^\s`@]+\.md)\b"
_CODE = r"(?ms)^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)|`[^`\n]*`"


class Imports:
    """Imported files by the context files that name them; each is read again only when it has changed."""

    def __init__(self) -> None:
        self._walker = files.Walker()
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}  # path and stamp -> paths it imports

    def of(self, folders: Iterable[Folder], deadline: Deadline) -> tuple[list[Folder], tuple[Problem, ...]]:
        """A folder for each imported file, inside what its importer may read; and whether there were too many."""
        found: dict[str, Folder] = {}
        for folder in folders:
            within = folder.within or (os.path.realpath(folder.path),)
            for path in self._below(folder.path, folder.names, within, deadline, _MOST_HOPS, found):
                place = os.path.relpath(path, next(one for one in within if files.lies_in(path, [one])))
                base = files.display_path(os.path.dirname(place)).replace(os.sep, "/")
                found[path] = Folder(
                    f"{folder.prefix.split('/')[0]}/imported/{base}".rstrip("/"),
                    os.path.dirname(path),
                    folder.project,
                    names=frozenset({os.path.basename(path)}),
                    shared=True,
                    within=within,
                    places=(os.path.dirname(place),) if folder.within else (),
                )
        reason = f"only the first {_MOST} imported files are read"
        trouble = (Problem("imports", reason),) if len(found) > _MOST else ()
        return list(found.values())[:_MOST], trouble

    def _below(
        self,
        folder: str,
        names: frozenset[str],
        within: tuple[str, ...],
        deadline: Deadline,
        hops: int,
        found: Collection[str],
    ) -> Iterator[str]:
        """Real paths of what the files of these names import, each once, at most one more than are read."""
        walked = self._walker.walk(
            folder, deadline, suffixes=tuple(sorted(names)), enter=_nowhere, leave_root=False, allowed=within
        )
        for item in walked:
            if isinstance(item, Problem) or item.relative not in names or not hops:
                continue
            for real in map(os.path.realpath, self._imported(item)):
                if real in found or len(found) > _MOST or not files.lies_in(real, within):
                    continue
                if files.is_file(real):
                    yield real  # whoever takes it adds it to `found`
                    where, name = os.path.split(real)
                    yield from self._below(where, frozenset({name}), within, deadline, hops - 1, found)

    def _imported(self, found: Found) -> tuple[str, ...]:
        key = (found.path, found.stamp)
        if key not in self._known:
            try:
                text = files.read_text(found).text
            except StoreBroken:
                text = ""  # told when the file itself is read
            names = re.findall(_IMPORT, re.sub(_CODE, "", text)) if "@" in text else []
            folder = os.path.dirname(found.path)
            self._known[key] = tuple(
                dict.fromkeys(os.path.normpath(os.path.join(folder, name)) for name in names)
            )
        return self._known[key]


def _nowhere(_relative: str) -> bool:
    return False
