"""One more record at the end of a journal: durable when this returns, and nothing of it there when it raises."""

from __future__ import annotations

import os
from pathlib import Path

from recall.errors import ContextUnavailable
from recall.wording import why


def append(descriptor: int, path: Path, before: bytes, line: bytes) -> bytes:
    """Add a record's line to the open journal (O_APPEND) that holds `before`; the bytes that were written.

    Whatever a crash left at the end, a torn record or NUL bytes, stays, and the record begins on a line of its own.
    Raises ContextUnavailable when it cannot be written and made durable; the journal is then as it was.
    """
    data = line if not before or before.endswith(b"\n") else b"\n" + line
    written = 0
    try:
        while written < len(data):
            written += os.write(descriptor, data[written:])
        os.fsync(descriptor)
    except BaseException as error:
        rest = _rolled_back(descriptor, len(before), data)
        if isinstance(error, OSError):
            raise ContextUnavailable(
                f"{path}: cannot be written: {why(error)}; nothing was saved{rest}, earlier entries are intact",
                "make room on the disk, and save it again",
            ) from None
        raise
    return data


def _rolled_back(descriptor: int, size: int, data: bytes) -> str:
    """Take away what was written of a record; in words what is left of it.

    How much that was is not counted but read: an interruption may come between a write and its count.
    """
    try:
        if not data.startswith(os.pread(descriptor, len(data) + 1, size)):
            return ", a torn record may stay (another program wrote behind it)"
        os.ftruncate(descriptor, size)
        os.fsync(descriptor)
    except OSError:
        return ", a torn record may stay"
    return ""
