"""A short name for the state of a work tree: another one once anything in it differs otherwise than before.

`git status` alone is not enough: a file that was changed already looks the same to it after a second edit. So the
content of what differs is part of it, as far as that is small; of the rest, size and time.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from recall import files
from recall.api import Deadline
from recall.errors import StoreBroken
from recall.git.repository import Repository
from recall.git.worktree import WorkTree

_CONTENT = 256 << 10  # bytes of one file that are read
_ALL_CONTENT = 4 << 20  # bytes of all files that are read
_WALKED = 2_000  # files below folders that Git does not know
_LENGTH = 16  # hexadecimal digits: 64 bits, for comparing two states and not for security


def fingerprint(found: Repository, tree: WorkTree, deadline: Deadline) -> str:
    """The state of a work tree in 16 hexadecimal digits; "" if it was not looked at to the end.

    What recall itself keeps in the project is no part of it: else every checkpoint would change it.
    """
    if not tree.looked:
        return ""
    digest = hashlib.sha256(f"{found.head}\0{found.branch}\0{tree.changes}\0".encode("utf-8", "replace"))
    left = _ALL_CONTENT
    for name in _named(found.top, tree):
        if deadline.expired():
            return ""
        path = found.top / name
        data = _content(path, min(_CONTENT, left))
        left -= len(data)
        digest.update(os.fsencode(name) + b"\0" + (data or _stamp(path)) + b"\0")
    return digest.hexdigest()[:_LENGTH]


def _named(top: Path, tree: WorkTree) -> Iterator[str]:
    """Every file that differs, and every file below the folders that Git does not know."""
    walked = 0
    for name in tree.raw:
        if not name.endswith("/"):
            yield name
            continue
        for folder, below, names in os.walk(top / name):
            below.sort()
            for one in sorted(names):
                walked += 1
                if walked > _WALKED:
                    return
                yield os.path.relpath(os.path.join(folder, one), top)


def _content(path: Path, limit: int) -> bytes:
    """A small file's content; nothing of a large one, or of what is no file."""
    try:
        if os.path.islink(path) or os.lstat(path).st_size > limit:
            return b""
        return files.read_bytes(path, limit)
    except (OSError, ValueError, StoreBroken):
        return b""


def _stamp(path: Path) -> bytes:
    try:
        found = os.lstat(path)
        if stat.S_ISLNK(found.st_mode):
            return os.fsencode(os.readlink(path))
    except (OSError, ValueError):
        return b"gone"
    return f"{stat.S_IFMT(found.st_mode)}:{found.st_size}:{found.st_mtime_ns}".encode()
