"""Texts cut to a budget: never longer, always the text's own words, around what was asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.api import Authority
from recall.excerpt import approximate_tokens, cut, fit
from recall.index import Row
from recall.ranked import Factors, Ranked

ELLIPSES = 4  # tokens: one mark before, one after, one on each side of a cut line at most
# Line ends, wide letters, decomposed Hangul, letters that change their length when folded, and plain words.
LETTERS = st.sampled_from(
    ["가", "결제", "a", "retry", " ", "\n", "\n\n", "- ", "ß", "ﬁ", "ᄀ", "①", "😀", "\t", "."]
)
TEXTS = st.lists(LETTERS, max_size=400).map("".join)
NEEDLES = st.lists(st.sampled_from(["결제", "retry", "RETRY", "ss", "없는말", "", "가", "1"]), max_size=4)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("a", 1, 1),
        ("the payment worker retries three times", 8, 12),
        ("결제는 세 번까지 재시도한다", 12, 16),
        ("가" * 1_000, 1_000, 1_000),
        ("a" * 1_000, 250, 250),
        ("漢字かな", 4, 4),
    ],
)
def test_korean_is_counted_by_the_syllable_and_english_by_four_letters(
    text: str, least: int, most: int
) -> None:
    assert least <= approximate_tokens(text) <= most


@given(TEXTS, st.integers(1, 300), NEEDLES)
def test_an_excerpt_is_never_longer_than_about_its_budget(text: str, budget: int, needles: list[str]) -> None:
    assert approximate_tokens(cut(text, budget, needles)) <= budget + ELLIPSES


@given(TEXTS, st.integers(1, 300), NEEDLES)
def test_an_excerpt_holds_nothing_but_parts_of_the_text_in_their_order(
    text: str, budget: int, needles: list[str]
) -> None:
    found = 0
    for piece in cut(text, budget, needles).split("…"):
        found = text.index(piece.strip(), found) + len(piece.strip())


@given(TEXTS, NEEDLES)
def test_a_text_that_fits_is_shown_whole(text: str, needles: list[str]) -> None:
    assert cut(text, max(1, approximate_tokens(text)), needles) == text.strip()


@given(TEXTS, st.integers(1, 300), NEEDLES)
def test_what_is_cut_is_seen_to_be_cut(text: str, budget: int, needles: list[str]) -> None:
    excerpt = cut(text, budget, needles)
    assert ("…" in excerpt) == (excerpt != text.strip())


LINES = [f"{number}번째 줄에는 배포 기록이 있다" for number in range(100)]


@pytest.mark.parametrize("place", [0, 1, 50, 98, 99])
def test_the_line_that_was_asked_for_is_in_it_wherever_it_stands(place: int) -> None:
    lines = [*LINES[:place], "환불은 사흘 안에 처리한다", *LINES[place:]]
    assert "환불은 사흘 안에 처리한다" in cut("\n".join(lines), 60, ["환불"])


def test_one_line_of_context_comes_along() -> None:
    lines = [*LINES, "환불 규칙", "- 사흘 안에 처리한다", *LINES]
    assert "환불 규칙\n- 사흘 안에 처리한다" in cut("\n".join(lines), 60, ["처리한다"])


def test_the_part_with_most_of_the_needles_wins() -> None:
    lines = ["환불 절차", *LINES, "환불은 정산 뒤에 처리한다", *LINES]
    assert "정산 뒤에" in cut("\n".join(lines), 60, ["환불", "정산", "처리"])


def test_of_equal_parts_the_first_is_shown() -> None:
    lines = ["환불은 사흘", *LINES, "환불은 나흘", *LINES]
    assert cut("\n".join(lines), 60, ["환불"]).startswith("환불은 사흘")


def test_case_width_and_composition_do_not_hide_a_needle() -> None:
    lines = [*LINES, "ＲｅｔｒｙＷｏｒｋｅｒ가 다시 시도한다", *LINES]
    assert "가 다시 시도한다" in cut("\n".join(lines), 60, ["retryworker"])


@pytest.mark.parametrize("budget", [12, 24, 60, 200])
def test_a_needle_in_one_long_line_is_shown(budget: int) -> None:
    line = "배포 기록이 이어진다. " * 300 + "환불은 사흘 안에. " + "배포 기록이 이어진다. " * 300
    excerpt = cut(line, budget, ["환불"])
    assert "환불" in excerpt
    assert excerpt.startswith("…")
    assert excerpt.endswith("…")


def test_a_long_line_under_a_heading_is_shown_in_part() -> None:
    text = "# 환불 절차\n\n" + "배포 기록이 이어진다. " * 100 + "환불은 사흘 안에 처리한다. " * 5
    excerpt = cut(text, 100, ["사흘"])
    assert excerpt.startswith("# 환불 절차\n")
    assert "사흘 안에 처리한다" in excerpt


@given(st.integers(1, 40), st.integers(24, 200))
def test_short_lines_are_shown_whole(length: int, budget: int) -> None:
    lines = [f"{number}번 {'가' * min(length, budget // 2 - 8)}" for number in range(100)]
    shown = cut("\n".join(lines), budget, ["50번"]).split("\n")
    assert {line for line in shown if line not in lines} == {"…"}
    assert any(line.startswith("50번") for line in shown)


@pytest.mark.parametrize(
    "text",
    ["짧은 줄\n" * 100_000, "가" * 350_000, "a b " * 250_000, "\n" * 1_000_000 + "끝", "환불\n" * 150_000],
    ids=["short lines", "one line", "one line of words", "blank lines", "every line"],
)
def test_a_megabyte_is_cut_without_trouble(text: str) -> None:
    assert approximate_tokens(cut(text, 200, ["환불", "정산", "없는말"])) <= 200 + ELLIPSES


# -- several memories in one budget ---------------------------------------------------------------------------


FACTORS = Factors(1.0, 1.0, 1.0, 1.0, Authority.CURATED, 0.6, 0.94, 1.0, 1.0, 1.0, 1.0)


def ranked(text: str, number: int = 0, also: tuple[Ranked, ...] = ()) -> Ranked:
    row = Row(
        provider="notes",
        uri=f"recall://notes/{number}",
        title="",
        text=text,
        path="",
        line=None,
        project="",
        created=None,
        updated=None,
        date_origin="",
        kind="note",
        authority="",
        extra="{}",
        flags="",
        title_tokens="",
        body_tokens="",
    )
    return Ranked(row, FACTORS, also=also)


def test_memories_that_fit_are_shown_whole() -> None:
    hits = fit([ranked("결제는 세 번까지", n) for n in range(5)], 2_000, ["결제"])
    assert [(hit.excerpt, hit.whole) for hit in hits] == [("결제는 세 번까지", True)] * 5


def test_the_first_memories_get_the_larger_share() -> None:
    hits = fit([ranked("가나다라 마바사\n" * 500, n) for n in range(4)], 1_000, [])
    sizes = [hit.tokens for hit in hits]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 2 * sizes[-1]
    assert not any(hit.whole for hit in hits)


def test_what_a_short_memory_leaves_over_the_next_ones_get() -> None:
    long = "가나다라 마바사\n" * 500
    alone = fit([ranked(long, 0), ranked(long, 1)], 600, [])
    after_short = fit([ranked("짧다", 0), ranked(long, 1)], 600, [])
    assert after_short[1].tokens > alone[1].tokens


@given(st.lists(TEXTS.filter(str.strip), min_size=1, max_size=12), st.integers(50, 2_000))
def test_an_answer_keeps_to_its_budget_and_shows_at_least_one(texts: list[str], budget: int) -> None:
    hits = fit([ranked(text, number) for number, text in enumerate(texts)], budget, ["결제"])
    assert 1 <= len(hits) <= len(texts)
    assert sum(hit.tokens for hit in hits) <= budget + ELLIPSES * len(hits)
    assert [hit.ranked.row.text for hit in hits] == texts[: len(hits)]
    for hit in hits:
        assert hit.whole == (hit.excerpt == hit.ranked.row.text.strip())
        assert hit.full_tokens == approximate_tokens(hit.ranked.row.text)


def test_memories_without_room_for_a_line_are_left_out() -> None:
    hits = fit([ranked("가나다라 마바사\n" * 50, n) for n in range(12)], 100, [])
    assert len(hits) < 12


def test_what_stands_with_a_memory_takes_its_room_too() -> None:
    long = "가나다라 마바사\n" * 500
    copies = tuple(ranked(long, number) for number in range(10, 13))
    assert fit([ranked(long, 0, copies)], 600, [])[0].tokens < fit([ranked(long, 0)], 600, [])[0].tokens
