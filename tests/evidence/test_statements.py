"""What sentences say was moved or raised from, and to; statements in code, and particles behind a space."""

from __future__ import annotations

import pytest

from recall.evidence.claims import claims_of
from recall.evidence.outline import Tense


def tenses(text: str) -> dict[str, Tense]:
    return {claim.text: claim.tense for claim in claims_of(text).claims}


@pytest.mark.parametrize("space", ["", " "])
@pytest.mark.parametrize(
    "old", ["`old_one`", "`from api.old import old_one`", "`import { old_one } from 'x'`"]
)
@pytest.mark.parametrize("new", ["`new_one`", "`from api.new import new_one`"])
@pytest.mark.parametrize("verb", ["바꿨다", "바꿈", "옮겼다", "교체했다", "전부 바꿨습니다"])
def test_the_object_is_told_as_past_and_the_target_is_there(
    old: str, new: str, verb: str, space: str
) -> None:
    found = tenses(f"{old}{space}를 {new}{space}로 {verb}.")
    assert found == {"old_one": Tense.PAST, "new_one": Tense.PRESENT}


def test_statements_without_code_marks_are_names_too() -> None:
    found = tenses("from api.old import old_one 를 from api.new import new_one 로 바꿨다.")
    assert found == {"old_one": Tense.PAST, "new_one": Tense.PRESENT}
    assert tenses("import 문을 from api.new import new_one 로 바꿨다.") == {"new_one": Tense.PRESENT}
    assert tenses("from api.old import old_one 은 삭제했다.") == {"old_one": Tense.PAST}


@pytest.mark.parametrize(
    "sentence",
    [
        "`the_one`로 바꿀 예정이다.",
        "`the_one`로 바꾸자.",
        "`the_one`로 바꿨다고 한다.",
        "`the_one`로 바꿨다가 되돌렸다.",
        "`the_one`로 바꿨었다.",
        "`the_one`로 바꿨나요?",
        "예전에 `the_one`로 바꿨다.",
        "`the_one`로 돌리던 것을 `other_one`으로 옮겼다.",
    ],
)
def test_a_target_that_is_planned_reported_taken_back_or_past_is_not_asserted(sentence: str) -> None:
    assert tenses(sentence)["the_one"] is not Tense.PRESENT


@pytest.mark.parametrize(
    "sentence",
    [
        "Raised `the_one` to 5.",
        "Raised `the_one` from 3 to 5.",
        "Changed `the_one` to 5 for slow banks.",
        "`the_one`는 5로 올렸다.",
        "`the_one`를 3에서 5로 변경했다.",
        "`the_one`을 30초로 바꿨다.",
    ],
)
def test_a_name_that_was_given_another_number_is_not_told_as_gone(sentence: str) -> None:
    assert tenses(sentence)["the_one"] is not Tense.PAST


@pytest.mark.parametrize("verb", ["Changed", "Converted", "Swapped"])
@pytest.mark.parametrize("link", ["to", "into", "for"])
def test_what_was_changed_to_something_else_is_not_asserted(verb: str, link: str) -> None:
    found = tenses(f"{verb} `old_one` {link} `new_one`.")
    assert (found["old_one"], found["new_one"]) != (Tense.PRESENT, Tense.PRESENT)
    assert found["old_one"] is not Tense.PRESENT


@pytest.mark.parametrize(
    "sentence",
    [
        "세율이 바뀌면 `the_one`을 실행한다.",
        "파일이 사라지면 `the_one`이 만든다.",
        "키가 없어지면 `the_one`이 알린다.",
    ],
)
def test_a_condition_takes_nothing_out_of_the_present(sentence: str) -> None:
    assert tenses(sentence)["the_one"] is Tense.PRESENT


def test_at_a_time_is_no_time_of_the_past() -> None:
    assert tenses("`the_one` takes 200 rows at a time.")["the_one"] is Tense.PRESENT
    assert tenses("At the time `the_one` took 200 rows.")["the_one"] is not Tense.PRESENT


def test_a_row_of_a_name_and_a_number_is_a_value_unless_its_column_is_of_the_past() -> None:
    head = "|---|---|\n| THE_ONE | 3 |"
    assert tenses(f"| setting | value |\n{head}")["THE_ONE = 3"] is Tense.PRESENT
    assert "THE_ONE = 3" not in tenses(f"| setting | before |\n{head}")
    assert "THE_ONE = 3" not in tenses("| THE_ONE | 3 | 5 |")
