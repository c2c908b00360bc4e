"""Commits as memories: true of their own moment, and checked for whether they are so still."""

from __future__ import annotations

from pathlib import Path

import pytest

from evidence.repository import DAY, DAY_ZERO, Repository, day
from evidence.rows import checker_for, row
from recall.api import Deadline
from recall.evidence.checker import Checker
from recall.evidence.result import Evidence, Verdict
from recall.git.commits import Commit, Touched
from recall.index import Row
from recall_git.memories import memory

LONG = Deadline.after(600)
LIMITS = "MAX_RETRIES = 3\nBACKOFF = 2\n"
COMPOSE = "services:\n  db:\n    ports:\n      - 5432:5432\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "project")
    made.commit(0, {"src/limits.py": LIMITS, "src/pay.py": "def charge_card():\n    return 1\n"}, "Begin")
    return made


def commit_row(sha: str, text: str, on: float = 0) -> Row:
    """A commit as the index holds it."""
    found = row(sha, text, on, origin="git")
    return found._replace(provider="git", uri=f"recall://git/{sha}", kind="commit", title=text.split("\n")[0])


def one(checker: Checker, sha: str, text: str, on: float = 0) -> Evidence:
    memory = commit_row(sha, text, on)
    return checker.check([memory], LONG)[memory.uri]


def reasons(found: Evidence) -> list[str]:
    return [finding.reason for finding in found.findings]


def test_a_commit_whose_value_a_later_one_changed_is_contradicted_and_says_by_which(
    tmp_path: Path, repo: Repository
) -> None:
    old = repo.replace(10, {"src/limits.py": ("MAX_RETRIES = 3", "MAX_RETRIES = 4")}, "MAX_RETRIES is 4")
    new = repo.replace(30, {"src/limits.py": ("MAX_RETRIES = 4", "MAX_RETRIES = 7")}, "MAX_RETRIES is 7")
    checker = checker_for(tmp_path, repo.top)
    found = one(checker, old, "Set MAX_RETRIES to 4\n\nchanged: src/limits.py", 10)
    assert found.verdict is Verdict.CONTRADICTED
    assert found.commit == new
    assert reasons(found)[0] == (
        f"was so at {old[:10]}; MAX_RETRIES = 4 is no more; it is 7 now since {new[:10]} (2026-01-31)"
    )
    assert one(checker, new, "Set MAX_RETRIES to 7\n\nchanged: src/limits.py", 30).verdict is Verdict.CURRENT


def test_a_commit_whose_port_a_later_one_changed_is_contradicted(tmp_path: Path, repo: Repository) -> None:
    old = repo.commit(10, {"docker-compose.yml": COMPOSE}, "Database")
    repo.commit(30, {"docker-compose.yml": COMPOSE.replace("5432", "6432")}, "Move it")
    text = "The database listens on port 5432 in docker-compose.yml\n\nadded: docker-compose.yml"
    assert one(checker_for(tmp_path, repo.top), old, text, 10).verdict is Verdict.CONTRADICTED


@pytest.mark.parametrize("late", [False, True], ids=["read at once", "read one by one"])
@pytest.mark.parametrize("merged", [False, True])
def test_of_commits_of_one_second_descent_tells_which_came_later(
    tmp_path: Path, repo: Repository, merged: bool, late: bool
) -> None:
    checker = checker_for(tmp_path, repo.top)
    if late:
        one(checker, "0" * 40, "Begin")
    if merged:
        repo.git("checkout", "-q", "-b", "side")
    values = [
        repo.commit(5, {"src/limits.py": f"MAX_RETRIES = {number}\n"}, "Set") for number in (11, 12, 13, 14)
    ]
    if merged:
        repo.git("checkout", "-q", "main")
        repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side", at=DAY_ZERO + 5 * DAY)
    *older, newest = values
    for number, sha in enumerate(older, 11):
        if late:
            one(checker, sha, f"Set MAX_RETRIES to {number}\n\nchanged: src/limits.py", 5)
        found = one(checker, sha, f"Set MAX_RETRIES to {number}\n\nchanged: src/limits.py", 5)
        assert found.verdict is Verdict.CONTRADICTED, found
        assert "it is 14 now" in reasons(found)[0]
        assert any(
            f"the last {newest[:10]}" in reason or newest[:10] in reason for reason in reasons(found)[1:]
        )
    found = one(checker, newest, "Set MAX_RETRIES to 14\n\nchanged: src/limits.py", 5)
    assert found.verdict is Verdict.CURRENT, found


