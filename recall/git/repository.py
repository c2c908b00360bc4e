"""Which repository a folder is the top of, and in which state; never an exception."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from recall import files
from recall.api import Deadline
from recall.git import folders
from recall.git.command import Git
from recall.transport.process import Result

_SMALL = 65_536  # bytes of an answer
_FSCK = "`git fsck` in the project's folder tells more"
_OTHER_ANSWER = "git answers something else than it is asked"
_BRANCHES = "refs/heads/"
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Condition(StrEnum):
    """What a look at a repository found, in a word or two that can be shown."""

    READY = "ready"
    UNBORN = "unborn branch"  # no commit yet
    NONE = "no repository"
    UNTRUSTED = "untrusted owner"
    BROKEN = "broken repository"
    NO_GIT = "no git program"
    LATE = "out of time"


class Repository(NamedTuple):
    """One look at a repository. Everything but `condition` and `top` is as far as it was found out."""

    condition: Condition
    git: Git  # how it is asked further
    top: Path  # the work tree's top folder; the folder asked about where there is none
    git_dir: Path | None = None
    common_dir: Path | None = None  # of the main checkout when this is a linked worktree, else `git_dir`
    head: str = ""  # full commit id; "" without a commit
    branch: str = ""  # as it is shown; "" if HEAD is detached
    shallow: bool = False  # older history was never fetched
    bare: bool = False
    elsewhere: bool = False  # its settings put the work tree into another folder
    reason: str = ""  # why it is not ready, one line
    next_step: str = ""

    @property
    def ready(self) -> bool:
        """Whether it has commits that can be read."""
        return self.condition is Condition.READY

    @property
    def worktree(self) -> bool:
        """Whether it is a linked worktree."""
        return self.git_dir != self.common_dir

    @property
    def submodule(self) -> bool:
        """Whether its history is kept by a repository around it."""
        return (
            not self.worktree
            and self.git_dir is not None
            and self.git_dir.parent != self.top
            and "modules" in self.git_dir.parts
        )


def find(folder: Path, home: Path, env: Mapping[str, str], deadline: Deadline) -> Repository:
    """The repository that `folder` lies in, told from files and one run of git.

    home, env: the user's; git is told nothing else of this process.
    """
    return asked(located(folder, home, env), deadline)


def located(folder: Path, home: Path, env: Mapping[str, str]) -> Repository:
    """The repository that `folder` lies in as far as files tell it; git has yet to be asked."""
    top = folders.top(Path(os.path.realpath(folder)))
    if top is None:
        none = Git.of(folder, home, env)
        return Repository(Condition.NONE, none, folder, reason="not in a Git repository")
    git_dir, common_dir = folders.folders(top)
    git = Git.of(top, home, env, folder, *_around(common_dir))
    return Repository(Condition.BROKEN, git, top, git_dir, common_dir)


def asked(found: Repository, deadline: Deadline) -> Repository:
    """What git says of a repository that was located, by one run."""
    if found.condition is Condition.NONE:
        return found
    said = found.git.run(
        "rev-parse",
        "--is-shallow-repository",
        "--is-bare-repository",
        "HEAD^{commit}",
        "--symbolic-full-name",
        "HEAD",
        "--show-cdup",
        deadline=deadline,
        limit=_SMALL,
    )
    lines = os.fsdecode(said.out).split("\n")
    if len(lines) > 1:
        found = found._replace(shallow=lines[0] == "true", bare=lines[1] == "true")
    if not said.ok:
        return _unready(found, said, deadline)
    if len(lines) < 4 or not _SHA.fullmatch(lines[2]):
        return found._replace(reason=_OTHER_ANSWER, next_step=_FSCK)
    if found.git_dir is None or found.common_dir is None:
        reason = "a file of it names a folder that cannot be told"
        return found._replace(git_dir=None, common_dir=None, reason=reason, next_step=_FSCK)
    return found._replace(
        condition=Condition.READY,
        head=lines[2],
        branch=shown_branch(lines[3]),
        elsewhere=not found.bare and "\n".join(lines[4:]).strip("\n") != "",
    )


def _around(common_dir: Path | None) -> Iterable[Path]:
    """The checkout that a repository's history is kept in: a worktree's main one, a submodule's outer one."""
    places = common_dir.parents if common_dir is not None else ()
    return [place for place in places if os.path.lexists(place / ".git")][:1]


def shown_branch(ref: str) -> str:
    """A branch's name as it can be shown; "" for a HEAD that is on none."""
    return files.display_path(ref.removeprefix(_BRANCHES)) if ref.startswith(_BRANCHES) else ""


def _unready(found: Repository, asked: Result, deadline: Deadline) -> Repository:
    condition, reason, next_step = _trouble(asked, found.top)
    if condition is Condition.BROKEN:
        named = found.git.run("symbolic-ref", "-q", "HEAD", deadline=deadline, limit=_SMALL)
        ref = os.fsdecode(named.out).removesuffix("\n")
        if named.ok:
            found = found._replace(branch=shown_branch(ref))
            there = found.git.run("show-ref", "--verify", "-q", ref, deadline=deadline, limit=_SMALL)
            if there.code == 1:
                return found._replace(
                    condition=Condition.UNBORN, reason="no commit yet", next_step="commit something"
                )
        said = found.git.run("cat-file", "-e", "HEAD", deadline=deadline, limit=_SMALL)
        condition, reason, next_step = _trouble(said if not said.ok and said.last_line else asked, found.top)
    return found._replace(condition=condition, reason=reason, next_step=next_step)


def _trouble(result: Result, top: Path) -> tuple[Condition, str, str]:
    """A run that failed, as a state, a reason and a next step."""
    if result.missing:
        return Condition.NO_GIT, "none is on the PATH", "install Git"
    if result.late:
        return Condition.LATE, "git did not answer in time", "ask again with a longer deadline"
    if result.cut:
        return Condition.BROKEN, _OTHER_ANSWER, _FSCK
    line = files.display_path(result.failed or result.last_line or f"git ended with {result.code}")
    if "dubious ownership" in result.err or "unsafe repository" in result.err:
        reason = "it belongs to another user, and git does not read such a repository unless it is told to"
        command = f"git config --global --add safe.directory {shlex.quote(files.display_path(top))}"
        return Condition.UNTRUSTED, reason, f"`{command}`, if you trust it"
    return Condition.BROKEN, f"git says: {line}", _FSCK
