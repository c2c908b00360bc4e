"""Commits as memories: which there are, what is said of each, and how the repository stands."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recall.api import Deadline, Entry, Memory, Problem, State
from recall.errors import DeadlineExceeded, NotConfigured, StoreAbsent, StoreBroken, StoreBusy
from recall.git.command import Git
from recall_git.memories import memory
from recall_git.provider import GitProvider
from support.repositories import Repo, needs_git

from .conftest import World

pytestmark = needs_git


def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that git is run with from now on."""
    seen: list[str] = []
    start = Git.start

    def watched(self: Git, *arguments: str, **rest: Any) -> Any:
        seen.append(arguments[0])
        return start(self, *arguments, **rest)

    monkeypatch.setattr(Git, "start", watched)
    return seen


def test_a_commit_is_a_memory_with_its_words_trailers_and_paths(world: World) -> None:
    world.repo.commit("Start", {"a.py": "1" * 50, "b.py": "2"})
    world.repo.git("mv", "a.py", "c.py")
    (world.repo.top / "b.py").unlink()
    sha = world.repo.commit("결제 재시도를 네 번으로\n\nThe bank asked.\n\nRefs: #12\n", {"new.py": "3"})
    assert world.memory(sha) == Memory(
        id=sha,
        title="결제 재시도를 네 번으로",
        text="결제 재시도를 네 번으로\n\nThe bank asked.\n\nRefs: #12\n\n"
        "added: new.py\ndeleted: b.py\nrenamed: a.py -> c.py",
        project="shop-api",
        created=datetime.fromtimestamp(1_760_000_000 + 2 * 3_600, UTC),
        updated=datetime.fromtimestamp(1_760_000_000 + 2 * 3_600, UTC),
        date_origin="git",
        kind="commit",
        extra={"author": "Kim Dev", "files": "3"},
    )


def test_entries_are_the_commits_of_head_newest_first(world: World) -> None:
    shas = [world.repo.commit(f"Change {number}") for number in range(3)]
    world.repo.git("checkout", "-q", "-b", "side", "HEAD~")
    side = world.repo.commit("Side")
    assert world.keys() == [side, *shas[1::-1]]


def test_a_merge_that_says_nothing_is_no_memory_and_one_with_words_is(world: World) -> None:
    world.repo.commit("Base", {"a": "1"})
    kept = {}
    for name, message in {
        "silent": "Merge branch 'silent'",
        "spoken": "Merge pull request #7 from kim/spoken\n\nRetry four times",
        "named": "Bring the new scheduler in",
    }.items():
        world.repo.git("checkout", "-q", "-b", name)
        world.repo.commit(f"Work on {name}", {name: "1"})
        world.repo.git("checkout", "-q", "main")
        world.repo.git("merge", "-q", "--no-ff", "-m", message, name)
        kept[name] = world.repo.git("rev-parse", "HEAD")
    found = {item.id: item for item in world.loaded() if isinstance(item, Memory)}
    assert kept["silent"] not in found
    assert (
        found[kept["spoken"]].text
        == "Merge pull request #7 from kim/spoken\n\nRetry four times\n\nadded: spoken"
    )
    assert found[kept["named"]].kind == "merge"
    health = world.health()
    assert (health.state, health.items) == (State.READY, len(found))


def test_a_commit_without_words_is_called_by_its_id(world: World) -> None:
    other = world.repo.commit("", {"a": "1"})
    named = world.memory(other)
    assert named is not None
    assert named.title == f"commit {other[:7]} without a subject"


def test_a_commit_without_words_and_files_is_no_memory(world: World) -> None:
    world.repo.commit("")
    nothing = world.health()
    assert (nothing.state, nothing.items) == (State.EMPTY, 0)
    world.repo.commit("", {"a": "1"})
    world.repo.commit("")
    world.repo.commit("run the checks again")
    found = [item for item in world.loaded() if isinstance(item, Memory)]
    assert len(found) == 2
    health = world.health()
    assert (health.state, health.items) == (State.READY, 2)


def test_the_release_notes_of_a_bot_are_left_out_and_that_is_said(world: World) -> None:
    world.repo.write({"a": "1"})
    world.repo.git("add", "-A")
    message = "Bump httpx from 0.27 to 0.28\n\nRelease notes: ...\n"
    world.repo.git("commit", "-q", "-m", message, "--author", "dependabot[bot] <b@example.com>")
    found = world.memory(world.repo.git("rev-parse", "HEAD"))
    assert found is not None
    assert found.title == "Bump httpx from 0.27 to 0.28"
    assert (
        found.text
        == "Bump httpx from 0.27 to 0.28\n\n(the text of an automatic commit is left out)\n\nadded: a"
    )


