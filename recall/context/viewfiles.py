"""A view put in its place: all of it or nothing, and what somebody wrote there is kept aside.

The new view and the old one change places in one step. Only what came out is looked at: a change by hand in the last
moment comes out, too. A process that ends in between leaves it under a hidden name, where the next save finds it.
"""

from __future__ import annotations

import errno
import os
import stat
from itertools import count
from pathlib import Path

from recall import files
from recall.checkpoints import VIEWS, is_sealed
from recall.errors import StoreBroken
from recall.files import swap

_LIMIT = 8 << 20  # bytes: a view is smaller, so a larger file is nobody's view
_ROUNDS = 5  # each is a file that somebody makes or removes within microseconds


def put(folder: Path, name: str, data: bytes, moment: float) -> list[str]:
    """Put a view in its place; the names under which files of somebody else's are kept now.

    moment: epoch seconds that become the file's time, when the state was that it shows. The view is not made durable:
    it can be made from the journal at any time. Raises OSError, also for one so large that the next save would take
    it for somebody else's.
    """
    if len(data) > _LIMIT:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    kept = recovered(folder, name)
    new = folder / f".{name}.new"
    part = folder / f".{name}.part"
    try:
        _write(part, data, moment)
        os.rename(part, new)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _exchange(new, folder / name)
    return kept + recovered(folder, name)


def recovered(folder: Path, name: str) -> list[str]:
    """What came out of a view's place is removed if it is a view; else it is kept under a name of its own."""
    out = folder / f".{name}.new"
    if not os.path.lexists(out):
        return []
    if is_own(out, name):
        os.unlink(out)
        return []
    stem, dot, ending = name.rpartition(".")
    for number in count(1):
        aside = folder / f"{stem}.edited-{number}{dot}{ending}"
        if not os.path.lexists(aside):
            try:
                swap.place(out, aside)
            except FileExistsError:
                continue
            return [aside.name]
    raise AssertionError("count() has no end")


def states(folder: Path, revision: str) -> dict[str, str]:
    """Of each view whether it is there, unchanged, and of this revision; in words."""
    return {name: _state(folder / name, revision) for name in VIEWS}


def _state(path: Path, revision: str) -> str:
    if not os.path.lexists(path):
        return "missing; the next save makes it"
    if not is_own(path, path.name):
        return "changed by hand; the next save keeps it aside"
    is_current = revision.encode() in files.read_bytes(path, _LIMIT)
    return "as the journal says" if is_current else "older than the journal; the next save makes it anew"


def is_own(path: Path, name: str) -> bool:
    """Whether a file is a view that nobody changed, or holds nothing at all."""
    try:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LIMIT:
            return False
        return not found.st_size or is_sealed(name, files.read_bytes(path, _LIMIT))
    except (OSError, StoreBroken):
        return False


def _exchange(new: Path, path: Path) -> None:
    for _ in range(_ROUNDS):
        try:
            if os.path.lexists(path):
                swap.exchange(new, path)
            else:
                swap.place(new, path)
            return
        except (FileNotFoundError, FileExistsError):
            continue
    raise FileExistsError(f"{path}: changed again and again")


def _write(path: Path, data: bytes, moment: float) -> None:
    path.unlink(missing_ok=True)  # the rest of a write that was cut short, or a planted link
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.utime(file.fileno() if os.utime in os.supports_fd else path, (moment, moment))
