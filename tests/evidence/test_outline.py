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
    ],
)
def test_a_heading_that_names_a_subject_rules_nothing(above: str) -> None:
    assert tenses(f"{above}\n- `the_one`\n")["the_one"] is Tense.PRESENT


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
