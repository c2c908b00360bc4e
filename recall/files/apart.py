"""Paths that once hung: looked at in a process that can be killed, and passed over as long as they do not answer.

A thread that reads from a dead network folder cannot be ended. So a path at which a source hung is first looked at by a
child; if that does not answer either, nothing here touches the path, and it is told as a problem.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from recall.api import Deadline
from recall.errors import StoreBroken

if TYPE_CHECKING:
    from types import FrameType

REASON = "does not answer (it hung before); passed over until it does"
_MOUNTS = "/proc/self/mounts"
# File systems that somebody else answers for; `fuse.sshfs` and the like are told by their first part.
_REMOTE = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "fuse", "fuseblk"}
)
# Names under which code holds the path it is at, the most telling first ("newpath" is os.path.realpath's).
_TELLING = ("newpath", "path", "item", "found", "source", "name", "folder", "top", "self")
_FRAMES = 40  # of a thread that are looked at
# What a reader would do with the path: the first megabyte of a file, the names and kinds in a folder.
_CHILD = """
import os, stat, sys
path = os.fsdecode(bytes.fromhex(sys.argv[1]))
try:
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        with os.scandir(path) as listing:
            for _number, entry in zip(range(1000), listing):
                entry.stat(follow_symlinks=False)
    elif stat.S_ISREG(mode):
        with open(path, "rb", buffering=0) as file:
            file.read(1 << 20)
except OSError:
    pass
"""
COMMAND = (sys.executable, "-I", "-S", "-c", _CHILD)


class _Here(threading.local):
    """What the thread that reads does not touch: a thread begins without anything."""

    avoided: tuple[str, ...] = ()


_here = _Here()


@contextmanager
def avoiding(paths: Iterable[str]) -> Iterator[None]:
    """Within the block, this thread touches none of the paths, nor what lies below them."""
    before = _here.avoided
    _here.avoided = tuple(paths)
    try:
        yield
    finally:
        _here.avoided = before


def avoided() -> bool:
    """Whether this thread avoids anything."""
    return bool(_here.avoided)


def obstacle(path: str | os.PathLike[str]) -> str:
    """Why a path is not touched, "" if it may be; a link is judged by where it says that it leads."""
    paths = _here.avoided
    if not paths:
        return ""
    plain = os.path.normpath(os.fspath(path))
    if _lies_in(plain, paths):
        return REASON
    try:
        target = os.path.join(os.path.dirname(plain), os.readlink(plain))
    except (OSError, ValueError):
        return ""
    return REASON if _lies_in(os.path.normpath(target), paths) else ""


def require_answering(path: str | os.PathLike[str]) -> None:
    """Raise StoreBroken for a path that is not touched."""
    if reason := obstacle(path):
        raise StoreBroken(reason)


def _lies_in(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)


def unanswering(
    paths: Iterable[str], deadline: Deadline, *, command: Sequence[str] = COMMAND, mounts: str = _MOUNTS
) -> dict[str, str]:
    """Those of some paths that do not answer a child by the deadline, each with what is to be avoided for it.

    That is the path, or the whole network file system that it is on, if that does not answer either.

    command: the program that looks at a path, which is given as hexadecimal digits. mounts: the file that lists what
    is mounted.
    """
    paths = list(paths)
    tops = {path: _network_mount(path, mounts) for path in paths}
    silent = _silent({*paths, *filter(None, tops.values())}, deadline, command)
    return {path: tops[path] if tops[path] in silent else path for path in paths if path in silent}


def _silent(paths: Iterable[str], deadline: Deadline, command: Sequence[str]) -> set[str]:
    """The paths whose child had to be killed."""
    from recall.transport.process import Process

    with ExitStack() as stack:
        running: Mapping[str, Process] = {
            path: stack.enter_context(
                Process([*command, os.fsencode(path).hex()], cwd=os.sep, env={}, deadline=deadline)
            )
            for path in paths
        }
        return {path for path, process in running.items() if process.result().late}


def _network_mount(path: str, mounts: str) -> str:
    """The network file system that a path is on, "" if it is on none or that cannot be told."""
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            rows = [line.split(" ") for line in file]
    except OSError:
        return ""
    tops = {_unescaped(row[1]): row[2] for row in rows if len(row) > 2}
    top = max((top for top in tops if _lies_in(path, [top])), key=len, default="")
    return top if tops.get(top, "").partition(".")[0] in _REMOTE else ""


def _unescaped(text: str) -> str:
    """A path of /proc/mounts, where blanks are octal."""
    for code, character in ((r"\040", " "), (r"\011", "\t"), (r"\012", "\n"), (r"\134", "\\")):
        text = text.replace(code, character)
    return text


def where(thread: int | None) -> str:
    """The path that a thread, by its identifier, is at, as far as its frames tell; "" if they do not."""
    frame = sys._current_frames().get(thread or 0)
    for _number in range(_FRAMES):
        if frame is None:
            break
        if found := _held(frame):
            return found
        frame = frame.f_back
    return ""


def _held(frame: FrameType) -> str:
    try:
        values = dict(frame.f_locals)
    except Exception:  # it runs on meanwhile
        return ""
    for name in _TELLING:
        value = values.get(name)
        value = getattr(value, "path", value)  # an entry of a folder
        try:
            path = os.fspath(value) if isinstance(value, str | os.PathLike) else ""
        except Exception:  # somebody's own kind of path
            continue
        if isinstance(path, str) and os.path.isabs(path) and "\0" not in path:
            return os.path.normpath(path)
    return ""