def test_of_many_paths_and_a_very_long_message_the_rest_is_counted(world: World) -> None:
    sha = world.repo.commit("Import\n\n" + "word " * 5_000, {f"{number:03}.py": "1" for number in range(100)})
    found = world.memory(sha)
    assert found is not None
    assert "(and 4,999 more characters)" in found.text
    assert found.text.endswith("added: 000.py, 001.py, 002.py\nand 97 more files")
    assert found.context.split("\n") == [f"{number:03}.py" for number in range(3, 30)]
    assert found.extra["files"] == "100"


def test_an_unreadable_commit_is_a_problem_of_that_commit(world: World) -> None:
    shas = [world.repo.commit(f"Change {number}", {"a": str(number)}) for number in range(3)]
    tree = world.repo.git("rev-parse", f"{shas[0]}^{{tree}}")
    stored = world.repo.top / ".git" / "objects" / tree[:2] / tree[2:]
    stored.chmod(0o644)
    stored.write_bytes(b"garbage")
    items = world.loaded()
    assert [item.id for item in items if isinstance(item, Memory)] == [shas[2]]
    assert [item.where for item in items if isinstance(item, Problem)] == [shas[1], shas[0]]


def test_of_a_history_with_a_damaged_commit_the_newer_part_is_read_and_the_rest_is_said(world: World) -> None:
    shas = [world.repo.commit(f"Change {number}", {"a": str(number)}) for number in range(5)]
    stored = world.repo.top / ".git" / "objects" / shas[1][:2] / shas[1][2:]
    stored.chmod(0o644)
    stored.write_bytes(b"garbage")
    *entries, problem = sorted(world.listed(), key=lambda item: isinstance(item, Problem))
    assert [entry.key for entry in entries if isinstance(entry, Entry)] == [shas[4], shas[3]]
    assert isinstance(problem, Problem)
    assert problem.hides_entries
    assert not problem.harmless
    assert "nothing before it can be listed: git says: " in problem.reason
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 2)


def test_a_damaged_parent_of_head_is_a_degraded_source_and_not_a_broken_one(world: World) -> None:
    shas = [world.repo.commit(f"Change {number}", {"a": str(number)}) for number in range(3)]
    stored = world.repo.top / ".git" / "objects" / shas[1][:2] / shas[1][2:]
    stored.chmod(0o644)
    stored.write_bytes(b"garbage")
    assert world.keys() == [shas[2]]
    assert "nothing before it can be listed: git says: " in world.notes()[shas[2]]
    assert world.health().state is State.DEGRADED


def test_while_head_stands_git_is_not_run_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.repo.commit("One")
    before = world.keys()
    seen = runs(monkeypatch)
    assert world.keys() == before
    assert seen == []
    sha = world.repo.commit("Two")
    assert world.keys() == [sha, *before]
    assert seen == ["rev-parse", "rev-list"]


def test_many_commits_are_read_by_few_processes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(100):
        world.repo.commit(f"Change {number}")
    seen = runs(monkeypatch)
    assert len(world.loaded()) == 100
    assert seen.count("log") == 3


def test_a_commit_asked_for_alone_is_read(world: World) -> None:
    for number in range(60):
        world.repo.commit(f"Change {number}")
    entries = [item for item in world.listed() if isinstance(item, Entry)]
    for place in (50, 3, 59, 50):
        (item,) = world.provider.load(entries[place], world.scope)
        assert isinstance(item, Memory)
        assert item.title == f"Change {59 - place}"


def test_without_time_a_commit_is_not_read_and_that_is_said(world: World) -> None:
    world.repo.commit("One")
    clock = [0.0]
    (entry,) = list(world.provider.entries(world.scope, Deadline(5, lambda: clock[0])))
    assert isinstance(entry, Entry)
    clock[0] = 9
    with pytest.raises(DeadlineExceeded):
        list(world.provider.load(entry, world.scope))


def test_beyond_the_most_commits_the_older_are_left_out_and_that_is_said(world: World) -> None:
    shas = [world.repo.commit(f"Change {number}") for number in range(4)]
    world.choose(max_commits=2)
    assert world.keys() == shas[:1:-1]
    assert world.notes() == {"history": "only the newest 2 commits are read (max_commits)"}


def test_further_branches_are_read_and_missing_ones_named(world: World) -> None:
    base = world.repo.commit("Base")
    world.repo.git("checkout", "-q", "-b", "release/1")
    other = world.repo.commit("Released")
    world.repo.git("checkout", "-q", "main")
    world.choose(branches=("release/*", "gone"))
    assert set(world.keys()) == {base, other}
    assert world.notes() == {"gone": "no such branch (option branches)"}
    world.repo.git("checkout", "-q", "release/1")
    third = world.repo.commit("Released again")
    world.repo.git("checkout", "-q", "main")
    assert set(world.keys()) == {base, other, third}


