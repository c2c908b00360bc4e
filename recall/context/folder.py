"""The folder `.context`: opened only where it is the user's own, files in it never through a link, and its lock.

The lock is an advisory one on an open file. The system takes it back when its process ends, however that ends; so
there is no stale lock, and the file stays.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recall.checkpoints import FOLDER
from recall.errors import ContextBusy, ContextUnavailable
from recall.files.reading import kind
from recall.wording import why

LOCK = ".lock"
PATIENCE = 10.0  # seconds a save waits for others: some hundred saves
_FOLDER_MODE, _FILE_MODE = 0o700, 0o600
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_PAUSES = (0.001, 0.002, 0.004, 0.008, 0.015)  # seconds between two tries, the last one from then on


class Folder:
    """An open `.context`: all names are of files directly in it."""

    def __init__(self, path: Path, descriptor: int, owners: frozenset[int]) -> None:
        self.path = path
        self._descriptor = descriptor
        self._owners = owners

    def open(self, name: str, flags: int) -> int:
        """A regular file of the user's, through no link; raises FileNotFoundError, ContextUnavailable."""
        place = self.path / name
        try:
            descriptor = os.open(name, flags | _SAFE, _FILE_MODE, dir_fd=self._descriptor)
        except FileNotFoundError:
            if flags & os.O_CREAT:
                raise ContextUnavailable(f"{self.path}: was removed just now", "save it again") from None
            raise
        except OSError as error:
            link = os.path.islink(place)
            said = "a link, which is not followed" if link else f"cannot be opened: {why(error)}"
            in_the_way = link or isinstance(error, IsADirectoryError)
            raise ContextUnavailable(f"{place}: {said}", _MOVE if in_the_way else "") from None
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise ContextUnavailable(f"{place}: not a regular file but {kind(found.st_mode)}", _MOVE)
            _require_own(place, found, self._owners)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def sync(self) -> None:
        """Make the names in it durable; raises OSError."""
        os.fsync(self._descriptor)

    def sync_names(self) -> None:
        """Make the names in it and its own durable; raises ContextUnavailable."""
        try:
            self.sync()
            above = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(above)
            finally:
                os.close(above)
        except OSError as error:
            raise ContextUnavailable(
                f"{self.path}: cannot be made durable: {why(error)}; nothing was saved"
            ) from None

    @contextmanager
    def locked(self, seconds: float = PATIENCE) -> Iterator[None]:
        """Hold the lock; raises ContextBusy if others hold it for that long."""
        import fcntl

        descriptor = self.open(LOCK, os.O_RDWR | os.O_CREAT)
        try:
            until = time.monotonic() + seconds
            tries = 0
            while True:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    pass
                except OSError as error:
                    raise ContextUnavailable(f"{self.path / LOCK}: cannot be locked: {why(error)}") from None
                if time.monotonic() >= until:
                    raise ContextBusy(
                        f"{self.path}: others are saving, and did not end in {seconds:g} s", "save it again"
                    )
                time.sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
                tries += 1
            yield
        finally:
            os.close(descriptor)  # and the lock with it


_MOVE = "move it away; recall writes only into a folder and files of its own"


@contextmanager
def opened(root: Path, *, make: bool = False) -> Iterator[Folder | None]:
    """The folder of the project at `root`, None if there is none; `make` makes it.

    Raises ContextUnavailable for a link, another user's, anything that is no folder.
    """
    path = root / FOLDER
    try:
        if make:
            _make(path)
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _SAFE)
    except FileNotFoundError:
        yield None
        return
    except OSError as error:
        raise _obstacle(path, error) from None
    try:
        owners = frozenset({os.geteuid(), os.stat(root).st_uid})
        _require_own(path, os.fstat(descriptor), owners)
        yield Folder(path, descriptor, owners)
    finally:
        os.close(descriptor)


def _make(path: Path) -> None:
    try:
        os.mkdir(path, _FOLDER_MODE)
    except FileExistsError:
        pass


def _obstacle(path: Path, error: OSError) -> ContextUnavailable:
    if os.path.islink(path):
        return ContextUnavailable(f"{path}: a link, which is not followed", _MOVE)
    if os.path.lexists(path) and not os.path.isdir(path):
        return ContextUnavailable(f"{path}: not a folder", _MOVE)
    return ContextUnavailable(f"{path}: cannot be used: {why(error)}")


def _require_own(path: Path, found: os.stat_result, owners: frozenset[int]) -> None:
    if found.st_uid not in owners:
        raise ContextUnavailable(
            f"{path}: belongs to another user ({found.st_uid}), neither you nor the project's owner", _MOVE
        )
