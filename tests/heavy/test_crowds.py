"""A work tree with very many files that Git does not know: the right state, and a line that says it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from recall.api import Deadline, State
from recall.git import present
from recall.git.present import Present
from recall.git.repository import Condition
from recall.render import plain
from recall_git.provider import GitProvider
from support.repositories import ENV, Repo, needs_git
from support.worlds import make_engine, make_scope

pytestmark = [pytest.mark.heavy, needs_git]

CROWD = 200_000
SECONDS = 300.0  # enough for any machine: what is asserted is what is found, not how fast


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repo]:
    """One commit, and beside it a folder of files that nobody added; nothing of it is kept for a later look."""
    folder = tmp_path_factory.mktemp("crowd")
    scope = make_scope(folder)
    repo = Repo.new(scope.root, scope.home)
    repo.commit("결제 재시도를 네 번으로 늘린다", {"retry.py": "4"})
    fill(scope.root / "build")
    yield repo
    shutil.rmtree(folder)


def fill(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        for number in range(CROWD):
            os.mknod(f"{number:06}.tmp", 0o600, dir_fd=descriptor)
    finally:
        os.close(descriptor)


def now(repo: Repo, deadline: Deadline) -> Present:
    return present.look(repo.top, repo.home, ENV, deadline)


def head(repo: Repo) -> str:
    return repo.git("rev-parse", "--short=7", "HEAD")


def test_a_folder_of_untracked_files_counts_once_and_the_answer_says_so(repo: Repo) -> None:
    folder = repo.top.parent
    engine = make_engine(folder, [GitProvider()], scope=make_scope(folder, env=ENV, in_git=True))
    found = engine.recall("결제 재시도", deadline=SECONDS)
    (outcome,) = found.outcomes
    assert (outcome.state, outcome.late, len(found.hits)) == (State.READY, False, 1)
    assert found.present is not None
    assert (found.present.state, found.present.files, found.present.more) == (Condition.READY, ("build/",), 0)
    assert plain.answer(found).startswith(f"now: main @ {head(repo)} · 1 untracked\n")


def test_what_is_ignored_is_no_difference_however_much_it_is(repo: Repo) -> None:
    (repo.top / ".git" / "info" / "exclude").write_text("build/\n")
    found = now(repo, Deadline.after(SECONDS))
    (repo.top / ".git" / "info" / "exclude").write_text("")
    assert (found.state, found.words()) == (Condition.READY, f"main @ {head(repo)} · clean")


def test_a_crowd_in_a_folder_with_a_file_that_git_knows_is_counted_to_the_last(repo: Repo) -> None:
    (repo.top / "build" / "known.py").write_text("1")
    repo.git("add", "build/known.py")
    repo.git("commit", "-q", "-m", "Known")
    found = now(repo, Deadline.after(SECONDS))
    assert (found.state, found.words()) == (Condition.READY, f"main @ {head(repo)} · {CROWD:,} untracked")
    assert (len(found.files), found.more) == (5, CROWD - 5)


def test_without_time_for_the_crowd_the_line_says_that_and_nothing_is_invented(repo: Repo) -> None:
    found = now(repo, Deadline.after(0))
    assert (found.state, found.files) == (Condition.LATE, ())
    assert found.words() == "out of time: git did not answer in time"
