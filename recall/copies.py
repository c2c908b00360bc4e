"""Private copies of foreign databases, for those that cannot be read in place without leaving a trace."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from recall import scratch
from recall.api import Deadline
from recall.errors import StoreAbsent, StoreBroken, StoreBusy
from recall.wording import why

_COPIES = "recall-copy-"  # before the process number of whoever made the copy


@contextmanager
def copied(name: str, companion: str, deadline: Deadline) -> Iterator[str]:
    """The path of a copy of a database and of the file beside it, in a folder for this user only.

    Raises StoreAbsent, StoreBusy or StoreBroken.
    """
    try:
        place = scratch.new(_COPIES)
    except OSError as error:
        raise StoreBroken(f"cannot copy the database: {why(error)}") from None
    try:
        copy = os.path.join(place, "copy.db")
        for suffix in ("", companion):
            _copy_file(name + suffix, copy + suffix, deadline)
        yield copy
    finally:
        scratch.remove(place)


def _copy_file(source: str, target: str, deadline: Deadline) -> None:
    try:
        with open(source, "rb") as reader, open(target, "xb") as writer:
            while chunk := reader.read(1 << 20):
                if deadline.expired():
                    raise StoreBusy(
                        "out of time while copying the database", "ask again with a longer deadline"
                    )
                writer.write(chunk)
    except FileNotFoundError:
        if source.endswith(("-wal", "-journal")):
            return  # folded in by its owner between two looks; the fingerprint notices
        raise StoreAbsent("no database file") from None
    except OSError as error:
        raise StoreBroken(f"cannot copy the database: {why(error)}") from None