def test_a_file_that_went_and_came_back_within_a_second_is_there_and_one_that_went_last_is_gone(
    tmp_path: Path, repo: Repository
) -> None:
    for text in (None, "def charge_card():\n    return 2\n", None):
        repo.commit(5, {"src/pay.py": text}, "Turn")
    found = checker_for(tmp_path, repo.top).check([row("a", "src/pay.py charges.", 2)], LONG)
    assert found["recall://notes/a"].verdict is Verdict.CONTRADICTED
    assert "src/pay.py is gone since" in found["recall://notes/a"].findings[0].reason
    back = repo.commit(5, {"src/pay.py": "def charge_card():\n    return 3\n"}, "Back")
    found = checker_for(tmp_path, repo.top).check([row("a", "src/pay.py charges.", 2)], LONG)
    assert found["recall://notes/a"].verdict is Verdict.CHANGED, back


@pytest.mark.parametrize("before", [True, False])
def test_a_memory_committed_within_the_second_of_a_change_is_older_or_newer_by_descent(
    tmp_path: Path, repo: Repository, before: bool
) -> None:
    note = ".serena/memories/pay.md"
    if before:
        repo.commit(5, {note: "`charge_card` charges.\n"}, "Note")
    repo.commit(5, {"src/pay.py": "def charge_now():\n    return 1\n"}, "Rename")
    if not before:
        repo.commit(5, {note: "`charge_card` charges.\n"}, "Note")
    memory = row("a", "`charge_card` charges.", 90, origin="file time", path=str(repo.top / note))
    found = checker_for(tmp_path, repo.top).check([memory], LONG)[memory.uri]
    # What was gone when it was written may never have been meant so; it is not contradicted.
    assert found.verdict is (Verdict.CONTRADICTED if before else Verdict.UNVERIFIABLE)


def test_a_commit_whose_files_were_changed_since_says_by_what(tmp_path: Path, repo: Repository) -> None:
    old = repo.replace(10, {"src/pay.py": ("return 1", "return 2")}, "Round up")
    last = repo.replace(20, {"src/pay.py": ("return 2", "return 3")}, "Round down")
    checker = checker_for(tmp_path, repo.top)
    found = one(checker, old, "Round up\n\nchanged: src/pay.py", 10)
    assert found.verdict is Verdict.CHANGED
    assert reasons(found) == [f"src/pay.py as of {old[:10]} was since changed by {last[:10]} (2026-01-21)"]
    assert found.findings[0].command.endswith(f"log --oneline {old[:10]}.. -- src/pay.py")
    newest = repo.replace(30, {"src/pay.py": ("return 3", "return 4")}, "Round")
    found = one(checker, old, "Round up\n\nchanged: src/pay.py", 10)
    assert reasons(found) == [
        f"src/pay.py as of {old[:10]} was since changed by 2 commits, the last {newest[:10]} (2026-01-31)"
    ]


def test_a_commit_whose_file_is_gone_or_has_moved_is_history_and_no_lie(
    tmp_path: Path, repo: Repository
) -> None:
    old = repo.replace(10, {"src/pay.py": ("return 1", "return 2")}, "Round up")
    moved = repo.move(20, "src/pay.py", "src/money.py")
    checker = checker_for(tmp_path, repo.top)
    found = one(checker, old, "Round up\n\nchanged: src/pay.py", 10)
    assert found.verdict is Verdict.CHANGED
    assert reasons(found) == [
        f"src/pay.py as of {old[:10]} is renamed to src/money.py since {moved[:10]} (2026-01-21)"
    ]


def test_a_commit_whose_files_are_as_it_left_them_is_current(tmp_path: Path, repo: Repository) -> None:
    sha = repo.replace(10, {"src/pay.py": ("return 1", "return 2")}, "Round up")
    found = one(checker_for(tmp_path, repo.top), sha, "Round up\n\nchanged: src/pay.py", 10)
    assert (found.verdict, reasons(found)) == (Verdict.CURRENT, [f"src/pay.py is as {sha[:10]} left it"])


def test_a_file_that_is_edited_and_not_committed_was_changed_since(tmp_path: Path, repo: Repository) -> None:
    sha = repo.replace(10, {"src/pay.py": ("return 1", "return 2")}, "Round up")
    repo.write({"src/pay.py": "def charge_card():\n    return 5\n"})
    found = one(checker_for(tmp_path, repo.top), sha, "Round up\n\nchanged: src/pay.py", 10)
    assert (found.verdict, reasons(found)) == (
        Verdict.CHANGED,
        ["src/pay.py has changes that are not committed"],
    )


