"""A copy of a repository's index that is recall's own, for what git learns while it compares a work tree.

Git keeps in the index which folders hold no unknown files (its untracked cache) and which files it has read in vain.
Without that each look walks every folder and reads again what is as young as the index: in a work tree of ten thousand
files that is half of a look. Nothing may be written into the repository, so git is given a copy of the index.

A copy is of one state of the index, told by the file's identity, size and times, and is of no use for another one. Git
trusts in it only what is older than the copy's own time, which is set to a moment before the look began: what was
changed since then is read again, whatever its size and time say.

To write a copy anew costs as much as it spares, and it ages slowly: it is done once it is twice as old, seen from the
index, or after five minutes.

    <cache folder>/git/<repository>-<state of its index>    removed once the index is another, or after a month
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from recall.git.command import Git

_FOLDER = "git"
_EARLIER = 2  # seconds before a look that its copy is dated: file times can be as coarse as that (FAT)
_ANEW = 300.0  # seconds after which a copy is written anew, if git learned more
_KEPT_SECONDS = 30 * 86_400.0
_LARGEST = 256 << 20  # bytes of an index that is copied: some two million files
_LEFT_SECONDS = 600.0  # after which the copy of a look that was killed is removed


class OwnIndex:
    """One look's copy of an index."""

    def __init__(self, git: Git, index: Path, state: str) -> None:
        self.git = git  # what the look is done with
        self._index = index
        self._state = state

    @property
    def outdated(self) -> bool:
        """Whether the repository's index is no more the one that was copied."""
        return _state(self._index) != self._state


@contextmanager
def copied(
    git: Git, git_dir: Path, cache: Path, clock: Callable[[], float] = time.time
) -> Iterator[OwnIndex | None]:
    """The copy for one look; None where there can be none. What git learns is kept for the next look.

    cache: recall's own cache folder.
    """
    index = git_dir / "index"
    state = _state(index)
    folder = cache / _FOLDER
    key = hashlib.sha256(os.fsencode(os.path.realpath(git_dir))).hexdigest()[:24]
    kept = folder / f"{key}-{state}"
    working = folder / f"{key}-{os.getpid()}-{os.urandom(4).hex()}.tmp"
    before = _working_copy(index, kept, working) if state else None
    if before is None or _state(index) != state:
        _remove(working)
        yield None
        return
    try:
        began = int(clock()) - _EARLIER
        learns = _is_due(index, working, began)
        yield OwnIndex(git._replace(own_index=os.fspath(working), learns=learns), index, state)
        _keep(working, kept, before, began, clock())
    finally:
        _remove(working)


def _state(index: Path) -> str:
    """What tells an index from every other; "" if there is none that is a file."""
    try:
        found = os.lstat(index)
    except (OSError, ValueError):
        return ""
    parts = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:24]


def _working_copy(index: Path, kept: Path, working: Path) -> int | None:
    """The file number of this look's copy; None if none can be made. Git puts another file there if it learns."""
    try:
        with suppress(FileNotFoundError):
            os.link(kept, working)
            return os.stat(working).st_ino
        os.makedirs(kept.parent, mode=0o700, exist_ok=True)
        found = os.lstat(index)
        if found.st_size > _LARGEST:
            return None
        descriptor = os.open(working, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as copy, open(index, "rb") as original:
            copy.write(original.read(_LARGEST))
        os.utime(working, ns=(found.st_atime_ns, found.st_mtime_ns))  # git judges by it what is too young
        return os.stat(working).st_ino
    except OSError:
        return None


def _is_due(index: Path, working: Path, began: int) -> bool:
    """Whether the copy is to be written anew: as young as the index it may distrust every file, later only some."""
    try:
        age_of_index, age = began - os.stat(index).st_mtime, began - os.stat(working).st_mtime
    except OSError:
        return False
    return age < 0 or age >= min(_ANEW, age_of_index / 2)


def _keep(working: Path, kept: Path, before: int, began: int, now: float) -> None:
    """Keep what git learned, if it did."""
    with suppress(OSError):
        if os.stat(working).st_ino == before:
            return
        os.chmod(working, 0o600)
        os.utime(working, (began, began))
        is_new = not os.path.lexists(kept)
        os.replace(working, kept)
        if is_new:
            _sweep(kept, now)


def _sweep(kept: Path, now: float) -> None:
    """Remove the copies of this repository's earlier indexes, and what is old."""
    own = kept.name.partition("-")[0]
    for path in kept.parent.iterdir():
        with suppress(OSError):
            age = now - path.stat().st_ctime
            of_a_look = path.name.endswith((".tmp", ".lock"))
            earlier = path.name.startswith(f"{own}-") and not of_a_look
            if path != kept and (earlier or age > (_LEFT_SECONDS if of_a_look else _KEPT_SECONDS)):
                path.unlink()


def _remove(working: Path) -> None:
    for path in (working, working.with_name(f"{working.name}.lock")):
        with suppress(OSError):
            path.unlink()
