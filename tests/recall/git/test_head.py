"""Branch and commit, told from a repository's files: the same that git says."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall.git import heads
from recall.git.heads import Head
from support.repositories import Repo, needs_git

pytestmark = needs_git


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo.new(tmp_path / "shop-api", tmp_path / "home")
    made.commit("first", {"a": "1"})
    return made


def commit(repo: Repo) -> str:
    return repo.git("rev-parse", "HEAD")


def test_a_branch_with_its_commit_loose_or_packed(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "feature/결제")
    assert heads.current(repo.top) == Head("feature/결제", commit(repo))
    repo.git("pack-refs", "--all")
    assert heads.current(repo.top) == Head("feature/결제", commit(repo))


def test_a_detached_head_is_on_no_branch(repo: Repo) -> None:
    repo.git("checkout", "-q", "--detach")
    assert heads.current(repo.top) == Head("", commit(repo))


def test_a_linked_work_tree_has_a_head_of_its_own(repo: Repo) -> None:
    tree = repo.home / "side"
    repo.git("worktree", "add", "-q", "-b", "side", str(tree))
    assert heads.current(tree) == Head("side", commit(repo))


def test_an_unborn_branch_has_no_commit_and_a_folder_without_git_has_nothing(tmp_path: Path) -> None:
    assert heads.current(Repo.new(tmp_path / "new", tmp_path / "home").top) == Head("main", "")
    (tmp_path / "plain").mkdir()
    assert heads.current(tmp_path / "plain") == Head()


@pytest.mark.parametrize(
    "content", [b"", b"ref: refs/heads/.invalid\n", b"ref: ../../../etc/passwd\n", b"\xff\0"]
)
def test_a_head_that_tells_nothing_is_nothing(repo: Repo, content: bytes) -> None:
    (repo.top / ".git" / "HEAD").write_bytes(content)
    assert heads.current(repo.top) == Head()
