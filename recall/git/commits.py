"""Commits: which there are, and many of them read by one process.

Merges are compared with their first parent: what the merge brought into the branch it was made on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import NamedTuple

from recall import files
from recall.api import Deadline
from recall.git.command import Git
from recall.git.repository import Repository
from recall.git.statuses import paths_of
from recall.transport.process import Process, Result

_SHA = re.compile(rb"[0-9a-f]{40}([0-9a-f]{24})?")
_FIELDS = ("%H", "%P", "%ct", "%an", "%s", "%b", "%(trailers:only)")
# The mark cannot be taken for a change's status letter; no field can hold the NUL byte between them.
_MARK = b"\x02"
_FORMAT = f"--format=tformat:{'%x02' + '%x00'.join(_FIELDS)}%x00"
_PLAIN = ("log", "--stdin", "--no-walk=unsorted", "--no-color", "--no-show-signature", "--no-notes")
_FOLD = re.compile(r"\n[ \t]+")
_RENAMES = (
    400  # files on each side that are compared for renames: above it, an import of a tree takes seconds
)
_OUTPUT = 1 << 30  # bytes of one run's output: it is read as it comes, and never held


class Touched(NamedTuple):
    """One path that a commit changed, as it is shown: raw bytes as %XX, control characters escaped."""

    status: str  # A added, M modified, D deleted, R renamed, C copied, T type changed
    path: str
    old: str = ""  # where it was, of a rename or a copy


class Commit(NamedTuple):
    """One commit."""

    sha: str
    parents: tuple[str, ...]
    committed: datetime | None  # UTC; None for a date that is none
    author: str
    subject: str
    body: str  # without the trailers that end it
    trailers: tuple[str, ...]  # `Name: value`
    touched: tuple[Touched, ...]

    @property
    def is_wordless(self) -> bool:
        """Whether nobody wrote anything to it."""
        return not (self.subject or self.body or self.trailers)


class Unread(NamedTuple):
    """A commit that could not be read."""

    sha: str
    reason: str


class Shas(NamedTuple):
    """A list of commits, newest first."""

    shas: tuple[str, ...]
    more: bool  # there are older ones beyond the limit
    result: Result  # of the run that listed them, without its output


def rev_list(
    git: Git, revisions: Sequence[str], deadline: Deadline, *, most: int, paths: Sequence[str] = ()
) -> Shas:
    """Ids of the commits that `revisions` lead to, newest first; of those before a damaged one, none.

    revisions: ids, or names of refs in full; paths: only commits that touched one of them.
    """
    safe = [revision for revision in revisions if not revision.startswith("-")]
    limits = ("--", *paths) if paths else ("--",)
    asked = git.run("rev-list", f"--max-count={most + 1}", *safe, *limits, deadline=deadline)
    shas = _shas(asked)
    if not shas and not paths and not asked.ok and not asked.late:
        # Git tells of a commit only after it has read its parents.
        shas = _shas(git.run("rev-list", "--no-walk", *safe, *limits, deadline=deadline))
    return Shas(shas[:most], len(shas) > most, asked._replace(out=b""))


def _shas(asked: Result) -> tuple[str, ...]:
    return tuple(line.decode() for line in asked.out.split(b"\n") if _SHA.fullmatch(line))


def branches(git: Git, names: Sequence[str], deadline: Deadline) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids of the commits that branches are at, local and remote ones, and the names that no branch has.

    names: without `refs/heads/` or `refs/remotes/`; `*` stands for any part of one.
    """
    if not names:
        return (), ()
    kinds = ("refs/heads/", "refs/remotes/")
    patterns = [kind + name for name in names for kind in kinds]
    asked = git.run("for-each-ref", "--format=%(objectname) %(refname)", *patterns, deadline=deadline)
    lines = (line.partition(" ") for line in os.fsdecode(asked.out).split("\n"))
    pairs = [pair for pair in lines if _SHA.fullmatch(os.fsencode(pair[0]))]
    there = [ref.removeprefix(kinds[0]).removeprefix(kinds[1]) for _sha, _space, ref in pairs]
    missing = [name for name in names if not any(_matches(one, name) for one in there)]
    return tuple(dict.fromkeys(sha for sha, _space, _ref in pairs)), tuple(missing)


def _matches(branch: str, name: str) -> bool:
    return branch == name or branch.startswith(f"{name}/") or fnmatchcase(branch, name)


