"""What corpora held at earlier looks: trends, alarms, and a file that may be missing, damaged or shut."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.history import History, Look, Trend

DAY = 86_400.0
NOW = 1_780_000_000.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "history" / "scope.json"


def note(path: Path, *looks: tuple[float, int], provider: str = "serena") -> None:
    """Looks as (days from now, items), each by an engine of its own."""
    for days, items in looks:
        History(path).note({provider: Look(NOW + days * DAY, "ready", items)})


def trend(path: Path, items: int, days: float = 0.0) -> Trend:
    return History(path).trend("serena", items, NOW + days * DAY)


def test_a_corpus_never_seen_before_has_no_trend(path: Path) -> None:
    assert trend(path, 5) == Trend()


def test_a_corpus_that_has_not_changed_has_no_trend(path: Path) -> None:
    note(path, (-3, 5), (-1, 5))
    assert trend(path, 5) == Trend()


def test_a_change_is_told_with_the_last_count_that_differs(path: Path) -> None:
    note(path, (-9, 3), (-4, 5), (-2, 7), (-1, 7))
    assert trend(path, 7) == Trend("5 4 days ago, 7 now")
    assert trend(path, 8) == Trend("7 1 day ago, 8 now")


@pytest.mark.parametrize(
    ("before", "now", "alarm"),
    [
        (2_000, 0, True),
        (1, 0, True),
        (10, 4, True),
        (10, 5, False),
        (10, 9, False),
        (10, 11, False),
        (0, 10, False),
    ],
)
def test_losing_more_than_half_is_an_alarm(path: Path, before: int, now: int, alarm: bool) -> None:
    note(path, (-1, before))
    assert trend(path, now).alarm is alarm


def test_the_alarm_names_both_counts(path: Path) -> None:
    note(path, (-1, 2_000))
    assert trend(path, 0) == Trend("2,000 1 day ago, 0 now", alarm=True)


def test_the_alarm_lasts_while_the_memories_are_gone(path: Path) -> None:
    note(path, (-3, 2_000), (-2, 0), (-1, 0))
    assert trend(path, 0) == Trend("2,000 3 days ago, 0 now", alarm=True)


def test_a_corpus_that_grows_again_is_no_alarm(path: Path) -> None:
    note(path, (-3, 2_000), (-2, 0))
    assert trend(path, 100) == Trend("0 2 days ago, 100 now")


def test_a_loss_in_small_steps_is_an_alarm_too(path: Path) -> None:
    note(path, *((-10 + step, 100 - 10 * step) for step in range(6)))
    assert trend(path, 45).alarm


def test_a_look_at_this_very_moment_is_not_the_past(path: Path) -> None:
    note(path, (0, 9))
    assert trend(path, 5) == Trend()


def test_providers_have_histories_of_their_own(path: Path) -> None:
    note(path, (-1, 9), provider="claude-mem")
    assert trend(path, 5) == Trend()


def looks(path: Path) -> list[list[object]]:
    found: list[list[object]] = json.loads(path.read_text("utf-8"))["serena"]
    return found


def test_the_same_count_within_an_hour_is_one_look(path: Path) -> None:
    note(path, (0, 5), (0.01, 5), (0.02, 5))
    assert looks(path) == [[NOW + 0.02 * DAY, "ready", 5]]


def test_another_count_within_an_hour_is_kept_apart(path: Path) -> None:
    note(path, (0, 5), (0.01, 0))
    assert [items for _at, _state, items in looks(path)] == [5, 0]


def test_looks_an_hour_apart_are_all_kept_up_to_a_limit(path: Path) -> None:
    note(path, *((day, 5) for day in range(50)))
    kept = looks(path)
    assert len(kept) == 40
    assert kept[-1][0] == NOW + 49 * DAY


def test_the_file_is_for_its_owner_and_nothing_is_left_beside_it(path: Path) -> None:
    note(path, (0, 5), (1, 6))
    assert [child.name for child in path.parent.iterdir()] == ["scope.json"]
    assert path.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "null",
        "[]",
        "7",
        '{"serena": null}',
        '{"serena": [[1]]}',
        '{"serena": [["a", "b", "c"]]}',
        '{"serena": 5}',
        "\udcff",
    ],
)
def test_a_damaged_file_is_no_history_and_is_written_anew(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    assert trend(path, 5) == Trend()
    note(path, (0, 5))
    assert looks(path) == [[NOW, "ready", 5]]


def test_a_folder_that_cannot_be_written_to_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    history = History(blocked / "history" / "scope.json")
    history.note({"serena": Look(NOW, "ready", 5)})
    assert history.trend("serena", 0, NOW + DAY).alarm
    assert blocked.read_text() == "in the way"


@given(st.lists(st.integers(0, 3_000), max_size=60), st.integers(0, 3_000))
def test_an_alarm_is_always_a_loss_and_always_has_words(
    tmp_path_factory: pytest.TempPathFactory, counts: list[int], now: int
) -> None:
    history = History(tmp_path_factory.mktemp("history") / "scope.json")
    for day, items in enumerate(counts):
        history.note({"serena": Look(NOW + day * DAY, "ready", items)})
    found = history.trend("serena", now, NOW + len(counts) * DAY)
    kept = counts[-40:]
    assert bool(found.text) == any(items != now for items in kept)
    if found.alarm:
        assert now < max(kept)
        assert found.text.endswith(f"{now:,} now")
