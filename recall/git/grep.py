"""Where names stand in the work tree, and what files held at a commit."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from recall.api import Deadline
from recall.git.command import Git
from recall.transport.process import Process, Result

_OUTPUT = 256 << 20  # bytes of one run's output: it is read as it comes
_LINE = 4 << 20  # bytes of one line
_CONTENT = 2 << 20  # bytes of one file at a commit
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
) -> Iterator[Lines]:
    """Lines of text files that hold one of `names` as a word, while git finds them.

    untracked: files that git does not know and that are not ignored, too.
    commit: as they were there, rather than as they are in the work tree.
    """
    pattern = "|".join(_SPECIAL.sub(r"\\\1", name) for name in names)
    options = ["--no-color", "--no-textconv", "--no-column", "-I", "-n", "-z", "-w", "--full-name", "-E"]
    options += ["--untracked"] if untracked else []
    arguments = [*options, "-e", pattern, *([commit] if commit else []), "--", *paths]
    with git.start("grep", *arguments, deadline=deadline, limit=_OUTPUT) as process:
        yield Lines(process)


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
