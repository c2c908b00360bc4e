"""Whatever git answers is read or passed over: no output of it is an exception, and none is held whole."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recall.api import Deadline
from recall.git import commits, grep, history, worktree
from recall.git.command import Git
from recall.git.repository import Condition, find
from recall.transport.process import Result
from support.repositories import ENV, Repo, needs_git

MIB = 1 << 20
SHA = b"1" * 40


class Told:
    """Stands in for a run that has ended well."""

    def __init__(self, out: bytes) -> None:
        self._out = out

    def records(
        self, separator: bytes = b"\0", limit: int = MIB, *, shorten: bool = False
    ) -> Iterator[bytes]:
        yield from self._out.split(separator)[:-1]

    def result(self) -> Result:
        return Result(0)


def reading(out: bytes) -> history.Reading:
    return history.Reading(Told(out))  # type: ignore[arg-type]


PIECES = st.sampled_from(
    [
        *(
            b"\0",
            b"\n",
            b" ",
            b"> ",
            b"\x02",
            SHA,
            b"M",
            b"R100",
            b"a.py",
            b"\xff",
            b"9" * 5_000,
            b"-5",
            b"--",
        ),
        *(b"@@ ", b"@@ -1 +1 @@\n", b"@@ -1,2 +", b"diff --git a a\n", b"+++ a\n", b"--- ", b"-x\n", b"+y\n"),
        *(
            b"blob ",
            b"# branch.ab ",
            b"+1 -2",
            "+² -³".encode(),
            b"1 M. ",
            b"2 ",
            b"? ",
            b"12:",
            b"1" * 5_000 + b":",
        ),
    ]
)
ANSWERS = st.lists(PIECES | st.binary(max_size=8), max_size=30).map(b"".join)


@given(ANSWERS)
@example(b"diff --git a a\n@@ x\n")
@example(b"\x02" + SHA + b"\ndiff --git a a\n@@ -1 nonsense\n-x\n")
@example(b"# branch.ab " + "+² -³".encode() + b"\0")
@example(b"a\0" + b"1" * 5_000 + b":x\n")
def test_no_answer_of_git_is_an_exception(out: bytes) -> None:
    list(reading(out).listed())
    list(reading(out).changes())
    for sha, lines in reading(out).patches():
        assert isinstance(sha, str)
        list(lines)
    list(commits.parse(out.split(b"\0")))
    list(grep.Lines(Told(out)))  # type: ignore[arg-type]
    worktree._read(iter(out.split(b"\0")))


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (b"1700000000", 1_700_000_000),
        (b"-62135596800", -62_135_596_800),
        (b"253402300799", 253_402_300_799),
        (b"253402300800", 0),
        (b"9223372036854775808", 0),
        (b"9" * 5_000, 0),
        (b"-", 0),
        (b"", 0),
    ],
)
def test_a_date_that_no_calendar_has_is_none_and_its_commit_is_listed(written: bytes, told: int) -> None:
    sha = SHA.decode()
    assert list(reading(b"> " + SHA + b" 1 " + written + b"\n").listed()) == [history.Listed(sha, 1, told)]
    assert list(reading(b"> " + SHA + b" " + written + b" 1\n").listed()) == [history.Listed(sha, told, 1)]
    fields = [b"\x02" + SHA, b"", written, written, b"Kim", b"subject", b"", b""]
    (commit,) = commits.parse(fields)
    assert commit.committed == (datetime.fromtimestamp(int(written), UTC) if told else None)


def answering(repo: Repo, tmp_path: Path, out: str) -> str:
    """A PATH with a git that gives this answer to everything."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "answer").write_text(out)
    (folder / "git").write_text('#!/bin/sh\nexec /bin/cat "${0%/*}/answer"\n')
    (folder / "git").chmod(0o755)
    return str(folder)


@pytest.mark.parametrize(
    "out",
    ["", "\n", "false\nfalse\n", "false\nfalse\nnot an id\nrefs/heads/main\n\n", "\n" * 9, "x" * 100_000],
)
def test_a_git_that_answers_something_else_is_a_broken_repository(
    repo: Repo, tmp_path: Path, out: str
) -> None:
    found = find(repo.top, repo.home, {"PATH": answering(repo, tmp_path, out)}, Deadline.after(60))
    assert found.condition is Condition.BROKEN
    assert found.reason == "git answers something else than it is asked"


@needs_git
def test_a_line_of_any_length_in_a_commit_is_read_in_little_memory(repo: Repo) -> None:
    repo.commit("Start", {"a.py": "def one():\n    pass\n"})
    sha = repo.commit("Bundle", {"bundle.js": "var a=1;" * MIB, "a.py": "def two():\n    pass\n"})
    git = Git.of(repo.top, repo.home, ENV)
    tracemalloc.start()
    try:
        with history.patched(git, [sha], Deadline.after(60)) as running:
            found = {one: [lines.path for lines in files] for one, files in running.patches()}
            assert running.result.ok
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == {sha: ["a.py", "bundle.js"]}
    assert peak < 4 * MIB


@needs_git
def test_a_huge_file_is_no_text_to_be_compared(repo: Repo) -> None:
    sha = repo.commit("Dump", {"dump.sql": "x\n" * (9 * MIB), "a.py": "two = 2\n"})
    git = Git.of(repo.top, repo.home, ENV)
    with history.patched(git, [sha], Deadline.after(60)) as running:
        added = [len(lines.added) for _sha, files in running.patches() for lines in files]
    assert added == [1, 0]
