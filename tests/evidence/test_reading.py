"""The history is read once, goes on where it stopped, and follows HEAD wherever it goes."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from evidence.repository import Repository
from recall.api import Deadline
from recall.evidence import reading
from recall.evidence.history import History
from recall.evidence.reading import HistoryReader, Progress
from recall.evidence.store import Store
from recall.git.command import Git
from recall.index import IN_MEMORY

LONG = Deadline.after(600)


class Kept:
    """A store with what reads into it and what asks it."""

    def __init__(self, repo: Repository, store: Store | None = None) -> None:
        self.repo = repo
        self.store = store or Store(IN_MEMORY)
        git = Git.of(repo.top, repo.top.parent, {"PATH": os.environ.get("PATH", "")})
        self.reader = HistoryReader(self.store, git)
        self.progress = Progress(self.store)

    def catch_up(self, deadline: Deadline = LONG) -> History:
        self.reader.catch_up(self.repo.git("rev-parse", "HEAD"), deadline)
        return History(self.store, self.progress)

    def content(self) -> list[object]:
        """All that is known of HEAD's history, without the numbers that rows happen to have."""
        return [
            self.store.rows(
                "SELECT sha, authored, committed, paths, words FROM history WHERE reached = 1 ORDER BY 1"
            ),
            self.store.rows(
                "SELECT name, sha, status FROM touch JOIN path ON path.id = touch.path "
                "JOIN history ON history.id = touch.entry WHERE reached = 1 ORDER BY 1, 2"
            ),
            self.store.rows(
                "SELECT word, sha FROM gone JOIN history ON history.id = gone.entry WHERE reached = 1 ORDER BY 1, 2"
            ),
        ]


