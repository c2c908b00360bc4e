"""Where names stand in the work tree, and what files held at a commit."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from recall.api import Deadline
from recall.git.command import Git
from recall.transport.process import Process, Result

_OUTPUT = 256 << 20  # bytes of one run's output: it is read as it comes
_LINE = 4 << 20  # bytes of one line
_CONTENT = 2 << 20  # bytes of one file at a commit
_PATTERN = 16 << 10  # bytes of one pattern
MOST_PATHS = 96 << 10  # bytes of the paths of one run
_OPTIONS = ("--no-color", "--no-textconv", "--no-column", "-z", "-w", "--full-name", "-E", "-f", "-")
_PLACE = re.compile(rb"(?P<line>\d{1,12})[:\0]")
_SPECIAL = re.compile(r"([\\.^$*+?()\[\]{}|])")
_HEADER = re.compile(rb"[0-9a-f]+ (?P<kind>\w+) (?P<size>\d{1,18})")


class Line(NamedTuple):
    """A line that holds one of the names looked for; the path is as the file system has it."""

    path: str
    number: int
    text: str


class Lines:
    """Lines as git finds them; `result` is there once it has ended."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @property
    def result(self) -> Result:
        """What became of the run; it ends with 1 when it found nothing."""
        return self._process.result()

    def __iter__(self) -> Iterator[Line]:
        for record in self._process.records(b"\n", _LINE):
            name, _, rest = record.partition(b"\0")
            if place := _PLACE.match(rest):
                text = rest[place.end() :].decode("utf-8", "replace")
                yield Line(os.fsdecode(name), int(place.group("line")), text)


@contextmanager
def lines_with(
    git: Git,
    names: Sequence[str],
    deadline: Deadline,
    *,
    untracked: bool = False,
    commit: str = "",
    paths: Sequence[str] = (),
    text: bool = False,
    cached: bool = False,
) -> Iterator[Lines]:
    """Lines of text files that hold one of `names` as a word, while git finds them.

    untracked: files that git does not know and that are not ignored, too.
    commit: as they were there, rather than as they are in the work tree.
    paths: at most what `parts` puts together, for a command line has its limit.
    text: take every file for text.
    cached: as the index has them.
    """
    options = [*_OPTIONS, "-n", "-a" if text else "-I"]
    options += ["--untracked"] if untracked else ["--cached"] if cached else []
    arguments = [*options, *([commit] if commit else []), "--", *paths]
    with git.start("grep", *arguments, deadline=deadline, stdin=_patterns(names), limit=_OUTPUT) as process:
        yield Lines(process)


def marked_with(git: Git, names: Sequence[str], deadline: Deadline) -> list[str]:
    """Files that hold one of `names` as a word, and that attributes mark as no text, or as without a patch."""
    ran = git.run("grep", *_OPTIONS, "-a", "-l", "--", deadline=deadline, stdin=_patterns(names))
    if not ran.out:
        return []
    asked = git.run("check-attr", "--stdin", "-z", "diff", deadline=deadline, stdin=ran.out)
    told = os.fsdecode(asked.out).split("\0")
    return [path for path, value in zip(told[::3], told[2::3], strict=False) if value == "unset"]


def parts(items: Iterable[str], most: int) -> Iterator[list[str]]:
    """Items in parts of at most `most` bytes each, or of a single one."""
    part, size = list[str](), 0
    for item in items:
        length = len(os.fsencode(item)) + 1
        if part and size + length > most:
            yield part
            part, size = [], 0
        part.append(item)
        size += length
    if part:
        yield part


def _patterns(names: Sequence[str]) -> bytes:
    """One pattern a line for what git reads from its stdin: an argument must not be longer than 128 KiB."""
    escaped = (_SPECIAL.sub(r"\\\1", name) for name in names)
    return "".join("|".join(part) + "\n" for part in parts(escaped, _PATTERN)).encode()


def contents(git: Git, commits: Sequence[str], path: str, deadline: Deadline) -> dict[str, str]:
    """A file's text at each of some commits; those at which it is not there, or too large, are left out."""
    if "\n" in path:
        return {}
    asked = "".join(f"{commit}:{path}\n" for commit in commits)
    ran = git.run("cat-file", "--batch", deadline=deadline, stdin=os.fsencode(asked))
    found: dict[str, str] = {}
    out, place = ran.out, 0
    for commit in commits:
        end = out.find(b"\n", place)
        header = _HEADER.fullmatch(out[place:end]) if end >= 0 else None
        place = end + 1
        if header is None:
            if end < 0:
                break
            continue
        size = int(header.group("size"))
        if header.group("kind") == b"blob" and size <= _CONTENT and place + size < len(out):
            found[commit] = out[place : place + size].decode("utf-8", "replace")
        place += size + 1
    return found


def untracked(git: Git, deadline: Deadline) -> tuple[list[str], bool]:
    """Files that git neither knows nor ignores, and whether that is all of them."""
    ran = git.run("ls-files", "--others", "--exclude-standard", "-z", deadline=deadline)
    return [path for path in os.fsdecode(ran.out).split("\0") if path], ran.ok


def kept_out(git: Git, deadline: Deadline) -> tuple[list[str], bool]:
    """Files of the index that git keeps out of a work tree and of a search in it, and whether that is all of them.

    They lie outside of a sparse checkout, or somebody set the bit `skip-worktree` to change them for himself.
    """
    with git.start("ls-files", "-t", "-z", deadline=deadline, limit=_OUTPUT) as running:
        found = [os.fsdecode(record[2:]) for record in running.records() if record.startswith(b"S ")]
        return found, running.result().ok


def in_index(git: Git, paths: Sequence[str], deadline: Deadline) -> dict[str, str]:
    """The index's letter for each of some paths that it holds: H for most, S for one outside a sparse checkout."""
    ran = git.run("ls-files", "-t", "-z", "--", *paths, deadline=deadline)
    records = os.fsdecode(ran.out).split("\0")
    return {
        path: letter
        for record in records
        if (parts := record.partition(" "))[2]
        for letter, _, path in (parts,)
    }
