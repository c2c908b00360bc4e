"""Private copies of foreign databases, for those that cannot be read in place without leaving a trace."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from recall.api import Deadline
from recall.errors import StoreAbsent, StoreBroken, StoreBusy
from recall.wording import why

_COPIES = "recall-copy-"  # before the process number of whoever made the copy


@contextmanager
def copied(name: str, companion: str, deadline: Deadline) -> Iterator[str]:
    """The path of a copy of a database and of the file beside it, in a folder for this user only.

    Raises StoreAbsent, StoreBusy or StoreBroken.
    """
    import tempfile

    _sweep(tempfile.gettempdir())
    try:
        prefix = f"{_COPIES}{os.getpid()}-"
        folder = tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True)  # mode 0700
    except OSError as error:
        raise StoreBroken(f"cannot copy the database: {why(error)}") from None
    with folder as place:
        copy = os.path.join(os.path.realpath(place), "copy.db")
        for suffix in ("", companion):
            _copy_file(name + suffix, copy + suffix, deadline)
        yield copy


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


def _sweep(folder: str) -> None:
    """Remove copies that processes of this user left behind when they were killed."""
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        owner = name.removeprefix(_COPIES).partition("-")[0]
        if not name.startswith(_COPIES) or not owner.isdigit() or _is_alive(int(owner)):
            continue
        try:
            place = os.path.join(folder, name)
            if os.lstat(place).st_uid == os.getuid():
                import shutil

                shutil.rmtree(place, ignore_errors=True)
        except (OSError, AttributeError):  # Windows has no user numbers, and cleans its folder itself
            continue


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
