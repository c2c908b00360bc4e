"""The name of a work tree's state."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from recall.api import Deadline
from recall.git import worktree
from recall.git.fingerprint import fingerprint
from recall.git.repository import find
from support.repositories import ENV, Repo, needs_git

pytestmark = needs_git


def mark(repo: Repo) -> str:
    found = find(repo.top, repo.home, ENV, Deadline.after(60))
    return fingerprint(found, worktree.look(found, Deadline.after(60)), Deadline.after(60))


def second_edit(repo: Repo) -> None:
    repo.write({"a": "third"})


def new_file(repo: Repo) -> None:
    repo.write({"나.md": "새 파일"})


def deeper_file(repo: Repo) -> None:
    repo.write({"loose/deep/x": "other"})


def removal(repo: Repo) -> None:
    (repo.top / "b").unlink()


def staged(repo: Repo) -> None:
    repo.git("add", "a")


def committed(repo: Repo) -> None:
    repo.commit("More")


def branched(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "other")


def relinked(repo: Repo) -> None:
    (repo.top / "link").unlink()
    (repo.top / "link").symlink_to("b")


CHANGES = [second_edit, new_file, deeper_file, removal, staged, committed, branched, relinked]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_every_change_gives_another_name(repo: Repo, change: Callable[[Repo], None]) -> None:
    repo.commit("Start", {"a": "first", "b": "1"})
    repo.write({"a": "second", "loose/deep/x": "1"})
    (repo.top / "link").symlink_to("a")
    before = mark(repo)
    change(repo)
    assert mark(repo) != before


def test_the_same_state_has_the_same_name_whenever_it_is_looked_at(repo: Repo) -> None:
    repo.commit("Start", {"a": "first"})
    repo.write({"a": "second"})
    before = mark(repo)
    os.utime(repo.top / "a", (1, 1))
    repo.write({"a": "third"})
    repo.write({"a": "second"})
    assert before == mark(repo) != ""


def test_checkpoints_in_the_project_are_no_part_of_it(repo: Repo) -> None:
    repo.commit("Start", {"a": "first"})
    before = mark(repo)
    repo.write({".context/CONVERSATION.jsonl": "{}"})
    assert mark(repo) == before
    repo.commit("Keep it", {})
    kept = mark(repo)
    repo.write({".context/CONVERSATION.jsonl": "{}\n{}"})
    assert mark(repo) == kept


def test_a_large_file_counts_by_its_size_and_time(repo: Repo) -> None:
    repo.commit("Start", {"a": "1"})
    repo.write({"big": "x" * (300 << 10)})
    os.utime(repo.top / "big", (1, 1))
    before = mark(repo)
    os.utime(repo.top / "big", (2, 2))
    assert mark(repo) != before


def test_a_tree_that_cannot_be_compared_has_no_name(repo: Repo) -> None:
    found = find(repo.top, repo.home, ENV, Deadline.after(60))
    assert fingerprint(found, worktree.NOT_LOOKED, Deadline.after(60)) == ""


def test_no_pipe_in_the_work_tree_is_opened(repo: Repo) -> None:
    repo.commit("Start", {"a": "1"})
    (repo.top / "loose").mkdir()
    os.mkfifo(repo.top / "loose" / "pipe")
    repo.write({"loose/x": "1"})
    assert mark(repo)
