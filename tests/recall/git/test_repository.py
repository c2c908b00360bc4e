"""Every state that a repository can be found in has its word."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from recall.api import Deadline
from recall.git import heads, present
from recall.git.repository import Condition, Repository, find
from support.repositories import ENV, Repo, needs_git

pytestmark = needs_git


def soon() -> Deadline:
    return Deadline.after(60)


def look(repo: Repo, folder: Path | None = None, **env: str) -> Repository:
    return find(folder or repo.top, repo.home, {**ENV, **env}, soon())


def test_a_repository_with_commits_is_ready(repo: Repo) -> None:
    sha = repo.commit("First", {"a.py": "1"})
    found = look(repo)
    assert (found.condition, found.head, found.branch) == (Condition.READY, sha, "main")
    assert (found.top, found.git_dir, found.common_dir) == (repo.top, repo.top / ".git", repo.top / ".git")
    assert not any((found.shallow, found.bare, found.worktree, found.submodule, found.elsewhere))
    assert found.ready
    assert not found.reason


def test_a_folder_inside_leads_to_the_top(repo: Repo) -> None:
    repo.commit("First", {"src/deep/a.py": "1"})
    assert look(repo, repo.top / "src" / "deep").top == repo.top


def test_a_branch_without_a_commit_is_unborn(repo: Repo) -> None:
    found = look(repo)
    assert (found.condition, found.branch, found.head) == (Condition.UNBORN, "main", "")
    assert (found.reason, found.next_step) == ("no commit yet", "commit something")


def test_a_detached_head_is_on_no_branch(repo: Repo) -> None:
    sha = repo.commit()
    repo.git("checkout", "-q", "--detach")
    found = look(repo)
    assert (found.condition, found.head, found.branch) == (Condition.READY, sha, "")


def test_outside_git_there_is_none_and_git_is_not_run(tmp_path: Path) -> None:
    found = find(tmp_path, tmp_path, {"PATH": "/nowhere"}, soon())
    assert found.condition is Condition.NONE


def test_a_linked_worktree_knows_its_own_head_and_the_common_folder(repo: Repo, tmp_path: Path) -> None:
    first = repo.commit()
    repo.git("worktree", "add", "-q", "-b", "fix", str(tmp_path / "fix"))
    repo.commit("On main only")
    found = look(repo, tmp_path / "fix")
    assert (found.condition, found.branch, found.head) == (Condition.READY, "fix", first)
    assert found.worktree
    assert not found.submodule
    assert found.common_dir == repo.top / ".git"
    assert found.git_dir == repo.top / ".git" / "worktrees" / "fix"


def test_a_submodule_is_told(repo: Repo, tmp_path: Path) -> None:
    library = Repo.new(tmp_path / "library", repo.home)
    sha = library.commit("In the library", {"b.py": "1"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.top), "vendor")
    found = look(repo, repo.top / "vendor")
    assert (found.condition, found.head, found.submodule) == (Condition.READY, sha, True)
    assert not found.worktree
    assert not found.elsewhere


def test_a_shallow_clone_is_told(repo: Repo, tmp_path: Path) -> None:
    repo.commit("One")
    head = repo.commit("Two")
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.top}", str(tmp_path / "clone"))
    found = look(repo, tmp_path / "clone")
    assert (found.condition, found.head, found.shallow) == (Condition.READY, head, True)


def test_a_bare_repository_is_told(repo: Repo, tmp_path: Path) -> None:
    head = repo.commit()
    repo.git("clone", "-q", "--bare", str(repo.top), str(tmp_path / "bare"))
    found = look(repo, tmp_path / "bare")
    assert (found.condition, found.head, found.bare) == (Condition.READY, head, True)


def test_a_branch_of_every_script_and_of_raw_bytes_can_be_shown(repo: Repo) -> None:
    repo.commit()
    repo.git("checkout", "-q", "-b", "결제/재시도")
    assert look(repo).branch == "결제/재시도"
    repo.git("checkout", "-q", "-b", b"caf\xe9")
    assert look(repo).branch == "caf%E9"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_another_user_is_untrusted(repo: Repo) -> None:
    repo.commit()
    for path in (repo.top, repo.top / ".git"):
        os.chown(path, 65534, 65534)
    found = look(repo)
    assert found.condition is Condition.UNTRUSTED
    assert "belongs to another user" in found.reason
    assert f"`git config --global --add safe.directory {repo.top}`" in found.next_step


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_the_user_has_declared_safe_is_ready(repo: Repo) -> None:
    repo.commit()
    for path in (repo.top, repo.top / ".git"):
        os.chown(path, 65534, 65534)
    repo.home.joinpath(".gitconfig").write_text(f"[safe]\n\tdirectory = {repo.top}\n")
    assert look(repo).ready


def test_a_damaged_commit_at_the_top_is_broken_with_gits_own_words(repo: Repo) -> None:
    sha = repo.commit()
    stored = repo.top / ".git" / "objects" / sha[:2] / sha[2:]
    stored.chmod(0o644)
    stored.write_bytes(b"garbage")
    found = look(repo)
    assert found.condition is Condition.BROKEN
    assert found.reason.startswith("git says: ")
    assert "corrupt" in found.reason
    assert "git fsck" in found.next_step


@pytest.mark.parametrize("damage", ["head", "empty", "file"])
def test_a_damaged_git_folder_is_broken_and_no_repository_above_it_answers(
    repo: Repo, tmp_path: Path, damage: str
) -> None:
    repo.commit("Above", {"inner/a": "1"})
    inner = Repo.new(repo.top / "inner", repo.home)
    inner.commit("Below")
    dot_git = inner.top / ".git"
    if damage == "head":
        (dot_git / "HEAD").write_bytes(b"\x00\xff nonsense")
    else:
        shutil.rmtree(dot_git)
        dot_git.mkdir() if damage == "empty" else dot_git.write_bytes(b"\xff\x00 no gitdir")
    found = look(repo, inner.top)
    assert found.condition is Condition.BROKEN
    assert found.top == inner.top
    assert found.reason.startswith("git says: ")


def test_a_settings_file_that_cannot_be_read_is_broken_with_its_place(repo: Repo) -> None:
    repo.commit()
    (repo.top / ".git" / "config").write_text("[core\nnonsense")
    found = look(repo)
    assert found.condition is Condition.BROKEN
    assert "bad config line" in found.reason


def test_without_a_git_program_that_is_the_word(repo: Repo) -> None:
    found = look(repo, PATH="/nowhere")
    assert (found.condition, found.next_step) == (Condition.NO_GIT, "install Git")


def test_without_time_that_is_the_word(repo: Repo) -> None:
    repo.commit()
    found = find(repo.top, repo.home, ENV, Deadline.after(0))
    assert found.condition is Condition.LATE


def test_a_work_tree_that_the_settings_put_elsewhere_is_told(repo: Repo, tmp_path: Path) -> None:
    repo.commit()
    (tmp_path / "secret").mkdir()
    repo.git("config", "core.worktree", str(tmp_path / "secret"))
    assert look(repo).elsewhere


def test_git_variables_of_the_environment_do_nothing(repo: Repo, tmp_path: Path) -> None:
    other = Repo.new(tmp_path / "other", repo.home)
    other.commit("Other")
    sha = repo.commit("Own")
    found = look(
        repo,
        GIT_DIR=str(other.top / ".git"),
        GIT_WORK_TREE=str(other.top),
        GIT_INDEX_FILE=str(tmp_path / "index"),
        GIT_OBJECT_DIRECTORY=str(tmp_path / "objects"),
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0="core.worktree",
        GIT_CONFIG_VALUE_0=str(other.top),
        GIT_TRACE=str(tmp_path / "trace"),
    )
    assert (found.top, found.head, found.elsewhere) == (repo.top, sha, False)
    assert not (tmp_path / "trace").exists()


def test_an_environment_is_not_carried_about_in_the_record(repo: Repo) -> None:
    assert "hunter2" not in repr(look(repo, DATABASE_PASSWORD="hunter2"))


def test_a_folder_with_a_line_end_in_its_name_is_found(tmp_path: Path) -> None:
    odd = Repo.new(tmp_path / "a\nb 'c' \"d\"", tmp_path / "home")
    sha = odd.commit()
    found = look(odd)
    assert (found.top, found.head, found.elsewhere) == (odd.top, sha, False)


@pytest.mark.parametrize("name", ["commondir", ".git"])
def test_a_file_that_names_no_folder_there_can_be_is_a_broken_repository(repo: Repo, name: str) -> None:
    repo.commit()
    if name == ".git":
        shutil.move(repo.top / ".git", repo.top / "kept")
        (repo.top / ".git").write_bytes(b"gitdir: kept\0more\n")
    else:
        # Git takes the name up to the NUL byte, and finds everything where it was.
        (repo.top / ".git" / "commondir").write_bytes(b".\0more")
    found = look(repo)
    assert found.condition is Condition.BROKEN
    assert found.reason
    assert heads.mark(repo.top) is None
    now = present.look(repo.top, repo.home, ENV, soon())
    assert now.state == "broken repository"
    assert not now.tree.looked


def test_a_worktree_and_a_submodule_know_the_checkout_around_them(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Start", {"a": "1"})
    repo.git("worktree", "add", "-q", str(tmp_path / "side"))
    outer = Repo.new(tmp_path / "outer", repo.home)
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repo.top), "part")
    for top, around in ((tmp_path / "side", repo.top), (outer.top / "part", outer.top)):
        planted = around / "node_modules" / ".bin"
        planted.mkdir(parents=True)
        (planted / "git").write_text("#!/bin/sh\nexit 1\n")
        (planted / "git").chmod(0o755)
        found = look(repo, top, PATH=f"{planted}:{ENV['PATH']}")
        assert found.condition is Condition.READY
        assert str(planted) not in found.git.environment["PATH"]
