"""Markdown texts taken apart: sections, rows of tables, written dates, titles as parts of ids."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall import outline

LINES = st.lists(
    st.sampled_from(["# A", "## B ##", "### 가", "text", "```", "~~~", "    # code", "", "#tag", "|a|"])
)


def test_a_text_is_cut_at_its_headings() -> None:
    text = "intro\n\n# Title #\n\nbody\n## Part\n### Deep\nlast\n"
    assert [(part.level, part.heading, part.line, part.text) for part in outline.sections(text)] == [
        (0, "", 1, "intro"),
        (1, "Title", 3, "body"),
        (2, "Part", 6, ""),
        (3, "Deep", 7, "last"),
    ]


@pytest.mark.parametrize("fence", ["```", "~~~", "```python"])
def test_headings_in_a_code_fence_are_none(fence: str) -> None:
    text = f"# A\n{fence}\n# not one\n{fence[:3]}\n# B\n"
    assert [part.heading for part in outline.sections(text)] == ["A", "B"]


@given(LINES)
def test_sections_hold_every_line_in_order(lines: list[str]) -> None:
    parts = outline.sections("\n".join(lines))
    kept = [line.rstrip() for part in parts for line in part.source.split("\n") if line.strip()]
    assert kept == [line.rstrip() for line in lines if line.strip()]
    for part in parts:
        if part.level:
            assert lines[part.line - 1].lstrip("# ").startswith(part.heading)


def test_rows_of_a_table_come_with_the_heads_of_their_columns() -> None:
    text = "no table\n\n| A | B |\n|---|:-:|\n| 1 | x \\| y |\n| 2 |\n\n| 3 | not in a table |\n"
    assert list(outline.table_rows(text)) == [(5, {"A": "1", "B": "x | y"}), (6, {"A": "2"})]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-02", datetime(2026, 1, 2)),
        ("on 2026.1.2.", datetime(2026, 1, 2)),
        ("2026/01/02", datetime(2026, 1, 2)),
        ("2026년 1월 2일", datetime(2026, 1, 2)),
        ("20260102-title.md", datetime(2026, 1, 2)),
        ("2026-01-02-153045-title", datetime(2026, 1, 2, 15, 30, 45)),
        ("2026-01-02T15:30:45Z", datetime(2026, 1, 2, 15, 30, 45)),
        ("2026-01-02 15:30", datetime(2026, 1, 2, 15, 30)),
        ("2026-13-45, then 2026-01-02", datetime(2026, 1, 2)),
        ("12026-01-02", None),
        ("2026-01/02", None),
        ("1999-01-02", None),
        ("no date", None),
    ],
)
def test_the_first_date_in_a_text_is_found(text: str, expected: datetime | None) -> None:
    assert outline.date_in(text) == (expected and expected.replace(tzinfo=UTC))


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("2026-01-02: Use C++ / Kafka!", "2026-01-02-use-c-kafka"),
        ("결정 4: 캐시를 쓴다", "결정-4-캐시를-쓴다"),
        ("...", ""),
        ("a" * 80, "a" * 60),
        ("snake_case", "snake-case"),
    ],
)
def test_a_title_becomes_a_part_of_an_id(title: str, expected: str) -> None:
    assert outline.slug(title) == expected
    assert outline.slug(unicodedata.normalize("NFD", title)) == expected
