"""Counts, ages and near misses as a reader meets them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.wording import ago, counted, nearest, visible, why


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0 memories"), (1, "1 memory"), (2, "2 memories"), (2_000, "2,000 memories")],
)
def test_a_count_agrees_with_its_noun(number: int, words: str) -> None:
    assert counted(number, "memory", "memories") == words


def test_a_regular_noun_needs_no_plural() -> None:
    assert (counted(1, "term"), counted(3, "term")) == ("1 term", "3 terms")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "just now"),
        (0, "just now"),
        (59.9, "just now"),
        (60, "1 minute ago"),
        (3_599, "59 minutes ago"),
        (3_600, "1 hour ago"),
        (86_399, "23 hours ago"),
        (86_400, "1 day ago"),
        (29 * 86_400, "29 days ago"),
        (30 * 86_400, "1 month ago"),
        (364 * 86_400, "12 months ago"),
        (365 * 86_400, "1 year ago"),
        (20 * 365 * 86_400, "20 years ago"),
    ],
)
def test_an_age_is_told_in_its_largest_whole_unit(seconds: float, words: str) -> None:
    assert ago(seconds) == words


@given(st.floats(-1e12, 1e12))
def test_every_age_has_words(seconds: float) -> None:
    words = ago(seconds)
    assert words == "just now" or words.endswith(" ago")
    assert not words.startswith(("0", "-"))


@pytest.mark.parametrize(
    ("word", "meant"), [("serana", "serena"), ("claud-mem", "claude-mem"), ("zzz", ""), ("", "")]
)
def test_the_nearest_known_word_is_meant_or_none(word: str, meant: str) -> None:
    assert nearest(word, ["serena", "claude-mem", "markdown"]) == meant


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("결제 재시도.md", "결제 재시도.md"),
        ("a\x1b]0;title\x07.md", "a\\x1b]0;title\\x07.md"),
        ("line\nend", "line\\x0aend"),
        ("turned\u202egnp", "turned\\u202egnp"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("wide\u3000blank", "wide\u3000blank"),
        ("half\udcff", "half\\udcff"),
    ],
)
def test_every_character_of_a_name_can_be_seen(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible(visible(text)) == shown


def test_an_error_of_the_system_is_said_in_its_few_words() -> None:
    assert why(FileNotFoundError(2, "No such file or directory", "/shop")) == "no such file or directory"
    assert why(ValueError("Embedded null byte")) == "embedded null byte"
    assert why(OSError()) == "oserror"
