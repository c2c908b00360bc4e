"""The history in bulk: which commits there are, which paths each touched, which lines each took away.

Everything is read as git gives it, so that what came before the deadline is not lost. Merges are left out where
changes are asked for: what they bring in is told of the commits that made it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from recall.api import Deadline
from recall.git.command import Git
from recall.git.statuses import paths_of
from recall.transport.process import Process, Result

_MARK = b"\x02"  # no line of a diff and no status begins with it
_OUTPUT = 1 << 30  # bytes of one run's output: it is read as it comes, and never held
# Bytes of a line of a diff that are told: more than of any line that a person wrote. What a program made (a bundle,
# a dump) may be one line of any length.
_LINE = 16 << 10
_LARGE_FILE = "core.bigFileThreshold=16m"  # above it git takes a file for binary, and compares no lines of it
_HUNK = re.compile(rb"@@ -\d+(?:,(?P<left>\d{1,9}))? \+\d+(?:,(?P<right>\d{1,9}))? @@")
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SECONDS = re.compile(r"-?[0-9]{1,12}")
_FIRST, _LAST = (
    -62_135_596_800,
    253_402_300_799,
)  # the years 1 to 9999, which every date that is shown lies in
_RENAMES = 400  # files on each side that are compared for renames
_QUIET = (
    "--no-color",
    "--no-show-signature",
    "--no-notes",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=dirty",
    "--submodule=short",
    "--diff-merges=off",
    f"-l{_RENAMES}",
)


class Listed(NamedTuple):
    """A commit in a listing; dates are epoch seconds, 0 for one that is no date of any calendar, as Git shows it."""

    sha: str
    authored: int
    committed: int
    side: str = ">"  # of a comparison of two histories: "<" only in the first, ">" only in the second
    parents: tuple[str, ...] = ()


class Change(NamedTuple):
    """What became of one path in a commit; the path is as the file system has it."""

    status: str  # A, M, D, T; R for the new name of a renamed file
    path: str
    old: str = ""


class Changes(NamedTuple):
    """One commit's paths."""

    sha: str
    changes: tuple[Change, ...]


class Lines(NamedTuple):
    """The lines of one file that a commit took away and put in."""

    path: str
    removed: list[bytes]
    added: list[bytes]


class Reading:
    """An answer that is read as it comes; `result` is there once it has ended."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @property
    def result(self) -> Result:
        """What became of the run."""
        return self._process.result()

    def listed(self) -> Iterator[Listed]:
        """The commits of a listing."""
        for line in self._process.records(b"\n"):
            parts = line.decode("ascii", "replace").split(" ")
            if len(parts) >= 4 and _SHA.fullmatch(parts[1]):
                parents = tuple(filter(None, parts[4:]))
                yield Listed(parts[1], _seconds(parts[2]), _seconds(parts[3]), parts[0], parents)

    def changes(self) -> Iterator[Changes]:
        """Each commit's paths, once they are known to be all of them."""
        sha, found = "", list[Change]()
        records = self._process.records()
        for record in records:
            if record.startswith(_MARK):
                if sha:
                    yield Changes(sha, tuple(found))
                sha, found = record[1:].decode("ascii", "replace"), []
            elif status := record.lstrip(b"\n"):
                names = [os.fsdecode(name) for name in paths_of(status, records)]
                if names:
                    found.append(Change(status[:1].decode("ascii", "replace"), names[-1], *names[:-1]))
        if sha and self.result.ok:
            yield Changes(sha, tuple(found))

    def patches(self) -> Iterator[tuple[str, Iterator[Lines]]]:
        """Each commit with its files' lines, long ones shortened; read a commit's lines before the next commit."""
        lines = _Pushable(self._process.records(b"\n", _LINE, shorten=True))
        for line in lines:
            if line.startswith(_MARK):
                yield line[1:].decode("ascii", "replace"), _files(lines)

    def files(self) -> Iterator[Lines]:
        """The files of one comparison, with their lines."""
        return _files(_Pushable(self._process.records(b"\n", _LINE)))


