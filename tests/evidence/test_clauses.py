"""What a sentence takes out of the present, and how far that reaches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.evidence.claims import Kind, claims_of
from recall.evidence.clauses import unasserted
from recall.evidence.outline import Tense


def tenses(text: str) -> dict[str, Tense]:
    """How a text speaks of each name in it."""
    return {claim.text: claim.tense for claim in claims_of(text).claims if claim.kind is Kind.NAME}


@pytest.mark.parametrize(
    "text",
    [
        "Don't bring back `old_one`.",
        "`old_one` isn't used any more.",
        "Nobody calls `old_one` these days.",
        "We plan to drop `old_one`.",
        "`old_one` should be removed when there is time.",
        "If we ever go back to `old_one`, tell ops.",
        "`old_one` would have been faster.",
        "Is `old_one` still called?",
        'The wiki says "just call `old_one` here".',
        "According to the wiki `old_one` retries.",
        "Before the rewrite `old_one` guarded every route.",
        "`old_one` ran at night.",
        "We chose sessions over `old_one`.",
        "`old_one`는 되살리지 말 것.",
        "`old_one`은 다음 주에 뺄 예정.",
        "예전에는 `old_one`으로 처리했다.",
        "`old_one`을 계속 쓰나요?",
        "문서에는 `old_one`을 부르라고 되어 있다.",
    ],
)
def test_what_is_denied_planned_supposed_reported_or_past_is_no_assertion(text: str) -> None:
    assert tenses(text)["old_one"] is not Tense.PRESENT


@pytest.mark.parametrize(
    "text",
    [
        "`the_one` never returns None.",
        "`the_one` does not touch paid rows.",
        "When a job fails `the_one` puts it back.",
        "Nothing starts without `the_one`.",
        "`the_one` is called by tenants that will move later.",
        "`the_one` was added because slots were slow.",
        "`the_one` must never be raised.",
        "`the_one`은 만료를 확인하지 않는다.",
        "실패하면 `the_one`이 다시 넣는다.",
        "`the_one`을 추가했다.",
        "`the_one`을 쓴다. 바꿀 계획은 없다.",
    ],
)
def test_what_is_denied_of_something_that_is_there_is_an_assertion(text: str) -> None:
    assert tenses(text)["the_one"] is Tense.PRESENT


@pytest.mark.parametrize(
    "text",
    [
        "Never bring back `old_one`, but `the_one` is fine.",
        "`old_one` is going away because `the_one` covers it.",
        "It is in `the_one`, not in `old_one`.",
        "We want to remove `old_one`: `the_one` does the same.",
        "`old_one`은 뺄 예정, 지금은 `the_one`을 쓴다.",
        "`old_one`에서 `the_one`으로 옮겼다.",
    ],
)
def test_a_marker_governs_its_clause_and_no_more(text: str) -> None:
    found = tenses(text)
    assert found["the_one"] is Tense.PRESENT
    assert found["old_one"] is not Tense.PRESENT


def test_a_list_of_names_is_one_clause() -> None:
    found = tenses("We no longer use `one_name`, `two_name` and `three_name`.")
    assert len(found) == 3
    assert Tense.PRESENT not in found.values()


def test_what_was_told_as_gone_is_not_told_as_there_by_how_it_was() -> None:
    text = "`old_one` was removed. `old_one` is slow and reads all rows."
    assert tenses(text)["old_one"] is Tense.UNCLEAR
    assert tenses("`old_one` is slow. `old_one` was removed.")["old_one"] is Tense.PAST


@given(
    st.text(alphabet=st.sampled_from("_ ,.;:?!'\"not will be removed to use if we 다했지말 "), max_size=200)
)
def test_any_sentence_has_parts_within_it(text: str) -> None:
    for start, end in unasserted(text):
        assert start >= 0
        assert end <= len(text)