def read(repository: Repository, shas: Sequence[str], deadline: Deadline) -> Iterator[Commit | Unread]:
    """The commits, in the order asked for, each as soon as git gives it.

    One process reads all of them. Where git fails at one that is damaged, the others are read in smaller runs.
    Ends early when the time is over.
    """
    runs = [list(dict.fromkeys(sha for sha in shas if _SHA.fullmatch(sha.encode())))]
    while runs and not deadline.expired():
        run = runs.pop()
        if not run:
            continue
        done = 0
        last = None  # it may be torn, as long as git has not come to its end
        with _log(repository, run, deadline) as running:
            for commit in parse(running.records()):
                if last is not None:
                    done += 1
                    yield last
                last = commit
            result = running.result()
        if result.late:
            return
        if last is not None and not result.cut:
            done += 1
            yield last
        left = run[done:]
        if len(left) == 1:
            yield Unread(left[0], _why(result))
        elif left:
            # Stopped on the way, git failed at the next one; if it gave none, at any of them.
            middle = 1 if done or result.cut else len(left) // 2
            runs += [left[middle:], left[:middle]]


def _why(result: Result) -> str:
    if result.cut:
        return "it is too long to be read"
    return files.display_path(result.failed or result.last_line or "git left it out")


def brief(repository: Repository, shas: Sequence[str], deadline: Deadline) -> Iterator[Commit]:
    """The commits without their paths, a fraction of what reading costs; those without a word with them."""
    wordless: list[str] = []
    arguments = (*_PLAIN, "--no-patch", "-z", _FORMAT)
    with repository.git.start(*arguments, deadline=deadline, stdin=_lines(shas), limit=_OUTPUT) as running:
        for commit in parse(running.records()):
            if commit.is_wordless:
                wordless.append(commit.sha)
            else:
                yield commit
    yield from (one for one in read(repository, wordless, deadline) if isinstance(one, Commit))


def parse(records: Iterable[bytes]) -> Iterator[Commit]:
    """Commits out of the NUL-separated output of the log; of a torn output the last one's paths may be missing."""
    fields: list[bytes] = []
    touched: list[Touched] = []
    source = iter(records)
    for record in source:
        if record.startswith(_MARK):
            if fields:
                yield _commit(fields, touched)
            fields, touched = [record[1:]], []
            fields += [field for _name, field in zip(_FIELDS[1:], source, strict=False)]
            if len(fields) < len(_FIELDS):
                return  # torn
        elif fields and (status := record.lstrip(b"\n")):
            names = [files.display_path(os.fsdecode(name)) for name in paths_of(status, source)]
            if not names:
                return  # torn
            touched.append(Touched(status[:1].decode("ascii", "replace"), names[-1], *names[:-1]))
    if fields:
        yield _commit(fields, touched)


def _log(repository: Repository, shas: Sequence[str], deadline: Deadline) -> Process:
    return repository.git.start(
        *_PLAIN,
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=dirty",
        "--diff-merges=first-parent",
        # A similar file is found by reading both; a partial clone would have to fetch them.
        "--find-renames=100%" if partial(repository) else "--find-renames",
        f"-l{_RENAMES}",
        "--name-status",
        "-z",
        _FORMAT,
        deadline=deadline,
        stdin=_lines(shas),
        limit=_OUTPUT,
    )


def _lines(shas: Iterable[str]) -> bytes:
    return "".join(f"{sha}\n" for sha in shas).encode()


def partial(repository: Repository) -> bool:
    """Whether it is a partial clone, which lacks the contents of files until they are fetched."""
    packs = (repository.common_dir or repository.top) / "objects" / "pack"
    try:
        return any(name.endswith(".promisor") for name in os.listdir(packs))
    except (OSError, ValueError):
        return False


def _commit(fields: Sequence[bytes], touched: Sequence[Touched]) -> Commit:
    sha, parents, committed, author, subject, body, trailers = map(_text, fields)
    body, trailers = body.rstrip(), trailers.rstrip()
    if trailers and body.endswith(trailers):
        body = body.removesuffix(trailers).rstrip()
    return Commit(
        sha,
        tuple(parents.split()),
        _date(committed),
        author.strip(),
        subject.strip(),
        body.strip("\n"),
        tuple(filter(None, _FOLD.sub(" ", trailers).split("\n"))),
        tuple(touched),
    )


def _text(data: bytes) -> str:
    return files.decode(data).text


def _date(seconds: str) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return None
