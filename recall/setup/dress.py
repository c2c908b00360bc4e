"""What a file has besides its content: owner, mode, extended attributes, given to the file that takes its place."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from recall.errors import UsageError

_OF_THE_SYSTEM = "security."  # labels and signatures, which the kernel gives by its own rules


def set_mode(descriptor: int, mode: int) -> None:
    """Set a mode, where the system has modes. Raises OSError."""
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)


def like(descriptor: int, path: Path, found: os.stat_result) -> None:
    """Give an open file what the file at a path has; UsageError if that cannot be. Raises OSError.

    Extended attributes, access lists among them, are given where Python reads them, which is on Linux.
    """
    _own(descriptor, path, found)
    if hasattr(os, "listxattr"):
        _attribute(descriptor, path)
    set_mode(descriptor, stat.S_IMODE(found.st_mode))  # last: a new owner takes bits of it away


def _own(descriptor: int, path: Path, found: os.stat_result) -> None:
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) == (found.st_uid, found.st_gid) or not hasattr(os, "fchown"):
        return
    try:
        os.fchown(descriptor, found.st_uid, found.st_gid)
    except PermissionError:
        raise UsageError(f"{path}: its owner or group cannot be kept; nothing was changed") from None


def _attribute(descriptor: int, path: Path) -> None:
    try:
        names = os.listxattr(path)
    except OSError:  # a file system without them
        return
    for name in names:
        value = os.getxattr(path, name)
        try:
            os.setxattr(descriptor, name, value)
        except OSError:
            if not name.startswith(_OF_THE_SYSTEM):
                raise UsageError(
                    f"{path}: its attribute {name} cannot be kept; nothing was changed"
                ) from None
