"""What Korean sentences say was moved from, and to; statements in code, and particles behind a space."""

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
