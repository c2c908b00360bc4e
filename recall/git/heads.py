"""Whether a repository's history is still the one that was looked at, told from a few small files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from recall import files
from recall.errors import ProviderError
from recall.git.folders import folders

_SMALL = 4_096  # bytes of HEAD and of a branch's file

Mark = tuple[object, ...]


def mark(top: Path) -> Mark | None:
    """Something that changes when HEAD leads to another commit, or another part of the history is there.

    It may change without that, too. None if the files do not tell: then git has to be asked.
    """
    git_dir, common_dir = folders(top)
    if git_dir is None or common_dir is None:
        return None
    head = _read(git_dir / "HEAD")
    if head is None:
        return None
    branch = None
    if head.startswith(b"ref: "):
        ref = os.fsdecode(head.removeprefix(b"ref: ").strip())
        branch = _read(common_dir / ref) or _read(git_dir / ref)
        if branch is not None and branch.startswith(b"ref:"):
            return None  # a name for another name
    stamps = [
        _stamp(folder / name)
        for folder in dict.fromkeys((common_dir, git_dir))
        for name in ("packed-refs", "shallow", "reftable/tables.list")
    ]
    return (head, branch, *stamps)


def _read(path: Path) -> bytes | None:
    try:
        return files.read_bytes(path, _SMALL)
    except ProviderError:
        return None


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # a NUL in a name is a ValueError
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


class Head(NamedTuple):
    """Where HEAD is; empty where the files do not tell (a branch without a commit, a reftable)."""

    branch: str = ""  # "" if HEAD is on none
    commit: str = ""  # full id


def current(top: Path) -> Head:
    """Branch and commit of the repository at `top`, told from its files; git is not run."""
    git_dir, common_dir = folders(top)
    head = _read(git_dir / "HEAD") if git_dir is not None else None
    if head is None or git_dir is None or common_dir is None:
        return Head()
    if not head.startswith(b"ref: "):
        return Head("", _commit(head))
    name = head.removeprefix(b"ref: ").strip()
    ref = os.fsdecode(name)
    if ref == _NOWHERE or ".." in ref.split("/"):
        return Head()
    loose = _read(common_dir / ref) or _read(git_dir / ref) or b""
    return Head(ref.removeprefix("refs/heads/"), _commit(loose) or _packed(common_dir, name))


_NOWHERE = "refs/heads/.invalid"  # what HEAD says where refs are in a reftable
_COMMIT = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def _commit(text: bytes) -> str:
    word = text.strip()
    return word.decode() if _COMMIT.fullmatch(word) else ""


def _packed(common_dir: Path, name: bytes) -> str:
    try:
        data = files.read_bytes(common_dir / "packed-refs", files.READ_LIMIT)
    except ProviderError:
        return ""
    lines = (line.partition(b" ") for line in data.split(b"\n"))
    return next((_commit(commit) for commit, _, ref in lines if ref == name), "")