class Ticking:
    """A clock that moves on by a tenth of a second whenever it is looked at."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        self.at += 0.1
        return self.at


def test_what_is_read_piece_by_piece_is_what_is_read_at_once(repo: Repository) -> None:
    chance = random.Random(7)
    alive: list[str] = []
    at_each_step = Kept(repo)
    for number in range(40):
        step = chance.random()
        if alive and step < 0.15:
            repo.commit(number, {alive.pop(chance.randrange(len(alive))): None})
        elif alive and step < 0.3:
            old = alive.pop(chance.randrange(len(alive)))
            alive.append(f"moved/{number}_{Path(old).name}")
            repo.move(number, old, alive[-1])
        elif alive and step < 0.6:
            repo.commit(number, {chance.choice(alive): f"def name_{number}():\n    return {number}\n"})
        elif alive and step < 0.7:
            repo.git("reset", "-q", "--hard", f"HEAD~{min(2, number and 1)}")
            alive = repo.git("ls-files").split()
        else:
            alive.append(f"src/file_{number}.py")
            repo.commit(number, {alive[-1]: f"def first_{number}():\n    return {number}\n" * 3})
        at_each_step.catch_up()
    at_once = Kept(repo)
    at_once.catch_up()
    assert at_each_step.content() == at_once.content()


def test_a_short_deadline_makes_progress_and_the_next_question_goes_on(
    repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The clock here ticks with every look, however long git takes: no commit is to be given up for that.
    monkeypatch.setattr(reading, "_PATIENCE_SECONDS", float("inf"))
    for number in range(60):
        repo.commit(number, {"src/a.py": f"def name_{number}():\n    return {number}\n"})
    kept = Kept(repo)
    rounds = 0
    while not kept.progress.knows_words():
        kept.catch_up(Deadline.after(1.2, Ticking()))
        rounds += 1
        assert rounds < 200, "it does not move on"
    assert rounds > 1
    whole = Kept(repo)
    whole.catch_up()
    assert kept.content() == whole.content()


def test_a_new_head_reads_nothing_twice(repo: Repository) -> None:
    repo.commit(0, {"a.py": "def one():\n    return 1\n"})
    kept = Kept(repo)
    kept.catch_up()
    repo.commit(1, {"a.py": "def two():\n    return 2\n"})
    asked: list[list[str]] = []
    pending = kept.progress.pending
    kept.reader._progress.pending = lambda step, most=1: asked.append(found := pending(step, most)) or found  # type: ignore[method-assign]
    history = kept.catch_up()
    assert {sha for shas in asked for sha in shas} == {repo.git("rev-parse", "HEAD")}
    assert history.taken_away("one") is not None


def test_commits_of_another_branch_do_not_count(repo: Repository) -> None:
    repo.commit(0, {"a.py": "def one():\n    return 1\n", "b.py": "b = 1\n"})
    repo.git("checkout", "-q", "-b", "aside")
    repo.commit(1, {"a.py": "x = 1\n", "b.py": None})
    kept = Kept(repo)
    assert kept.catch_up().taken_away("one") is not None
    repo.git("checkout", "-q", "main")
    history = kept.catch_up()
    assert history.taken_away("one") is None
    assert [past.gone for past in history.named("b.py")] == [False]
    repo.git("checkout", "-q", "aside")
    assert [past.gone for past in kept.catch_up().named("b.py")] == [True]


def test_an_amended_commit_is_followed(repo: Repository) -> None:
    repo.commit(0, {"a.py": "def one():\n    return 1\n"})
    repo.commit(1, {"a.py": "x = 1\n"})
    kept = Kept(repo)
    kept.catch_up()
    repo.write({"a.py": "def one():\n    return 2\n"})
    repo.git("commit", "-qa", "--amend", "-m", "again")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    assert kept.catch_up().taken_away("one") is None


def test_a_word_that_moved_within_a_commit_was_not_taken_away(repo: Repository) -> None:
    repo.commit(0, {"a.py": "def one():\n    return 1\n\n\ndef two():\n    return 2\n", "b.py": "z = 0\n"})
    repo.commit(1, {"a.py": "def two():\n    return 2\n", "b.py": "z = 0\n\n\ndef one():\n    return 1\n"})
    assert Kept(repo).catch_up().taken_away("one") is None


def test_a_word_that_is_left_in_a_comment_was_taken_away_from_the_code(repo: Repository) -> None:
    repo.commit(0, {"a.py": "def one():\n    return 1\n"})
    sha = repo.commit(1, {"a.py": "# one was here\nx = 1\n"})
    found = Kept(repo).catch_up().taken_away("one")
    assert found is not None
    assert found.sha == sha


def test_odd_file_names_are_kept_as_they_are_shown(repo: Repository) -> None:
    repo.commit(0, {'a "b"\nc.py': "x = 1\n", "한글 이름.py": "y = 1\n"})
    raw = os.path.join(os.fsencode(repo.top), b"\xff\xfe.py")
    with open(raw, "wb") as file:
        file.write(b"z = 1\n")
    repo.commit(1, {})
    os.unlink(raw)
    repo.commit(2, {"한글 이름.py": None})
    history = Kept(repo).catch_up()
    assert [past.gone for past in history.named("한글 이름.py")] == [True]
    assert [past.gone for past in history.named("%FF%FE.py")] == [True]


def test_lines_that_look_like_headers_of_a_patch_are_lines(repo: Repository) -> None:
    repo.commit(0, {"a.sql": "-- note\n-- more\n++ odd_name\nselect old_name\n"})
    repo.commit(1, {"a.sql": "select new_name\n"})
    history = Kept(repo).catch_up()
    assert history.taken_away("old_name") is not None
    assert history.taken_away("odd_name") is not None


def test_no_line_of_code_is_kept_in_the_clear(repo: Repository, tmp_path: Path) -> None:
    repo.commit(0, {"a.py": 'TOKEN = "ghp_a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5a1B2c3"\n'})
    repo.commit(1, {"a.py": "x = 1\n"})
    path = tmp_path / "cache.db"
    kept = Kept(repo, Store(str(path)))
    assert kept.catch_up().taken_away("TOKEN") is not None
    kept.store.close()
    assert b"ghp_" not in path.read_bytes()
    assert b"TOKEN" not in path.read_bytes()


def test_a_history_that_git_cannot_read_to_its_end_is_told_as_that_until_it_is_mended(
    repo: Repository,
) -> None:
    first = repo.commit(0, {"a.py": "one = 1\n"})
    repo.commit(1, {"a.py": "two = 2\n"})
    kept = Kept(repo)
    stored = repo.top / ".git" / "objects" / first[:2] / first[2:]
    content = stored.read_bytes()
    stored.chmod(0o644)
    stored.write_bytes(b"garbage")
    assert kept.catch_up(Deadline.after(0)).unread() == "the history is not read yet"
    assert "git cannot read the history to its end" in kept.catch_up().unread()
    stored.write_bytes(content)
    assert kept.catch_up().knows_words()
    assert kept.progress.unread() == "the history is not read yet"


class Waiting:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


def test_a_commit_that_no_question_has_the_time_for_is_passed_by(repo: Repository) -> None:
    repo.commit(0, {"a.py": "def one():\n    return 1\n", "b.py": "def two():\n    return 2\n"})
    repo.commit(1, {"a.py": "x = 1\n"})
    slow = repo.commit(2, {"b.py": "y = 1\n"})
    kept = Kept(repo)
    clock = Waiting()
    read_words = kept.reader._read_words

    def slowly(shas: list[str], deadline: Deadline) -> int:
        if slow in shas:  # it comes first, and nothing behind it is reached
            clock.at += deadline.remaining()
            return 0
        return read_words(shas, LONG)

    kept.reader._read_words = slowly  # type: ignore[method-assign]
    questions = 0
    while not kept.progress.knows_words():
        history = kept.catch_up(Deadline.after(0.6, clock))
        questions += 1
        assert questions < 20, "it does not move on"
    assert questions > 2, "a commit is not given up at the first delay"
    history = kept.catch_up()
    assert history.taken_away("one") is not None
    assert history.taken_away("two") is None


def test_a_commit_that_takes_too_long_does_not_use_up_a_long_time(repo: Repository) -> None:
    repo.commit(0, {"a.py": "def one():\n    return 1\n"})
    repo.commit(1, {"a.py": "x = 1\n"})
    slow = repo.commit(2, {"a.py": "y = 1\n"})
    kept = Kept(repo)
    clock = Waiting()
    read_words = kept.reader._read_words

    def slowly(shas: list[str], deadline: Deadline) -> int:
        if slow in shas:
            clock.at += deadline.remaining()
            return 0
        return read_words(shas, LONG)

    kept.reader._read_words = slowly  # type: ignore[method-assign]
    assert kept.catch_up(Deadline.after(60, clock)).taken_away("one") is not None
    assert clock.at < 60
