"""Files of one JSON object a line, or parts of such a file: never more than one line is held.

skipped = Skipped()
for offset, record in records(found, skipped=skipped):
    ...
if skipped.broken:
    yield Problem(entry.key, f"damaged lines left out: {skipped.broken}")
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, BinaryIO

from recall import files
from recall.errors import StoreBroken

COMPRESSED = ".zst"
_ZSTD = "compression.zstd"  # in the standard library from Python 3.14 on
_DOCUMENT = 16 << 20  # bytes of a file that can only be read as a whole
_EVERYTHING = 1 << 62  # bytes: more than a file has
# What may stand around a record: a byte-order mark, the NULs that a crash leaves where nothing was written yet.
_NOT_WRITTEN = "\ufeff\0 \t\r\n"
_CHUNK = 1 << 16  # bytes of a line that is skipped, at a time
# Lines of one part that are no JSON: what has more is no such file, and would take seconds.
BROKEN_LIMIT = 10_000

Record = dict[str, Any]


@dataclass(slots=True)
class Skipped:
    """Lines that were left out."""

    long: int = 0
    broken: int = 0


def can_decompress() -> bool:
    """Whether this Python reads compressed transcripts by itself."""
    try:
        importlib.import_module(_ZSTD)
    except ImportError:
        return False
    return True


def records(
    path: str | os.PathLike[str],
    start: int = 0,
    end: int = _EVERYTHING,
    limit: int = files.READ_LIMIT,
    skipped: Skipped | None = None,
) -> Iterator[tuple[int, Record]]:
    """The JSON objects whose lines begin in the file, or in a part of it, each with the offset of its line.

    start, end, limit: bytes; a line longer than `limit` is skipped and counted, and so are lines that are no JSON;
    beyond BROKEN_LIMIT of those nothing more is read.
    Raises StoreBroken if the file cannot be opened, or not be read to its end.
    """
    skipped = Skipped() if skipped is None else skipped
    zstd: Any = importlib.import_module(_ZSTD) if os.fspath(path).endswith(COMPRESSED) else None
    try:
        with closing(files.open_regular(path)) as file:
            yield from _records(zstd.open(file) if zstd else file, start, end, limit, skipped)
    except (OSError, EOFError, getattr(zstd, "ZstdError", OSError)) as error:
        raise StoreBroken(f"cannot be read on: {error}") from None


def _records(
    file: BinaryIO, start: int, end: int, limit: int, skipped: Skipped
) -> Iterator[tuple[int, Record]]:
    position = start
    if start:  # a line that began before belongs to the part before
        file.seek(start - 1)
        position += _pass_line(file, end - start + 1) - 1
    while position < end and (line := file.readline(limit + 1)):
        offset, position = position, position + len(line)
        ended = line.endswith(b"\n")
        if not ended and len(line) > limit:
            position += _pass_line(file, end - position)
            skipped.long += 1
            continue
        if line.isspace():
            continue
        try:
            record = json.loads(line.decode("utf-8", "replace").strip(_NOT_WRITTEN))
        except (ValueError, RecursionError):
            skipped.broken += ended  # without an end it is still being written
            if skipped.broken > BROKEN_LIMIT:
                return
            continue
        if isinstance(record, dict):
            yield offset, record


def _pass_line(file: BinaryIO, most: int) -> int:
    """Read on to the line's end, or `most` bytes of it: what is beyond them is another part's. How many it were."""
    passed = 0
    while passed < most and (piece := file.readline(min(_CHUNK, most - passed))):
        passed += len(piece)
        if piece.endswith(b"\n"):
            break
    return passed


def whole(path: str | os.PathLike[str], skipped: Skipped) -> Iterator[tuple[int, Record]]:
    """The same of a file that is one JSON document instead: its head, then its items by number."""
    data = files.read_bytes(path, _DOCUMENT + 1)
    if len(data) > _DOCUMENT:
        skipped.long += 1
        return
    try:
        document = json.loads(data.decode("utf-8", "replace").strip(_NOT_WRITTEN))
    except (ValueError, RecursionError):
        raise StoreBroken("not valid JSON") from None
    head = document if isinstance(document, dict) else {}
    yield 0, {key: value for key, value in head.items() if not isinstance(value, list)}
    items: list[object] = next(
        (head[key] for key in ("messages", "items") if isinstance(head.get(key), list)), []
    )
    yield from ((number, item) for number, item in enumerate(items, 1) if isinstance(item, dict))
