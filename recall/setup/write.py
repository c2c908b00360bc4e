"""Changing a settings file of somebody else's program: all of it or nothing, and never without a backup."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from recall import files
from recall.errors import Overtaken, StoreBroken, Unreadable, UsageError
from recall.files import swap
from recall.setup import dress
from recall.wording import why

_MARK = "\ufeff"
_PRIVATE = 0o600
_ROUNDS = 10  # each is one more change by somebody else within microseconds


@dataclass(frozen=True, slots=True)
class Settings:
    """A settings file as it was read."""

    path: Path  # the real file, links followed
    text: str  # without a byte-order mark
    mark: str = ""
    found: os.stat_result | None = None  # None: there is no such file yet
    new_mode: int = _PRIVATE

    def encoded(self, text: str) -> bytes:
        """A text as this file holds it."""
        return (self.mark + text).encode("utf-8")


def read(path: Path, limit: int, new_mode: int = _PRIVATE) -> Settings:
    """The file at a path; one that does not exist is empty, and will get `new_mode`.

    limit: bytes. Raises UsageError for anything that cannot be read whole.
    """
    real = Path(os.path.realpath(path))
    try:
        found = os.stat(real)
    except FileNotFoundError:
        return Settings(real, "", new_mode=new_mode)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read: {why(error)}") from None
    try:
        data = files.read_bytes(real, limit + 1)
        if len(data) > limit:
            raise UsageError(f"{path}: larger than {limit:,} bytes; nothing was changed")
        text = data.decode("utf-8")
    except StoreBroken as error:
        raise UsageError(f"{path}: cannot be read: {error}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not valid UTF-8 at byte {error.start}; nothing was changed") from None
    mark = _MARK if text.startswith(_MARK) else ""
    return Settings(real, text.removeprefix(_MARK), mark, found)


def require_replaceable(settings: Settings) -> None:
    """Raises Unreadable for a file that would lose more by being replaced than its content."""
    if settings.found is None:
        return
    if settings.found.st_nlink > 1:
        raise Unreadable(
            f"it has {settings.found.st_nlink} names (hard links), and would be cut from the others"
        )
    if not settings.found.st_mode & 0o222 or not os.access(settings.path, os.W_OK):
        raise Unreadable("it is read-only")


def replace(settings: Settings, text: str, now: float) -> Path | None:
    """Put a new text in the file's place; its backup, if there was a file.

    The backup is the file that was there, the new one has its mode, owner and extended attributes. Raises
    Overtaken if the file was changed by somebody else since it was read, and UsageError if it cannot be written:
    nothing is changed then, and nothing of anybody's lost.
    """
    try:
        data = settings.encoded(text)
        new = _written_beside(settings, data)
    except (OSError, UnicodeEncodeError) as error:
        raise UsageError(f"{settings.path}: cannot be written: {why(error)}") from None
    backup = None
    try:
        if settings.found is None:
            swap.place(new, settings.path)
            return None
        backup = _reserved(settings.path, now)
        _exchange(settings, new, data)
        os.replace(new, backup)
    except BaseException as error:
        kept = _cleared(new, data, backup)
        if kept is not None and isinstance(error, OSError | StoreBroken | UsageError):
            raise UsageError(
                f"{settings.path}: somebody changed it while it was being replaced; what was there is in {kept}",
                "run this again",
            ) from None
        if isinstance(error, FileExistsError | FileNotFoundError):
            raise _overtaken(settings) from None
        if isinstance(error, OSError):
            raise UsageError(f"{settings.path}: cannot be written: {why(error)}") from None
        raise
    return backup


def _exchange(settings: Settings, new: Path, data: bytes) -> None:
    """The new file and the one that was read change places; with any other one in its place nothing does."""
    if not _is_as_read(settings, settings.path):
        raise _overtaken(settings)
    swap.exchange(new, settings.path)
    # What came out shows whether somebody was quicker: no look beforehand can.
    if not _is_as_read(settings, new) or _content(new) != settings.encoded(settings.text):
        _put_back(new, settings.path, data)
        raise _overtaken(settings)


def _put_back(new: Path, path: Path, data: bytes) -> None:
    """Exchange again, until what comes out is what was put in last: anything else is newer than what went in."""
    last = data
    for _ in range(_ROUNDS):
        with files.open_regular(
            new
        ) as given:  # read afterwards: the file has stood in the wrong place long enough
            swap.exchange(new, path)
            if _content(new) == last:
                return
            last = given.read()


def _cleared(new: Path, data: bytes, backup: Path | None) -> Path | None:
    """Take away what is ours; where anything of somebody else's is kept."""
    if not os.path.lexists(new):
        return backup
    if backup is None or _content(new) == data:
        for leftover in filter(None, (new, backup)):
            leftover.unlink(missing_ok=True)
        return None
    with suppress(OSError):
        os.replace(new, backup)
        return backup
    return new


def _written_beside(settings: Settings, data: bytes) -> Path:
    """The new content under a name of its own in the same folder, safely on the disk."""
    descriptor, name = tempfile.mkstemp(prefix=f".{settings.path.name}.", dir=settings.path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if settings.found is None:
                dress.set_mode(file.fileno(), settings.new_mode)
            else:
                dress.like(file.fileno(), settings.path, settings.found)
            os.fsync(file.fileno())
    except BaseException:
        os.unlink(name)
        raise
    return Path(name)


def _reserved(path: Path, now: float) -> Path:
    """An empty file beside it, under a backup's name that nothing had yet."""
    moment = datetime.fromtimestamp(now, UTC).strftime("%Y%m%d%H%M%S")
    names = (f"{path.name}.bak-{moment}{f'-{number}' if number > 1 else ''}" for number in count(1))
    return next(found for found in map(path.with_name, names) if _made(found))


def _made(path: Path) -> bool:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE))
    except FileExistsError:
        return False
    return True


def _is_as_read(settings: Settings, path: Path) -> bool:
    try:
        now = os.lstat(path)
    except FileNotFoundError:
        return False
    then = settings.found
    return then is not None and _stamp(now) == _stamp(then)


def _stamp(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_ino, found.st_size, found.st_mtime_ns


def _content(path: Path) -> bytes | None:
    """All of a file, None if it cannot be read as one."""
    try:
        return files.read_bytes(path, os.lstat(path).st_size + 1)
    except (OSError, StoreBroken):
        return None


def _overtaken(settings: Settings) -> Overtaken:
    return Overtaken(f"{settings.path}: somebody changed it meanwhile; nothing was changed", "run this again")