@pytest.mark.parametrize(
    "text",
    ["Take charge_card() out of src/pay.py", "charge_card is a burden", "`charge_card` in `src/pay.py`"],
)
def test_what_a_commit_itself_took_away_does_not_contradict_it(
    tmp_path: Path, repo: Repository, text: str
) -> None:
    sha = repo.commit(10, {"src/pay.py": None}, text)
    assert not one(checker_for(tmp_path, repo.top), sha, text, 10).contradicted


def test_what_a_commit_took_away_and_came_back_and_went_again_does_not_contradict_it(
    tmp_path: Path, repo: Repository
) -> None:
    first = repo.commit(10, {"src/pay.py": "x = 1\n"}, "Without charge_card")
    repo.commit(20, {"src/pay.py": "def charge_card():\n    return 1\n"}, "Back")
    repo.commit(30, {"src/pay.py": "x = 1\n"}, "And away")
    assert not one(checker_for(tmp_path, repo.top), first, "charge_card is a burden", 10).contradicted


def test_the_list_of_touched_paths_is_no_claim_of_the_message(tmp_path: Path, repo: Repository) -> None:
    old = repo.replace(10, {"src/pay.py": ("return 1", "return 2")}, "Round up")
    repo.commit(20, {"src/pay.py": None}, "Elsewhere")
    text = "Round up\n\nchanged: src/pay.py\nand 3 more files"
    assert one(checker_for(tmp_path, repo.top), old, text, 10).verdict is Verdict.CHANGED


def test_a_message_that_names_what_is_gone_is_contradicted(tmp_path: Path, repo: Repository) -> None:
    old = repo.commit(10, {"src/other.py": "y = 1\n"}, "Call it")
    repo.commit(20, {"src/pay.py": None}, "Elsewhere")
    found = one(checker_for(tmp_path, repo.top), old, "All cards go through charge_card() now", 10)
    assert found.verdict is Verdict.CONTRADICTED
    assert reasons(found)[0].startswith(f"was so at {old[:10]}; charge_card is gone from the code since ")


def test_commits_of_a_rebase_are_compared_by_the_order_they_were_committed_in(
    tmp_path: Path, repo: Repository
) -> None:
    old = repo.replace(10, {"src/limits.py": ("MAX_RETRIES = 3", "MAX_RETRIES = 4")}, "MAX_RETRIES is 4")
    repo.write({"src/limits.py": LIMITS.replace("3", "7", 1)})
    at = int(day(20))
    repo.git("add", "-A", at=at)
    repo.git("commit", "-q", "-m", "MAX_RETRIES is 7", "--date", f"{int(day(5))} +0000", at=at)
    found = one(checker_for(tmp_path, repo.top), old, "Set MAX_RETRIES to 4", 10)
    assert found.verdict is Verdict.CONTRADICTED


def test_a_commit_of_another_branch_is_not_judged_by_this_one(tmp_path: Path, repo: Repository) -> None:
    repo.git("checkout", "-q", "-b", "other")
    other = repo.replace(10, {"src/limits.py": ("MAX_RETRIES = 3", "MAX_RETRIES = 4")}, "MAX_RETRIES is 4")
    repo.git("checkout", "-q", "main")
    found = one(checker_for(tmp_path, repo.top), other, "Set MAX_RETRIES to 4", 10)
    assert (found.verdict, found.reason) == (Verdict.UNVERIFIABLE, "it is not in HEAD's history")


def test_a_commit_in_a_history_that_is_not_read_yet_is_not_checked(
    tmp_path: Path, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha = repo.replace(10, {"src/pay.py": ("return 1", "return 2")}, "Round up")
    monkeypatch.setattr("recall.evidence.reading.HistoryReader._listed", lambda *_given: False)
    found = one(checker_for(tmp_path, repo.top), sha, "Round up", 10)
    assert (found.verdict, found.reason) == (Verdict.NOT_CHECKED, "the history is not read yet")


def test_the_message_is_told_from_the_paths_as_the_source_writes_them() -> None:
    from recall.evidence.commits import message_of

    touched = tuple(
        Touched(letter, f"src/{letter}.py", *("src/old.py",) * (letter == "R")) for letter in "AMDR"
    )
    commit = Commit("a" * 40, (), None, "Kim", "Round up", "Because.\n\nchanged: my mind", (), touched)
    made = memory(commit, "shop")
    assert made is not None
    assert message_of(commit_row("a" * 40, made.text)) == "Round up\n\nBecause.\n\nchanged: my mind"  # type: ignore[union-attr]
    assert message_of(commit_row("a" * 40, "Round up")) == "Round up"
