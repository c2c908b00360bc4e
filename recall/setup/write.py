"""Changing a settings file of somebody else's program: all of it or nothing, and never without a backup."""

from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from recall import files
from recall.errors import StoreBroken, UsageError
from recall.wording import why

_LIMIT = 64 << 20  # bytes; Claude Code keeps its history of prompts in the same file
_MARK = "\ufeff"
_PRIVATE = 0o600
_Stamp = tuple[int, int, int]  # file number, bytes, modification time


@dataclass(frozen=True, slots=True)
class Settings:
    """A settings file as it was read."""

    path: Path  # the real file, links followed
    text: str  # without a byte-order mark
    mark: str = ""
    stamp: _Stamp | None = None  # None: there is no such file yet
    mode: int = _PRIVATE
    owner: tuple[int, int] | None = None


def read(path: Path, new_mode: int = _PRIVATE) -> Settings:
    """The file at a path; one that does not exist is empty, and will get `new_mode`.

    Raises UsageError for anything that cannot be read whole.
    """
    real = Path(os.path.realpath(path))
    try:
        found = os.stat(real)
    except FileNotFoundError:
        return Settings(real, "", mode=new_mode)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read: {why(error)}") from None
    try:
        data = files.read_bytes(real, _LIMIT + 1)
        text = data.decode("utf-8")
    except StoreBroken as error:
        raise UsageError(f"{path}: cannot be read: {error}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not valid UTF-8 at byte {error.start}; nothing was changed") from None
    if len(data) > _LIMIT:
        raise UsageError(f"{path}: larger than {_LIMIT:,} bytes; nothing was changed")
    mark = _MARK if text.startswith(_MARK) else ""
    return Settings(
        real,
        text.removeprefix(_MARK),
        mark,
        _stamp(found),
        stat.S_IMODE(found.st_mode),
        (found.st_uid, found.st_gid),
    )


def replace(settings: Settings, text: str, now: float) -> Path | None:
    """Put a new text in the file's place; its backup, if there was a file.

    The file keeps its mode and owner. Raises UsageError, with nothing changed, if it cannot be written or was
    changed by somebody else since it was read.
    """
    try:
        data = (settings.mark + text).encode("utf-8")
        new = _written_beside(settings, data)
    except (OSError, UnicodeEncodeError) as error:
        raise UsageError(f"{settings.path}: cannot be written: {why(error)}") from None
    backup = None
    try:
        backup = _backup(settings, now)
        if _stamp_now(settings.path) != settings.stamp:
            raise UsageError(
                f"{settings.path}: somebody changed it meanwhile; nothing was changed", "run this again"
            )
        os.replace(new, settings.path)
    except BaseException as error:
        for leftover in filter(None, (new, backup)):
            leftover.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise UsageError(f"{settings.path}: cannot be written: {why(error)}") from None
        raise
    return backup


def _written_beside(settings: Settings, data: bytes) -> Path:
    """The new content under a name of its own in the same folder, safely on the disk."""
    descriptor, name = tempfile.mkstemp(prefix=f".{settings.path.name}.", dir=settings.path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            _dress(file.fileno(), settings)
            os.fsync(file.fileno())
    except BaseException:
        os.unlink(name)
        raise
    return Path(name)


def _dress(descriptor: int, settings: Settings) -> None:
    if settings.owner is not None and hasattr(os, "fchown"):
        try:
            os.fchown(descriptor, *settings.owner)
        except PermissionError:
            pass  # somebody else's file in a folder of ours: it becomes ours, as with any editor
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, settings.mode)


def _backup(settings: Settings, now: float) -> Path | None:
    """A copy beside the file, under a name that nothing has yet."""
    if settings.stamp is None:
        return None
    moment = datetime.fromtimestamp(now, UTC).strftime("%Y%m%d%H%M%S")
    name = f"{settings.path.name}.bak-{moment}"
    number = 1
    while True:
        path = settings.path.with_name(name if number == 1 else f"{name}-{number}")
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
            break
        except FileExistsError:
            number += 1
    with os.fdopen(descriptor, "wb") as file:
        file.write((settings.mark + settings.text).encode("utf-8"))
        _dress(file.fileno(), settings)
    return path


def _stamp(found: os.stat_result) -> _Stamp:
    return found.st_ino, found.st_size, found.st_mtime_ns


def _stamp_now(path: Path) -> _Stamp | None:
    try:
        return _stamp(os.stat(path))
    except FileNotFoundError:
        return None
