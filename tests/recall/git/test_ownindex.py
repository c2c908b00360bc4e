"""A look with an index of recall's own says what git says without, whatever was changed since the last one."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall.api import Deadline
from recall.git import repository, worktree
from recall.git.ownindex import copied
from recall.git.worktree import WorkTree
from support.repositories import ENV, Repo, needs_git

pytestmark = needs_git


def soon() -> Deadline:
    return Deadline.after(60)


def cache(repo: Repo) -> Path:
    return repo.home / "cache"


def look(repo: Repo) -> WorkTree:
    return worktree.look(repository.find(repo.top, repo.home, ENV, soon()), soon(), cache(repo))


def plain(repo: Repo) -> WorkTree:
    return worktree.look(repository.find(repo.top, repo.home, ENV, soon()), soon())


def kept(repo: Repo) -> list[str]:
    folder = cache(repo) / "git"
    return sorted(os.listdir(folder)) if folder.exists() else []


def start(repo: Repo) -> None:
    repo.commit("Start", {"a": "1", "b": "1", "src/a": "1", "src/deep/a": "1", ".gitignore": "out\n"})


FILES = ["a", "b", "src/a", "src/deep/a", "src/new", "new", "fresh/x", "fresh/deep/y", "out", "src/out/z"]
CONTENTS = ["1", "2", "3", "longer"]  # most of one size: only what is in them, or a time, tells them apart


def written(repo: Repo, name: str, text: str) -> None:
    path = repo.top / name
    if path.parent.is_file():
        path.parent.unlink()
    if path.is_dir():
        shutil.rmtree(path)
    repo.write({name: text})


def removed(repo: Repo, name: str, _text: str) -> None:
    path = repo.top / name
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def staged(repo: Repo, _name: str, _text: str) -> None:
    repo.git("add", "-A", check=False)  # a repository inside without a commit cannot be added


def committed(repo: Repo, _name: str, _text: str) -> None:
    repo.git("commit", "-q", "-m", "More", check=False)


def restored(repo: Repo, _name: str, _text: str) -> None:
    repo.git("reset", "-q", "--hard")


def unknown_to_git(repo: Repo, name: str, _text: str) -> None:
    repo.git("rm", "-q", "--cached", "--ignore-unmatch", "-r", name)


def ignored(repo: Repo, name: str, text: str) -> None:
    repo.write({("src/.gitignore" if text == "1" else ".gitignore"): f"{Path(name).name}\n"})


def excluded(repo: Repo, name: str, _text: str) -> None:
    (repo.top / ".git" / "info").mkdir(exist_ok=True)
    (repo.top / ".git" / "info" / "exclude").write_text(f"{name}\n")


def moved(repo: Repo, _name: str, text: str) -> None:
    source, target = repo.top / "src", repo.top / f"moved{text}"
    if source.is_dir() and not target.exists():
        source.rename(target)


def own_repository(repo: Repo, _name: str, text: str) -> None:
    Repo.new(repo.top / f"inner{text}", repo.home)


STEPS: list[Callable[[Repo, str, str], None]] = [
    *(written, written, removed, staged, committed, restored, unknown_to_git),
    *(ignored, excluded, moved, own_repository),
]
steps = st.lists(
    st.tuples(st.sampled_from(STEPS), st.sampled_from(FILES), st.sampled_from(CONTENTS)),
    min_size=1,
    max_size=6,
)


@contextmanager
def new_repo() -> Iterator[Repo]:
    with tempfile.TemporaryDirectory() as folder:
        yield Repo.new(Path(folder) / "project", Path(folder) / "home")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps)
def test_after_any_changes_it_says_what_git_says_of_the_repositorys_own_index(
    changes: list[tuple[Callable[[Repo, str, str], None], str, str]],
) -> None:
    with new_repo() as repo:
        start(repo)
        look(repo)
        for change, name, text in changes:
            change(repo, name, text)
            assert look(repo) == plain(repo)


def test_a_second_edit_of_the_same_size_in_the_same_moment_is_seen(repo: Repo) -> None:
    start(repo)
    for text in ("2", "1") * 5:
        repo.write({"src/deep/a": text})
        assert look(repo).changed == (text == "2")


def test_what_git_learned_is_kept_and_used_again(repo: Repo) -> None:
    start(repo)
    # What is as young as the look is not trusted, and would be kept anew.
    for folder, _folders, names in os.walk(repo.top):
        for name in (*names, "."):
            os.utime(os.path.join(folder, name), (1_700_000_000, 1_700_000_000))
    repo.git("update-index", "-q", "--refresh")
    look(repo)
    (name,) = kept(repo)
    before = (cache(repo) / "git" / name).stat()
    look(repo)
    assert kept(repo) == [name]
    assert (cache(repo) / "git" / name).stat().st_mtime_ns == before.st_mtime_ns
    assert b"UNTR" in (cache(repo) / "git" / name).read_bytes()  # the untracked cache
    assert before.st_mode & 0o077 == 0


def test_a_copy_is_dated_before_the_look_that_made_it(repo: Repo) -> None:
    """Git takes on trust only what is older than its index, so nothing that changes during a look is trusted."""
    start(repo)
    found = repository.find(repo.top, repo.home, ENV, soon())
    assert found.git_dir is not None
    with copied(found.git, found.git_dir, cache(repo), clock=lambda: 2_000_000_000.9) as own:
        assert own is not None
        assert own.git.run("status", deadline=soon()).ok
    (name,) = kept(repo)
    assert (cache(repo) / "git" / name).stat().st_mtime == 1_999_999_998


def test_the_copy_of_another_index_is_not_used_and_goes(repo: Repo) -> None:
    start(repo)
    look(repo)
    (first,) = kept(repo)
    repo.commit("More", {"more": "1"})
    assert look(repo).words() == "clean"
    (second,) = kept(repo)
    assert first != second


def test_an_index_that_changes_during_a_look_is_looked_at_again(repo: Repo) -> None:
    start(repo)
    repo.write({"a": "2"})
    found = repository.find(repo.top, repo.home, ENV, soon())
    assert found.git_dir is not None
    with copied(found.git, found.git_dir, cache(repo)) as own:
        assert own is not None
        assert not own.outdated
        repo.git("add", "a")
        assert own.outdated


def test_copies_of_looks_that_were_killed_and_old_ones_go(repo: Repo) -> None:
    start(repo)
    folder = cache(repo) / "git"
    folder.mkdir(parents=True)
    for name in ("0-1-a.tmp", "0-1-a.tmp.lock", "f-0"):
        (folder / name).write_bytes(b"")
    found = repository.find(repo.top, repo.home, ENV, soon())
    assert found.git_dir is not None
    in_two_months = max(path.stat().st_ctime for path in folder.iterdir()) + 60 * 86_400
    with copied(found.git, found.git_dir, cache(repo), clock=lambda: in_two_months) as own:
        assert own is not None
        assert own.git.run("status", deadline=soon()).ok
    (name,) = kept(repo)
    assert name not in ("0-1-a.tmp", "0-1-a.tmp.lock", "f-0")


@pytest.mark.parametrize("obstacle", ["a file in its place", "no index"])
def test_where_there_can_be_no_copy_git_looks_without(repo: Repo, obstacle: str) -> None:
    start(repo)
    if obstacle == "no index":
        (repo.top / ".git" / "index").unlink()
    else:
        cache(repo).write_bytes(b"")
    assert look(repo) == plain(repo)
    assert kept(repo) == [] if obstacle == "no index" else cache(repo).is_file()


def test_a_setting_that_splits_indexes_splits_neither(repo: Repo) -> None:
    start(repo)
    repo.git("config", "core.splitIndex", "true")
    before = repo.traces()
    look(repo)
    assert look(repo).looked
    assert repo.traces() == before
    assert not any(name.startswith("sharedindex") for name in os.listdir(cache(repo) / "git"))


def test_nothing_of_a_look_is_left_behind(repo: Repo) -> None:
    start(repo)
    look(repo)
    assert not [name for name in kept(repo) if name.endswith((".tmp", ".lock"))]