class _Pushable:
    """Lines, of which the last one can be put back."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        self._back: bytes | None = None

    def __iter__(self) -> _Pushable:
        return self

    def __next__(self) -> bytes:
        if self._back is not None:
            line, self._back = self._back, None
            return line
        return next(self._lines)

    def put_back(self, line: bytes) -> None:
        """The next line is this one."""
        self._back = line


@contextmanager
def commits(git: Git, tip: str, deadline: Deadline, *, skip: int, most: int) -> Iterator[Reading]:
    """The commits that `tip` leads to, newest first."""
    arguments = (
        *_QUIET,
        "--format=tformat:> %H %at %ct %P",
        f"--skip={skip}",
        f"--max-count={most}",
        "--no-patch",
    )
    with git.start("log", *arguments, tip, "--", deadline=deadline, limit=_OUTPUT) as process:
        yield Reading(process)


@contextmanager
def difference(git: Git, old: str, new: str, deadline: Deadline) -> Iterator[Reading]:
    """The commits that only one of two histories has."""
    arguments = (*_QUIET, "--left-right", "--format=tformat:%m %H %at %ct %P", "--no-patch")
    with git.start("log", *arguments, f"{old}...{new}", "--", deadline=deadline, limit=_OUTPUT) as process:
        yield Reading(process)


@contextmanager
def touched(git: Git, shas: Sequence[str], deadline: Deadline, *, by_content: bool) -> Iterator[Reading]:
    """The paths of some commits, in their order; `by_content`: renames are told by similar content, too."""
    renames = "--find-renames" if by_content else "--find-renames=100%"
    with _log(git, shas, deadline, renames, "--name-status", "-z", "--format=tformat:%x02%H%x00") as process:
        yield Reading(process)


@contextmanager
def patched(git: Git, shas: Sequence[str], deadline: Deadline) -> Iterator[Reading]:
    """The changed lines of some commits, in their order, without their context."""
    options = (
        "--find-renames",
        "--unified=0",
        "--inter-hunk-context=0",
        "--no-prefix",
        "--no-indent-heuristic",
        "--diff-algorithm=myers",
    )
    git = git._replace(settings=(*git.settings, _LARGE_FILE))
    with _log(git, shas, deadline, *options, "--format=tformat:%x02%H", "--patch") as process:
        yield Reading(process)


@contextmanager
def between(git: Git, old: str, new: str, deadline: Deadline, limit: int) -> Iterator[Reading]:
    """The changed lines of two commits as wholes, also in files marked as no text; `limit`: bytes at which it ends."""
    options = ("--text", "--no-renames", "--unified=0", "--inter-hunk-context=0", "--no-prefix", "--patch")
    quiet = ("--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--submodule=short")
    arguments = ("-r", *quiet, *options, old, new, "--")
    with git.start("diff-tree", *arguments, deadline=deadline, limit=limit) as process:
        yield Reading(process)


def _log(git: Git, shas: Sequence[str], deadline: Deadline, *options: str) -> Process:
    return git.start(
        "log",
        "--stdin",
        "--no-walk=unsorted",
        "--ignore-missing",
        *_QUIET,
        *options,
        deadline=deadline,
        stdin="".join(f"{sha}\n" for sha in shas).encode(),
        limit=_OUTPUT,
    )


def _files(lines: _Pushable) -> Iterator[Lines]:
    """The files of one commit's patch."""
    current: Lines | None = None
    inside = False  # a hunk: a line that begins with "-- " there is one that begins with "- "
    left = right = 0
    for line in lines:
        if line.startswith(_MARK):
            lines.put_back(line)
            break
        if current is not None and inside and (left or right) and line[:1] in (b"-", b"+"):
            if line[:1] == b"-":
                current.removed.append(line[1:])
                left -= 1
            else:
                current.added.append(line[1:])
                right -= 1
        elif line.startswith(b"diff --git "):
            if current is not None:
                yield current
            current, inside = Lines("", [], []), False
        elif line.startswith(b"@@ ") and current is not None:
            left, right = _sizes(line)
            inside = True
        elif current is not None and not inside and line[:4] in (b"--- ", b"+++ "):
            name = line[4:].rstrip(b"\t")
            if name != b"/dev/null":
                current = current._replace(path=os.fsdecode(name.strip(b'"')))
    if current is not None:
        yield current


def _sizes(header: bytes) -> tuple[int, int]:
    """How many lines a hunk takes away and puts in: `@@ -3,2 +3 @@` is 2 and 1."""
    found = _HUNK.match(header)
    return (int(found["left"] or 1), int(found["right"] or 1)) if found else (0, 0)


def _seconds(text: str) -> int:
    """A date of the log, of which a commit may hold any number; out of every calendar it is none."""
    seconds = int(text) if _SECONDS.fullmatch(text) else 0
    return seconds if _FIRST <= seconds <= _LAST else 0
