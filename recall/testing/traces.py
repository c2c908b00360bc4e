"""What a provider may leave behind: changes in folders, threads, child processes."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

_PROC = "/proc"


class Trace(NamedTuple):
    """One file, folder or link as it is; access times, which reading may change, are left out."""

    mode: int
    mtime_ns: int
    size: int
    content: bytes  # of a link: its target, and its target's bytes


def snapshot(*folders: Path) -> dict[str, Trace]:
    """Everything below the folders: kind, bytes (of a link: its target's too), mode and modification time."""
    seen: dict[str, Trace] = {}
    for top in folders:
        for folder, folders_below, files in os.walk(top):
            for name in (*folders_below, *files, "."):
                path = os.path.join(folder, name)
                found = os.lstat(path)
                content = b""
                if os.path.islink(path):
                    content = os.fsencode(os.readlink(path)) + b"\0"
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        content += file.read()
                seen[path] = Trace(found.st_mode, found.st_mtime_ns, found.st_size, content)
    return seen


def glance(paths: Iterable[str]) -> dict[str, tuple[int, int, int] | None]:
    """Mode, size and modification time (ns) of single files and folders, without reading them; None: not there."""
    seen: dict[str, tuple[int, int, int] | None] = {}
    for path in paths:
        try:
            found = os.lstat(path)
        except (OSError, ValueError):
            seen[path] = None
        else:
            seen[path] = (found.st_mode, found.st_size, found.st_mtime_ns)
    return seen


def differences(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    """What is new, gone or changed, a line each."""
    lines = [f"new: {path}" for path in sorted(after.keys() - before.keys())]
    lines += [f"gone: {path}" for path in sorted(before.keys() - after.keys())]
    lines += [
        f"changed: {path}" for path in sorted(before.keys() & after.keys()) if before[path] != after[path]
    ]
    return lines


def threads() -> set[threading.Thread]:
    """The threads that run now."""
    return set(threading.enumerate())


def children() -> set[int]:
    """The process ids of this process's children, ended ones that nobody waited for included.

    Empty where the system has no /proc.
    """
    own = os.getpid()
    try:
        names = os.listdir(_PROC)
    except OSError:
        return set()
    return {int(name) for name in names if name.isdigit() and own in _parent(name)}


def _parent(pid: str) -> Iterator[int]:
    try:
        with open(f"{_PROC}/{pid}/stat", "rb") as file:
            # "pid (name) state parent ...": the name may hold anything, so the last parenthesis counts.
            yield int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return
