"""What was looked for and not found is not looked for again because something else was committed."""

from __future__ import annotations

from pathlib import Path

import pytest

from evidence.repository import Repository
from evidence.rows import LONG, NOW, checker_for, one
from recall.evidence.checker import Checker
from recall.evidence.result import Evidence, Verdict

TEXT = "`charge_card()` charges, `MAX_RETRIES` is 3"


class Asked:
    """A checker that counts its searches through all files."""

    def __init__(self, folder: Path, repo: Repository) -> None:
        self.checker: Checker = checker_for(folder, repo.top)
        self.searches = 0
        opened = self.checker._open(self.checker._repository(LONG))
        self.present = opened._present
        grep = self.present._grep

        def counted(*given: object, **named: object) -> None:
            self.searches += not named
            grep(*given, **named)  # type: ignore[arg-type]

        self.present._grep = counted  # type: ignore[method-assign]

    def __call__(self, text: str = TEXT) -> tuple[Evidence, int]:
        before = self.searches
        return one(self.checker, text), self.searches - before


@pytest.fixture
def repo(repo: Repository) -> Repository:
    code = "def charge_card():\n    return 1\n\n\nMAX_RETRIES = 3\n"
    repo.commit(0, {"src/a.py": code, "src/b.py": "x = 1\n", "notes.md": "none\n"})
    repo.commit(20, {"src/a.py": "MAX_RETRIES = 5\n"}, "Remove")
    return repo


def test_a_commit_of_something_else_costs_no_search(tmp_path: Path, repo: Repository) -> None:
    asked = Asked(tmp_path, repo)
    first, searches = asked()
    assert (first.verdict, searches) == (Verdict.CONTRADICTED, 1)
    repo.commit(30, {"src/b.py": "x = 2\n"})
    again, searches = asked()
    assert searches == 0
    assert [finding.reason for finding in again.findings] == [finding.reason for finding in first.findings]


def test_adding_to_the_index_costs_no_search(tmp_path: Path, repo: Repository) -> None:
    asked = Asked(tmp_path, repo)
    asked()
    repo.write({"src/c.py": "y = 1\n"})
    repo.git("add", "-A")
    assert asked()[1] == 0


def test_what_a_commit_brings_is_found(tmp_path: Path, repo: Repository) -> None:
    asked = Asked(tmp_path, repo)
    asked("`charge_card()` charges")
    repo.commit(30, {"src/c.py": "def charge_card():\n    return 3\n"})
    assert asked("`charge_card()` charges")[0].verdict is Verdict.CURRENT


def test_another_value_of_a_later_commit_is_told(tmp_path: Path, repo: Repository) -> None:
    asked = Asked(tmp_path, repo)
    assert "it is 5 now" in asked("`MAX_RETRIES` is 3")[0].findings[0].reason
    repo.commit(30, {"src/a.py": "MAX_RETRIES = 7\n"})
    assert "it is 7 now" in asked("`MAX_RETRIES` is 3")[0].findings[0].reason


def test_what_is_told_of_in_a_document_of_a_later_commit_is_told(tmp_path: Path, repo: Repository) -> None:
    asked = Asked(tmp_path, repo)
    asked("`charge_card()` charges")
    repo.commit(30, {"notes.md": "`charge_card` was here\n"})
    assert "only told of in notes.md:1" in asked("`charge_card()` charges")[0].findings[0].reason
    repo.commit(40, {"notes.md": "none\n"})
    assert "only told of" not in asked("`charge_card()` charges")[0].findings[0].reason


def test_what_an_edit_took_away_comes_back_with_the_edit_undone(tmp_path: Path, repo: Repository) -> None:
    asked = Asked(tmp_path, repo)
    repo.commit(30, {"src/a.py": "def charge_card():\n    return 3\n"})
    repo.write({"src/a.py": "x = 1\n"})
    assert asked("`charge_card()` charges")[0].contradicted
    repo.git("checkout", "-q", "--", "src/a.py")
    repo.commit(40, {"src/b.py": "x = 2\n"})
    assert asked("`charge_card()` charges")[0].verdict is Verdict.CURRENT


def test_after_an_hour_all_is_looked_for_again(tmp_path: Path, repo: Repository) -> None:
    asked = Asked(tmp_path, repo)
    asked("`never_was()` charges")
    asked.checker._opened._absences._now = lambda: NOW + 3_601  # type: ignore[union-attr]
    repo.commit(30, {"src/b.py": "x = 2\n"})
    assert asked("`never_was()` charges")[1] == 1


def test_very_many_changes_are_not_read_one_by_one(tmp_path: Path, repo: Repository) -> None:
    asked = Asked(tmp_path, repo)
    asked("`never_was()` charges")
    repo.write({f"src/new_{number}.py": "x = 1\n" for number in range(200)})
    repo.git("add", "-A")
    assert asked("`never_was()` charges")[1] == 1
