"""Whether a server still runs: it holds a lock for as long as it lives, and the system lets go of it whatever happens.

    <state folder>/continuity/servers/<name>.lock

A process number would not do: it is given to another process once the first has ended.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from pathlib import Path

_NAME = re.compile(r"[0-9a-f]{16}")
_YOUNG = 60.0  # seconds


class Presence:
    """A running server's lock."""

    def __init__(self, state: Path) -> None:
        """Take it; raises OSError where recall's state cannot be written."""
        self.name = os.urandom(8).hex()
        folder = _folder(state)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self._path = folder / f"{self.name}.lock"
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        self._descriptor = os.open(self._path, flags, 0o600)
        _lock(self._descriptor)
        _sweep(folder)

    def close(self) -> None:
        """Let go of it."""
        with contextlib.suppress(OSError):
            self._path.unlink()
        with contextlib.suppress(OSError):
            os.close(self._descriptor)


def is_present(state: Path, name: str) -> bool:
    """Whether the server of that name still runs."""
    return bool(_NAME.fullmatch(name)) and _is_held(_folder(state) / f"{name}.lock")


def _folder(state: Path) -> Path:
    return state / "continuity" / "servers"


def _is_held(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return False
    try:
        return not _lock(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Take the lock if nobody holds it; whether it was taken."""
    try:
        import fcntl
    except ImportError:  # Windows: nobody can be told to have ended
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sweep(folder: Path) -> None:
    """Remove what servers left behind that were killed."""
    with contextlib.suppress(OSError):
        for path in folder.glob("*.lock"):
            # One that was made just now may not be locked yet.
            if time.time() - path.stat().st_mtime > _YOUNG and not _is_held(path):
                with contextlib.suppress(OSError):
                    path.unlink()
