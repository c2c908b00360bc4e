"""What rules a line: headings, labels, heads of columns, checklists, quotes, the status of a record."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.evidence.claims import claims_of
from recall.evidence.outline import Tense, lines


def tenses(text: str) -> dict[str, Tense]:
    """How a text speaks of each thing in it."""
    return {claim.text: claim.tense for claim in claims_of(text).claims}


@pytest.mark.parametrize(
    "above",
    [
        "## Removed",
        "## 삭제됨",
        "### Dropped in 2.0",
        "## Deleted files",
        "**Removed:**",
        "Deleted:",
        "## 없어진 것들",
    ],
)
def test_what_stands_under_a_heading_of_what_was_removed_is_told_as_past(above: str) -> None:
    assert tenses(f"{above}\n- `old_one`\n")["old_one"] is Tense.PAST


@pytest.mark.parametrize(
    "above",
    [
        "## Plan",
        "## Next steps",
        "## 할 일",
        "## History",
        "## Rejected alternatives",
        "## What we do not have any more",
        "Files that no longer exist:",
        "TODO:",
        "## Examples",
    ],
)
def test_what_stands_under_a_heading_of_plans_or_the_past_is_no_assertion(above: str) -> None:
    assert tenses(f"{above}\n- `old_one`\n")["old_one"] is Tense.UNCLEAR


@pytest.mark.parametrize(
    "above",
    [
        "## Jobs",
        "## Draft orders",
        "## Background jobs",
        "## Why are refunds slow?",
        "## How to remove a user",
        "# Suggested commands",
        "## Recommended settings",
        "To remove a user:",
        "## 예약",
        "Two functions matter:",
        "## 파일 작업",
        "## 역할 항목",
        "## 주의할 점",
        "## 사용할 것",
    ],
)
def test_a_heading_that_names_a_subject_rules_nothing(above: str) -> None:
    assert tenses(f"{above}\n- `the_one`\n")["the_one"] is Tense.PRESENT


_THINGS = ("Files", "Bugs", "Work", "Issues", "Tests", "Features")
_DEEDS = (
    "modified",
    "fixed",
    "completed",
    "added",
    "resolved",
    "implemented",
    "changed",
    "updated",
    "created",
    "done",
)


@pytest.mark.parametrize("form", ["## {}", "### {}:", "**{}**", "**{}:**", "{}:", "- {}:"])
@pytest.mark.parametrize(
    "deed",
    [
        *(f"{thing} {deed}" for thing in _THINGS for deed in _DEEDS),
        *("What was done", "What I did", "What we learned", "Completed", "Changes made", "What changed"),
        *(
            "변경한 파일",
            "수정된 파일",
            "변경됨",
            "고친 버그",
            "완료한 작업",
            "한 일",
            "추가한 기능",
            "변경 사항",
        ),
    ],
)
def test_what_stands_under_a_heading_of_what_somebody_did_is_asserted(form: str, deed: str) -> None:
    assert tenses(f"{form.format(deed)}\n  - `the_one`\n")["the_one"] is Tense.PRESENT


@pytest.mark.parametrize(
    "deed", ["Files modified", "Bugs fixed", "Modified", "변경한 파일", "수정됨", "변경됨"]
)
def test_a_label_of_what_somebody_did_asserts_its_line(deed: str) -> None:
    assert tenses(f"{deed}: `the_one`")["the_one"] is Tense.PRESENT


def test_a_korean_label_of_a_deed_leaves_what_was_exchanged_behind_it_alone() -> None:
    assert tenses("변경됨: `old_one`을 `new_one`으로")["old_one"] is not Tense.PRESENT


@pytest.mark.parametrize(
    "above",
    [
        *("Files removed", "What we had before", "Files no longer modified", "How it was"),
        *("How it worked", "What it did", "Work planned"),
        *("Bugs to be fixed", "Fixed before", "이전에 변경한 파일", "수정 예정"),
    ],
)
def test_a_deed_does_not_make_an_assertion_of_what_is_gone_planned_or_past(above: str) -> None:
    assert tenses(f"## {above}\n- `the_one`\n")["the_one"] is not Tense.PRESENT


@pytest.mark.parametrize(
    "ahead",
    [
        *(
            "할 일",
            "해야 할 일",
            "해야 할 것",
            "앞으로 할 일",
            "남은 일",
            "남은 작업",
            "밀린 일",
            "예정",
            "예정된 작업",
        ),
        *(
            "고칠 것",
            "추가할 기능",
            "개선할 점",
            "수정 예정",
            "수정 필요",
            "미완료",
            "과제",
            "다음 할 일",
            "해결할 문제",
        ),
    ],
)
@pytest.mark.parametrize("form", ["## {}\n- ", "{}:\n- ", "**{}**\n- ", "{}: ", "- {}: ", "**{}**: "])
def test_what_is_still_to_be_done_is_no_assertion_in_korean_either(form: str, ahead: str) -> None:
    assert tenses(f"{form.format(ahead)}`the_one` 재시도\n")["the_one"] is Tense.UNCLEAR


def test_a_heading_rules_up_to_the_next_of_its_level() -> None:
    found = tenses("## Removed\n### Jobs\n- `one_name`\n## Kept\n- `two_name`")
    assert found == {"one_name": Tense.PAST, "two_name": Tense.PRESENT}


def test_a_label_rules_its_list_and_not_what_follows_it() -> None:
    found = tenses("Removed:\n- `one_name`\n- `two_name`\n\nThe rest is in `three_name`.")
    assert found == {"one_name": Tense.PAST, "two_name": Tense.PAST, "three_name": Tense.PRESENT}
    found = tenses("- Removed:\n  - `one_name`\n- `two_name` retries")
    assert found == {"one_name": Tense.PAST, "two_name": Tense.PRESENT}


def test_a_column_is_ruled_by_its_head() -> None:
    found = tenses("| old | new |\n|---|---|\n| `one_name` | `two_name` |\n")
    assert found == {"one_name": Tense.UNCLEAR, "two_name": Tense.PRESENT}


def test_a_row_is_ruled_by_the_cell_of_its_status() -> None:
    found = tenses("| what | status |\n|---|---|\n| `one_name` | removed |\n| `two_name` | checks |\n")
    assert found == {"one_name": Tense.PAST, "two_name": Tense.PRESENT}


@pytest.mark.parametrize(
    ("line", "tense"),
    [
        ("- [ ] document `the_one`", Tense.UNCLEAR),
        ("- [x] delete `the_one`", Tense.UNCLEAR),
        ("- [x] `the_one` has tests", Tense.PRESENT),
        ("> call `the_one` first", Tense.UNCLEAR),
        ("~~`the_one`~~", Tense.PAST),
        ("TODO: document `the_one`", Tense.UNCLEAR),
    ],
)
def test_a_box_a_quote_and_a_stroke_rule_their_line(line: str, tense: Tense) -> None:
    assert tenses(line)["the_one"] is tense


@pytest.mark.parametrize("status", ["Status: rejected", "## Status\n\nProposed", "상태: 폐기"])
def test_a_record_that_is_not_in_force_asserts_nothing(status: str) -> None:
    assert tenses(f"{status}\n\nWe call `the_one`.")["the_one"] is Tense.UNCLEAR


def test_the_context_of_a_record_is_what_was_so_before_it() -> None:
    found = tenses("Status: accepted\n\n## Context\n`one_name` is slow.\n\n## Decision\nUse `two_name`.")
    assert found == {"one_name": Tense.UNCLEAR, "two_name": Tense.PRESENT}


def test_lines_that_a_patch_takes_away_are_no_assertion() -> None:
    found = tenses("```diff\n- src/one.py\n+ src/two.py\n```")
    assert found == {"src/one.py": Tense.UNCLEAR, "src/two.py": Tense.PRESENT}


@given(st.text(alphabet=st.sampled_from("#|-:*`>[]x~ \n\tRemoved삭제"), max_size=300))
def test_any_text_has_its_lines(text: str) -> None:
    found = list(lines(text))
    assert len(found) <= text.count("\n") + 1


@pytest.mark.parametrize(
    "piece", ["-", "| ", "|-", "# ", "- [ ] ", "> ", "*", "~~", "a: ", "not _ ", "`a_b`, "]
)
def test_endless_repetition_is_read_in_pieces(piece: str) -> None:
    assert claims_of(piece * 30_000).more >= 0
