"""Ignore patterns of strangers: honoured where that is safe, refused where it is not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_serena.patterns import compile_all, count_choices


def test_a_pattern_hides_only_names_that_match_as_a_whole() -> None:
    patterns = compile_all(["_archive/.*"])
    assert patterns.hide("_archive/2025_gateway")
    assert not patterns.hide("payments/_archive/2025_gateway")
    assert not patterns.hide("core")


def test_several_patterns_hide_what_any_of_them_matches() -> None:
    patterns = compile_all(["(?:_archive|legacy)/.*", "tmp|임시"])
    assert [name for name in ("legacy/a", "임시", "tmp", "core") if patterns.hide(name)] == [
        "legacy/a",
        "임시",
        "tmp",
    ]


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", "not a regular expression"),
        ("*", "not a regular expression"),
        ("a" * 501, "longer than 500 characters"),
        ("(a+)+", "for ever"),
        ("(a|a)*", "for ever"),
        ("(?:.*)*x", "for ever"),
        ("((ab)*c)+", "for ever"),
        ("(a?){40}", "for ever"),
    ],
)
def test_a_pattern_that_cannot_be_applied_is_refused_with_its_reason(pattern: str, reason: str) -> None:
    patterns = compile_all([pattern, "old/.*"])
    assert len(patterns.refused) == 1
    assert reason in patterns.refused[0]
    assert patterns.hide("old/notes")  # the others still hold


@pytest.mark.parametrize(
    ("pattern", "choices"),
    [
        ("core", 0),
        ("_archive/.*", 1),
        (r"\*\+\?", 0),
        ("[*+?]x", 0),
        ("(ab)*", 1),
        ("a|b*|c*d*", 2),
        (".*/old/.*", 2),
        ("(?:a|b)?c", 2),
        (".*?x+?", 2),
    ],
)
def test_choices_are_counted_along_the_worst_alternative(pattern: str, choices: int) -> None:
    assert count_choices(pattern) == choices


def test_a_costly_pattern_is_not_tried_on_a_long_name_and_that_is_told() -> None:
    patterns = compile_all([".*" * 30 + "x"])
    long_name = "a" * 60
    assert not patterns.hide(long_name)
    assert patterns.leave_undecided(long_name)
    assert not compile_all([".*x"]).leave_undecided(long_name)


@given(st.lists(st.sampled_from(["a", ".", "*", "+", "?", "(", ")", "|", "{2,}", "[ab]", "/"]), max_size=14))
@settings(max_examples=300)
def test_any_pattern_comes_back_for_any_name(parts: list[str]) -> None:
    patterns = compile_all(["".join(parts)])
    assert len(patterns.compiled) + len(patterns.refused) == 1
    for length in (0, 1, 20, 80, 400):
        assert patterns.hide("a" * length) in (True, False)  # returns at all: refused patterns would not
