"""A project's journal, read: its records in order, its revision, and what in it is damaged.

journal = read(scope.main_root)
journal.contents.records, journal.contents.revision, journal.contents.damages
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from recall.checkpoints import FOLDER, JOURNAL, NOTHING, Contents, Record, is_journal, parse
from recall.context.folder import Folder, opened
from recall.errors import ContextUnavailable
from recall.wording import why

_LOOKS = 3
_TAIL = 64 << 10  # bytes at a journal's end: some hundred entries
MOST_BYTES = 64 << 20  # of a journal: some 100,000 entries; a longer one is refused, not cut


class Memo:
    """What was read of one journal last. Not for two threads at once."""

    def __init__(self) -> None:
        self._data = b""
        self._contents = NOTHING

    def parsed(self, data: bytes) -> Contents:
        """What a journal's bytes say."""
        if data != self._data:
            known = len(self._data)
            if self._data.endswith(b"\n") and data.startswith(self._data):
                self._contents = parse(data[known:], self._contents)
            else:
                self._contents = parse(data)
            self._data = data
        return self._contents


class Journal(NamedTuple):
    """A journal as it was read."""

    path: Path
    contents: Contents = NOTHING
    is_there: bool = False  # whether there is such a file


def read(root: Path, memo: Memo | None = None) -> Journal:
    """The journal of the project whose main checkout is `root` (`Scope.main_root`); writes and locks nothing.

    Raises ContextUnavailable where it cannot be looked at; damage in it is counted and never raises.
    """
    path = root / FOLDER / JOURNAL
    with opened(root) as folder:
        data = _settled(folder) if folder is not None else None
    return Journal(path) if data is None else Journal(path, understood(path, data, memo), is_there=True)


def last(root: Path) -> Record | None:
    """The journal's last record, of which no more is read than is needed to find it; raises as `read` does."""
    path = root / FOLDER / JOURNAL
    with opened(root) as folder:
        data = _settled(folder) if folder is not None else None
    size = _TAIL
    while data:
        records = understood(path, data).records if size >= len(data) else parse(data[-size:]).records
        if records or size >= len(data):
            return records[-1] if records else None
        size *= 4
    return None


def _settled(folder: Folder) -> bytes | None:
    """The journal's bytes; of a record that is being written just now all of it or nothing, as far as one can wait."""
    data = content(folder)
    for _ in range(_LOOKS):
        if not data or data.endswith(b"\n"):
            break
        before, data = data, content(folder)
        if data == before:
            break  # a torn tail, not a moving one
    return data


def content(folder: Folder) -> bytes | None:
    """The journal's bytes, None if there is no journal."""
    try:
        descriptor = folder.open(JOURNAL, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        return whole(descriptor, folder.path / JOURNAL)
    finally:
        os.close(descriptor)


def whole(descriptor: int, path: Path) -> bytes:
    """All bytes of an open journal; raises ContextUnavailable."""
    try:
        size = os.fstat(descriptor).st_size
        if size > MOST_BYTES:
            raise ContextUnavailable(
                f"{path}: larger than {MOST_BYTES:,} bytes", "move it away; the next save begins a new one"
            )
        chunks: list[bytes] = []
        position = 0
        while chunk := os.pread(descriptor, max(1, size - position) + 1, position):
            chunks.append(chunk)
            position += len(chunk)
    except OSError as error:
        raise ContextUnavailable(f"{path}: cannot be read: {why(error)}") from None
    return b"".join(chunks)


def understood(path: Path, data: bytes, memo: Memo | None = None) -> Contents:
    """What a journal's bytes say; raises ContextUnavailable for the file of another program."""
    if not is_journal(data):
        raise ContextUnavailable(
            f"{path}: not a journal of recall's, but of another program",
            "`recall checkpoint repair` moves it aside and begins a new one",
        )
    return parse(data) if memo is None else memo.parsed(data)