def test_only_commits_of_some_paths_are_read(world: World) -> None:
    sha = world.repo.commit("Code", {"src/a": "1"})
    world.repo.commit("Docs", {"docs/b": "1"})
    world.choose(paths=("src",))
    assert world.keys() == [sha]
    world.choose(paths=("nowhere",))
    assert world.keys() == []
    assert world.health().state is State.EMPTY


def test_a_shallow_clone_says_so(world: World, tmp_path: Path) -> None:
    world.repo.commit("One")
    world.repo.commit("Two")
    world.repo.git("clone", "-q", "--depth", "1", f"file://{world.repo.top}", str(tmp_path / "clone"))
    world.change(root=tmp_path / "clone")
    assert world.notes() == {"history": "a shallow clone: older commits were never fetched"}
    health = world.health()
    assert (health.state, health.items) == (State.READY, 1)
    assert "shallow" in health.facts


def test_a_linked_worktree_has_the_history_of_its_own_head(world: World, tmp_path: Path) -> None:
    base = world.repo.commit("Base")
    world.repo.git("worktree", "add", "-q", "-b", "fix", str(tmp_path / "fix"))
    world.repo.commit("On main only")
    world.change(root=tmp_path / "fix")
    assert world.keys() == [base]
    assert {"fix @ " + base[:7], "worktree", "clean"} <= set(world.health().facts)


def outside(world: World) -> None:
    world.change(in_git=False)


def no_program(world: World) -> None:
    world.change(env={"PATH": "/nowhere"})


def damaged(world: World) -> None:
    (world.repo.top / ".git" / "HEAD").write_text("nonsense")


def foreign(world: World) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    for path in (world.repo.top, world.repo.top / ".git"):
        os.chown(path, 65534, 65534)


@pytest.mark.parametrize(
    ("happen", "error", "state", "reason", "next_step"),
    [
        (outside, StoreAbsent, State.ABSENT, "not in a Git repository", "git init"),
        (no_program, NotConfigured, State.OFF, "no git program: none is on the PATH", "install Git"),
        (damaged, StoreBroken, State.BROKEN, "broken repository: git says: ", "git fsck"),
        (foreign, StoreBroken, State.BROKEN, "untrusted owner: it belongs to another user", "safe.directory"),
    ],
)
def test_each_state_has_its_word_and_its_next_step(
    world: World,
    happen: Callable[[World], None],
    error: type[Exception],
    state: State,
    reason: str,
    next_step: str,
) -> None:
    world.repo.commit("One")
    happen(world)
    with pytest.raises(error, match=reason.split(":")[0]):
        world.listed()
    health = world.health()
    assert health.state is state
    assert reason in health.reason
    assert next_step in health.next_step


def test_without_time_git_is_busy(world: World) -> None:
    world.repo.commit("One")
    with pytest.raises(StoreBusy, match="out of time"):
        list(world.provider.entries(world.scope, Deadline.after(0)))
    assert world.provider.health(world.scope, Deadline.after(0)).state is State.BUSY


def test_before_the_first_commit_the_source_is_empty(world: World) -> None:
    assert world.listed() == []
    health = world.health()
    assert (health.state, health.items, health.reason) == (State.EMPTY, 0, "no commit yet")
    assert health.facts == ("main (no commit yet)", "clean")


def test_health_counts_commits_and_tells_how_the_repository_stands(world: World) -> None:
    world.repo.commit("One", {"a": "1"})
    sha = world.repo.commit("Two", {"b": "1"})
    world.repo.write({"a": "2", "new": "1"})
    health = world.health()
    assert (health.state, health.items, health.problems) == (State.READY, 2, ())
    assert health.newest == datetime.fromtimestamp(1_760_000_000 + 2 * 3_600, UTC)
    assert health.facts == (f"main @ {sha[:7]}", "1 file changed, 1 untracked")


def test_looking_changes_nothing(world: World) -> None:
    world.repo.commit("One", {"a": "1"})
    world.repo.write({"a": "2"})
    before = world.repo.traces()
    world.loaded()
    world.health()
    assert world.repo.traces() == before


def test_a_provider_of_an_untouched_repository_needs_no_options() -> None:
    assert GitProvider().name == "git"


def test_names_of_raw_bytes_are_text_that_can_be_kept(world: World) -> None:
    sha = world.repo.commit("Odd", {os.fsdecode(b"caf\xe9\n"): "1"})
    found = world.memory(sha)
    assert found is not None
    assert found.text == "Odd\n\nadded: caf%E9\\x0a"
    found.text.encode()


def test_what_cannot_be_read_is_a_problem() -> None:
    from recall.git.commits import Unread

    assert memory(Unread("a" * 40, "it is damaged"), "x") == Problem("a" * 40, "it is damaged")


def test_a_repository_inside_another_is_the_one_that_is_read(world: World) -> None:
    world.repo.commit("Outer")
    inner = Repo.new(world.repo.top / "inner", world.repo.home)
    sha = inner.commit("Inner")
    world.change(root=inner.top)
    assert world.keys() == [sha]
