"""Sections cut to one budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recall.context.budget import Section, fitted, tokens, utf8

LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=200), max_size=40)


def section(name: str, share: float, *lines: str) -> Section:
    return Section(name, name.title(), share, lines)


def test_a_long_section_is_cut_inside_itself_and_pushes_no_other_one_out() -> None:
    decisions = section(
        "decisions", 0.7, *(f"decision {number}: we keep the old way" for number in range(500))
    )
    steps = section("next", 0.3, "run the migration", "write to the bank", "remove the flag")
    cut, kept = fitted([decisions, steps], 300)
    assert kept == steps
    assert 0 < len(cut.lines) < 500
    assert cut.left_out == 500 - len(cut.lines)


def test_what_one_section_leaves_over_goes_to_the_others() -> None:
    lines = [f"line {number}" for number in range(100)]
    alone, _empty = fitted([section("a", 0.5, *lines), section("b", 0.5)], 100)
    beside, _full = fitted([section("a", 0.5, *lines), section("b", 0.5, *lines)], 100)
    assert len(alone.lines) > len(beside.lines) > 0


def test_one_line_that_is_too_long_is_shortened_and_said_to_be() -> None:
    (cut,) = fitted([section("a", 1, "word " * 400, "next")], 50)
    assert cut.lines[0].endswith("…")
    assert (cut.shortened, cut.left_out) == (1, 1)


def test_a_section_that_is_cut_twice_counts_all_that_is_missing() -> None:
    once = fitted([section("a", 1, *(f"line {number}" for number in range(100)))], 120)
    (twice,) = fitted(once, 30)
    assert len(twice.lines) + twice.left_out == 100


@given(st.lists(st.tuples(st.floats(0.01, 1), LINES), min_size=1, max_size=6), st.integers(0, 2_000))
def test_nothing_is_lost_and_the_budget_holds(
    given_sections: list[tuple[float, list[str]]], budget: int
) -> None:
    sections = [
        Section(str(number), "", share, tuple(lines)) for number, (share, lines) in enumerate(given_sections)
    ]
    for size in (tokens, utf8):
        cut = fitted(sections, budget, size)
        assert sum(size(line) for one in cut for line in one.lines) <= budget
        for before, after in zip(sections, cut, strict=True):
            assert len(after.lines) + after.left_out == len(before.lines)
