"""Whatever the repository is like, every memory gets evidence, in time."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from evidence.repository import Repository, day
from evidence.rows import LONG, NOW, checker_for, one, row
from recall.api import Deadline
from recall.evidence.result import Verdict
from recall.git import worktree
from recall.git.worktree import WorkTree
from support.worlds import snapshot

FIRST = {"src/a.py": "def charge_card():\n    return 1\n", "src/b.py": "def pay():\n    return 2\n"}


@pytest.fixture
def repo(repo: Repository) -> Repository:
    repo.commit(0, FIRST)
    repo.commit(20, {"src/a.py": None}, "Remove")
    return repo


def test_a_memory_that_names_nothing_asks_git_nothing(tmp_path: Path, repo: Repository) -> None:
    checker = checker_for(tmp_path, repo.top)
    assert one(checker, "We like small changes.").verdict is Verdict.UNVERIFIABLE
    assert checker._found is None


@pytest.mark.parametrize(
    ("damage", "word"),
    [
        (lambda top: subprocess.run(["rm", "-rf", top / ".git"], check=True), "no repository"),
        (lambda top: (top / ".git/HEAD").write_text("nonsense"), "broken repository"),
        (lambda top: (top / ".git/sharedindex.abc").write_text(""), "split"),
    ],
    ids=["no repository", "broken", "split index"],
)
def test_a_repository_that_cannot_be_asked_is_named(
    tmp_path: Path, repo: Repository, damage: Callable[[Path], object], word: str
) -> None:
    damage(repo.top)
    found = one(checker_for(tmp_path, repo.top), "`charge_card` in src/a.py")
    assert found.verdict is Verdict.NOT_CHECKED
    assert word in found.reason


def test_an_unborn_branch_is_no_evidence(tmp_path: Path) -> None:
    empty = Repository(tmp_path / "project")
    found = one(checker_for(tmp_path, empty.top), "`charge_card` in src/a.py")
    assert (found.verdict, found.reason) == (Verdict.NOT_CHECKED, "unborn branch: no commit yet")


def test_without_a_git_program_nothing_is_checked(tmp_path: Path, repo: Repository) -> None:
    checker = checker_for(tmp_path, repo.top)
    checker._scope = replace(checker._scope, env={"PATH": "/nowhere"})
    assert "no git program" in one(checker, "`charge_card`").reason


def test_out_of_time_is_said_of_every_memory(tmp_path: Path, repo: Repository) -> None:
    checker = checker_for(tmp_path, repo.top)
    rows = [row(str(number), f"`charge_card` number {number}", 10) for number in range(3)]
    found = checker.check(rows, Deadline.after(0))
    assert {evidence.verdict for evidence in found.values()} == {Verdict.NOT_CHECKED}
    assert {evidence.reason for evidence in found.values()} == {"out of time"}


def test_a_history_that_is_not_read_yet_is_said_and_then_known(tmp_path: Path, repo: Repository) -> None:
    checker = checker_for(tmp_path, repo.top)
    opened = checker._open(checker._repository(LONG))
    opened._reader.catch_up = lambda head, deadline: False  # type: ignore[method-assign]
    assert one(checker, "It is in src/a.py.").verdict is Verdict.NOT_CHECKED
    assert one(checker, "`charge_card()` charges.").verdict is Verdict.NOT_CHECKED
    checker.close()
    assert one(checker, "It is in src/a.py.").verdict is Verdict.CONTRADICTED
    assert one(checker, "`charge_card()` charges.").verdict is Verdict.CONTRADICTED


def test_what_is_known_is_known_to_the_next_process_without_reading_again(
    tmp_path: Path, repo: Repository
) -> None:
    first = checker_for(tmp_path, repo.top)
    before = one(first, "`charge_card` in src/a.py, `pay` in src/b.py")
    first.close()
    second = checker_for(tmp_path, repo.top)
    opened = second._open(second._repository(LONG))
    opened._reader._step = None  # type: ignore[assignment,method-assign]
    assert one(second, "`charge_card` in src/a.py, `pay` in src/b.py") == before


def test_a_word_that_comes_back_is_seen_at_once_when_it_is_committed(
    tmp_path: Path, repo: Repository
) -> None:
    checker = checker_for(tmp_path, repo.top)
    assert one(checker, "`charge_card()`").verdict is Verdict.CONTRADICTED
    repo.commit(30, {"src/c.py": "def charge_card():\n    return 3\n"})
    assert one(checker, "`charge_card()`").verdict is Verdict.CURRENT


def test_a_word_that_comes_back_uncommitted_is_seen_at_once(tmp_path: Path, repo: Repository) -> None:
    checker = checker_for(tmp_path, repo.top)
    assert one(checker, "`charge_card()`").verdict is Verdict.CONTRADICTED
    repo.write({"src/b.py": "def charge_card():\n    return 3\n"})
    assert one(checker, "`charge_card()`").verdict is Verdict.CURRENT


def test_a_word_that_goes_uncommitted_is_seen_at_once(tmp_path: Path, repo: Repository) -> None:
    checker = checker_for(tmp_path, repo.top)
    assert one(checker, "`def pay()` pays").verdict is Verdict.CURRENT
    repo.write({"src/b.py": "def settle():\n    return 2\n"})
    found = one(checker, "`def pay()` pays")
    assert found.verdict is Verdict.CONTRADICTED
    assert "not committed" in found.findings[0].reason


def test_a_file_outside_a_sparse_checkout_is_there(tmp_path: Path, repo: Repository) -> None:
    repo.git("sparse-checkout", "set", "--no-cone", "/docs/")
    assert not (repo.top / "src/b.py").exists()
    assert one(checker_for(tmp_path, repo.top), "It is in src/b.py.").verdict is Verdict.CURRENT


def test_a_word_that_stands_only_outside_a_sparse_checkout_is_there(tmp_path: Path, repo: Repository) -> None:
    code = "MOST_ROWS = 10\ndef list_rows():\n    return 1\n"
    repo.commit(30, {"src/c.py": code, "docs/d.py": code})
    repo.commit(40, {"docs/d.py": "pass\n"})
    repo.git("sparse-checkout", "set", "--no-cone", "/docs/")
    checker = checker_for(tmp_path, repo.top)
    assert one(checker, "`list_rows()` lists.", 35).verdict is Verdict.CURRENT
    assert one(checker, "`MOST_ROWS` is 10.", 35).verdict is Verdict.CURRENT
    assert one(checker, "`charge_card()` charges.").verdict is Verdict.CONTRADICTED


def test_a_file_that_git_is_told_to_skip_is_searched_as_it_lies_there(
    tmp_path: Path, repo: Repository
) -> None:
    repo.commit(30, {"src/c.py": "MOST_ROWS = 10\n"})
    repo.commit(40, {"src/c.py": "MOST_ROWS = 20\n"})
    repo.git("update-index", "--skip-worktree", "src/c.py")
    repo.write({"src/c.py": "MOST_ROWS = 10\n"})
    checker = checker_for(tmp_path, repo.top)
    assert one(checker, "`MOST_ROWS` is 10.", 35).verdict is Verdict.CURRENT
    assert one(checker, "`MOST_ROWS` is 20.", 45).verdict is not Verdict.CURRENT


def test_a_shallow_clone_contradicts_only_what_it_saw(tmp_path: Path, repo: Repository) -> None:
    repo.commit(30, {"src/c.py": "x = 1\n"})
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.top}", str(clone))
    checker = checker_for(tmp_path, clone)
    assert one(checker, "It is in src/a.py.").verdict is Verdict.UNVERIFIABLE
    assert one(checker, "`charge_card` charges").verdict is Verdict.UNVERIFIABLE


def test_a_linked_worktree_has_a_history_of_its_own(tmp_path: Path, repo: Repository) -> None:
    other = tmp_path / "linked"
    repo.git("worktree", "add", "-q", str(other), "HEAD~1")
    assert one(checker_for(tmp_path, repo.top), "It is in src/a.py.").verdict is Verdict.CONTRADICTED
    assert one(checker_for(tmp_path, other), "It is in src/a.py.").verdict is Verdict.CURRENT


def test_a_memory_that_the_repository_holds_is_as_old_as_its_last_commit(
    tmp_path: Path, repo: Repository
) -> None:
    text = "It is in src/b.py."
    repo.commit(25, {".serena/memories/pay.md": text})
    repo.commit(40, {"src/b.py": "def pay():\n    return 3\n"})
    path = str(repo.top / ".serena/memories/pay.md")
    checker = checker_for(tmp_path, repo.top)
    assert one(checker, text, 90, origin="file time", path=path).verdict is Verdict.CHANGED
    assert one(checker, text, 90, origin="front matter", path=path).verdict is Verdict.CURRENT


def test_that_a_memory_itself_holds_a_word_proves_nothing(tmp_path: Path, repo: Repository) -> None:
    repo.commit(15, {"notes/charging.md": "`charge_card` charges"})
    checker = checker_for(tmp_path, repo.top)
    path = str(repo.top / "notes/charging.md")
    assert one(checker, "`charge_card` charges", 16, path=path).verdict is Verdict.CONTRADICTED
    repo.commit(41, {"notes/other.md": "`never_was` is told of"})
    path = str(repo.top / "notes/other.md")
    assert one(checker, "`never_was` is told of", 42, path=path).verdict is Verdict.UNVERIFIABLE


def test_memories_of_other_projects_are_not_checked_here(tmp_path: Path, repo: Repository) -> None:
    checker = checker_for(tmp_path, repo.top)
    checker._scope = replace(checker._scope, all_projects=True)
    memory = row("one", "It is in src/a.py.", 10)._replace(project="another")
    found = checker.check([memory], LONG)[memory.uri]
    assert (found.verdict, found.reason) == (Verdict.NOT_CHECKED, "it belongs to another project")


def test_a_cache_that_is_in_use_is_said(tmp_path: Path, repo: Repository) -> None:
    checker = checker_for(tmp_path, repo.top)
    one(checker, "`charge_card`")
    (path,) = (tmp_path / "cache/evidence").glob("*.db")
    repo.commit(50, {"src/d.py": "x = 1\n"})
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        assert "in use" in one(checker, "`charge_card`").reason
    assert one(checker, "`charge_card`").verdict is Verdict.CONTRADICTED


def test_a_damaged_cache_is_made_anew(tmp_path: Path, repo: Repository) -> None:
    first = checker_for(tmp_path, repo.top)
    one(first, "`charge_card`")
    first.close()
    (path,) = (tmp_path / "cache/evidence").glob("*.db")
    path.write_bytes(b"no database at all" * 1000)
    assert one(checker_for(tmp_path, repo.top), "`charge_card`").verdict is Verdict.CONTRADICTED


def test_without_a_cache_folder_it_works_from_memory(tmp_path: Path, repo: Repository) -> None:
    checker = checker_for(tmp_path, repo.top)
    (tmp_path / "cache/evidence").write_text("in the way")
    assert one(checker, "`charge_card`").verdict is Verdict.CONTRADICTED


def test_the_cache_is_for_its_owner_alone(tmp_path: Path, repo: Repository) -> None:
    one(checker_for(tmp_path, repo.top), "`charge_card`")
    (path,) = (tmp_path / "cache/evidence").glob("*.db")
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_a_link_that_leads_out_of_the_project_is_no_file_of_it(tmp_path: Path, repo: Repository) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("def secret_thing():\n    pass\n")
    (repo.top / "link.py").symlink_to(outside)
    repo.git("add", "-A")
    repo.commit(30, {})
    checker = checker_for(tmp_path, repo.top)
    assert one(checker, "`secret_thing` in link.py").verdict is not Verdict.CURRENT


def test_no_program_of_the_repository_is_run_and_nothing_of_it_changes(
    tmp_path: Path, repo: Repository
) -> None:
    ran = tmp_path / "ran"
    script = tmp_path / "program"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    script.chmod(0o755)
    repo.commit(30, {".gitattributes": "*.py diff=own filter=own\n"})
    for key in (
        "diff.own.textconv",
        "diff.own.command",
        "diff.external",
        "filter.own.clean",
        "filter.own.smudge",
        "core.fsmonitor",
        "core.pager",
        "gpg.program",
    ):
        repo.git("config", key, str(script))
    repo.git("config", "grep.column", "true")
    repo.git("config", "diff.noprefix", "true")
    repo.git("config", "grep.patternType", "perl")
    os.utime(repo.top / "src/b.py", (NOW, NOW))
    ran.unlink(missing_ok=True)
    before = snapshot(repo.top)
    checker = checker_for(tmp_path, repo.top)
    assert one(checker, "`charge_card` in src/a.py; `pay` in src/b.py").verdict is Verdict.CONTRADICTED
    assert not ran.exists()
    assert snapshot(repo.top) == before


def test_that_a_memorys_own_file_is_there_says_nothing_of_it(tmp_path: Path, repo: Repository) -> None:
    repo.commit(15, {"notes/plan.md": "We go on."})
    path = str(repo.top / "notes/plan.md")
    checker = checker_for(tmp_path, repo.top)
    assert one(checker, "notes/plan.md: we go on.", 16, path=path).verdict is Verdict.UNVERIFIABLE


def test_a_commit_that_cannot_be_read_hides_no_other(tmp_path: Path, repo: Repository) -> None:
    repo.commit(30, {"src/c.py": "def broken_one():\n    return 1\n" * 9})
    blob = repo.git("rev-parse", "HEAD:src/c.py")
    repo.commit(31, {"src/c.py": "x = 1\n"})
    repo.commit(32, {"src/d.py": "def later_one():\n    return 1\n"})
    repo.commit(33, {"src/d.py": "y = 1\n"})
    (repo.top / ".git/objects" / blob[:2] / blob[2:]).unlink()
    checker = checker_for(tmp_path, repo.top)
    assert one(checker, "`later_one()` is called", 32).verdict is Verdict.CONTRADICTED
    assert one(checker, "`charge_card()` charges").verdict is Verdict.CONTRADICTED
    assert one(checker, "`broken_one()` is called", 30).verdict is Verdict.UNVERIFIABLE


def test_git_variables_of_the_caller_lead_nowhere_else(tmp_path: Path, repo: Repository) -> None:
    other = Repository(tmp_path / "other")
    other.commit(0, {"src/z.py": "z = 1\n"})
    checker = checker_for(tmp_path, repo.top)
    env = {**checker._scope.env, "GIT_DIR": str(other.top / ".git"), "GIT_WORK_TREE": str(other.top)}
    checker._scope = replace(checker._scope, env=env)
    assert one(checker, "It is in src/a.py.").verdict is Verdict.CONTRADICTED


def test_a_folder_of_very_many_files_that_git_does_not_know_is_not_waited_for(
    tmp_path: Path, repo: Repository
) -> None:
    checker = checker_for(tmp_path, repo.top)
    one(checker, "`pay()`")
    repo.write({"build/new.py": "def charge_card():\n    return 1\n"})
    opened = checker._opened
    assert opened is not None
    searched: list[object] = []
    grep = opened._present._grep

    def too_slow(search: object, deadline: Deadline, *, unknown: object = None, **rest: object) -> None:
        if unknown is None:
            return grep(search, deadline, **rest)  # type: ignore[arg-type]
        searched.append(unknown)
        search.unread |= search.open  # type: ignore[attr-defined]
        return None

    opened._present._grep = too_slow  # type: ignore[method-assign,assignment]
    for _time in range(2):
        assert one(checker, "`charge_card()` charges").verdict is Verdict.NOT_CHECKED
        assert one(checker, "`never_was()` charges").verdict is Verdict.UNVERIFIABLE
    assert len(searched) == 1


def test_a_file_that_a_branch_went_on_changing_went_when_it_was_taken_away(
    tmp_path: Path, repo: Repository
) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit(28, {"src/b.py": "def pay():\n    return 5\n"})
    repo.git("checkout", "-q", "main")
    repo.commit(26, {"src/b.py": None})
    repo.git("merge", "-q", "-s", "ours", "-m", "Merge", "side", at=int(day(29)))
    checker = checker_for(tmp_path, repo.top)
    found = one(checker, "It is in src/b.py.")
    assert found.verdict is Verdict.CONTRADICTED
    assert "2026-01-27" in found.findings[0].reason
    assert one(checker, "It is in src/b.py.", 27).verdict is Verdict.UNVERIFIABLE


def test_a_number_may_stand_in_any_of_the_files_that_its_sentence_names(
    tmp_path: Path, repo: Repository
) -> None:
    repo.commit(
        30, {"app.py": "PORT = 8080\n", "compose.yml": "ports: 8080\n", "nginx.conf": "listen 8080;\n"}
    )
    repo.commit(40, {"app.py": "PORT = 9090\n", "compose.yml": "ports: 8080\n"})
    checker = checker_for(tmp_path, repo.top)
    text = "Port 8080 is set in app.py and published in compose.yml."
    assert not one(checker, text, 35).contradicted
    other = one(checker, "Port 8080 is set in app.py.", 35)  # nginx has it: neither current nor contradicted
    assert other.verdict is not Verdict.CURRENT
    assert not other.contradicted
    assert not one(checker, "Port 8080 is open.", 35).contradicted
    assert one(checker, "`PORT = 8080` is set in app.py.", 35).contradicted


def test_one_more_file_among_very_many_that_git_does_not_know_is_not_overlooked(
    tmp_path: Path, repo: Repository
) -> None:
    repo.write({f"out_{number:04}.txt": "" for number in range(1_500)})
    repo.write({"zz_new.py": "def charge_card():\n    return 1\n"})
    found = one(checker_for(tmp_path, repo.top), "`charge_card()` charges")
    assert found.verdict in (Verdict.CURRENT, Verdict.NOT_CHECKED)


@pytest.mark.parametrize("reason", ["git did not answer in time", "its settings name filters"])
def test_what_a_work_tree_that_was_not_compared_may_hold_is_not_contradicted(
    tmp_path: Path, repo: Repository, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    repo.write({"new/a.py": "def charge_card():\n    return 1\n"})
    monkeypatch.setattr(worktree, "look", lambda *_asked: WorkTree(reason=reason))
    checker = checker_for(tmp_path, repo.top)
    assert one(checker, "`charge_card()` charges").verdict is Verdict.CURRENT  # git finds the file by itself
    opened = checker._opened
    assert opened is not None
    monkeypatch.setattr(opened._present, "untracked", lambda deadline: ([], False))
    assert one(checker, "It is in a.py.").verdict is Verdict.NOT_CHECKED


def test_a_file_told_by_its_end_may_be_one_that_git_does_not_know(tmp_path: Path, repo: Repository) -> None:
    repo.write({"lib/deep/a.py": "x = 1\n"})
    checker = checker_for(tmp_path, repo.top)
    assert not one(checker, "a.py charges").contradicted
    assert one(checker, "src/a.py charges").contradicted


def test_a_word_that_may_have_gone_uncommitted_is_not_checked_without_time_for_it(
    tmp_path: Path, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write({"src/b.py": "def settle():\n    return 2\n"})
    monkeypatch.setattr(worktree, "look", lambda *_asked: WorkTree(reason="git did not answer in time"))
    checker = checker_for(tmp_path, repo.top)
    assert one(checker, "`def pay()` pays").contradicted  # HEAD has it, whatever the look could not tell
    opened = checker._opened
    assert opened is not None
    monkeypatch.setattr(opened._present, "at", lambda *_asked: (frozenset(), False))
    found = one(checker, "`def pay()` pays")
    assert (found.verdict, found.findings[0].reason) == (
        Verdict.NOT_CHECKED,
        "pay: not checked, git did not answer in time",
    )


def test_another_value_than_the_one_that_was_noted_is_never_current(tmp_path: Path, repo: Repository) -> None:
    repo.commit(22, {"payments.py": "MAX_RETRIES = 2\nTTL_SECONDS = 60 * 5\nRATE = 5.0\n"})
    checker = checker_for(tmp_path, repo.top)
    found = one(checker, "`MAX_RETRIES`는 5", 30)
    assert (found.verdict, found.findings[0].reason) == (Verdict.UNVERIFIABLE, "MAX_RETRIES is 2 now")
    assert one(checker, "`MAX_RETRIES` is 2", 30).verdict is Verdict.CURRENT
    assert one(checker, "`RATE` is 5", 30).verdict is not Verdict.UNVERIFIABLE
    assert (
        one(checker, "`TTL_SECONDS` is 300", 30).verdict is Verdict.CURRENT
    )  # what 60 * 5 is, is not computed
    repo.commit(40, {"payments.py": "MAX_RETRIES = 7\n"})
    assert one(checker, "`MAX_RETRIES` is 2", 30).verdict is Verdict.CONTRADICTED
    assert one(checker, "`MAX_RETRIES` is 2", 50).verdict is Verdict.UNVERIFIABLE


@pytest.mark.parametrize(
    "code", ["PORT = 8080\n", "app.listen(8080)\n", 'bind = "0.0.0.0:8080"\n', "run --port 8080\n"]
)
def test_another_port_in_the_file_that_is_named_is_never_current(
    tmp_path: Path, repo: Repository, code: str
) -> None:
    repo.commit(22, {"src/shop/server.py": code})
    checker = checker_for(tmp_path, repo.top)
    found = one(checker, "The server opens port 7777 in src/shop/server.py.", 30)
    assert found.verdict is Verdict.UNVERIFIABLE
    assert "src/shop/server.py has port 8080, not 7777" in found.findings[0].reason
    assert one(checker, "The server opens port 8080 in src/shop/server.py.", 30).verdict is Verdict.CURRENT


def test_a_record_is_not_changed_by_the_one_that_took_its_place(tmp_path: Path, repo: Repository) -> None:
    old = "# 1. Cron\n\nStatus: superseded by [2](0002-queue.md)\n\nJobs run in src/b.py.\n"
    repo.commit(25, {"docs/adr/0001-cron.md": old})
    repo.commit(30, {"docs/adr/0002-queue.md": "# 2. Queue\n"})
    repo.commit(40, {"docs/adr/0002-queue.md": "# 2. Queue\n\nMore.\n"})
    found = one(checker_for(tmp_path, repo.top), old, 26)
    assert found.verdict is Verdict.CURRENT
    assert [finding.claim for finding in found.findings] == ["src/b.py"]


def test_a_memory_is_dated_by_the_commit_that_wrote_it_unless_it_was_written_on_since(
    tmp_path: Path, repo: Repository
) -> None:
    text = "It is in src/b.py."
    repo.commit(25, {"notes/pay.md": text})
    path = str(repo.top / "notes/pay.md")
    found = one(checker_for(tmp_path, repo.top), text, 90, origin="file time", path=path)
    assert (found.dated, found.date_origin) == (day(25) - 43_200, "last commit")
    repo.write({"notes/pay.md": text + " Yes."})
    found = one(checker_for(tmp_path, repo.top), text, 90, origin="file time", path=path)
    assert (found.dated, found.date_origin) == (day(90), "")


def test_a_memory_that_names_nothing_is_dated_by_its_commit_too(tmp_path: Path, repo: Repository) -> None:
    repo.commit(25, {"notes/way.md": "Small changes."})
    path = str(repo.top / "notes/way.md")
    found = one(checker_for(tmp_path, repo.top), "Small changes.", 90, origin="file time", path=path)
    assert (found.verdict, found.dated) == (Verdict.UNVERIFIABLE, day(25) - 43_200)


def test_a_file_that_was_not_compared_with_its_commit_keeps_its_own_date(
    tmp_path: Path, repo: Repository
) -> None:
    repo.commit(25, {"notes/way.md": "Small changes."})
    memory = row("one", "In src/b.py.", 90, "file time", str(repo.top / "notes/way.md"))
    unknown = WorkTree(changed=worktree.PATHS_KEPT + 1, reason="")
    (found,) = checker_for(tmp_path, repo.top).check([memory], LONG, unknown).values()
    assert (found.dated, found.date_origin) == (day(90), "")


def test_a_version_is_not_contradicted_by_some_of_very_many_manifests(
    tmp_path: Path, repo: Repository
) -> None:
    many = {
        f"packages/p{number:02}/package.json": '{"dependencies": {"vite": "^5.0.0"}}' for number in range(60)
    }
    repo.commit(30, {**many, "packages/p99/package.json": '{"dependencies": {"vite": "^4.0.0"}}'})
    found = one(checker_for(tmp_path, repo.top), "vite 4.0 builds it", 40)
    assert found.verdict in (Verdict.CURRENT, Verdict.NOT_CHECKED)


def test_commands_show_what_is_told_and_not_the_memory_itself(tmp_path: Path, repo: Repository) -> None:
    repo.commit(15, {".serena/memories/a.md": "`never_was`", "notes/charging.md": "`never_was` charges"})
    path = str(repo.top / "notes/charging.md")
    found = one(checker_for(tmp_path, repo.top), "`never_was` charges, `pay()` pays", 16, path=path)
    git = f"git -C {repo.top} grep"
    assert [finding.command for finding in found.findings] == [
        f"{git} -nwF -e pay -- src/b.py",
        f"{git} --untracked -nwF -e never_was -- ':!.serena' ':!notes/charging.md'",
    ]
