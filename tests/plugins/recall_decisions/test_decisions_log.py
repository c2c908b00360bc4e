"""Decision logs: what an entry is, in which form it comes, and that its id stays."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall import conventions
from recall.api import Authority, Memory, State

if TYPE_CHECKING:
    from conftest import World


def titles(world: World, text: str) -> dict[str, Memory]:
    world.put("DECISIONS.md", text)
    return {memory.title: memory for memory in world.memories().values()}


def test_a_heading_with_its_text_is_an_entry(world: World) -> None:
    found = titles(
        world,
        "# Decisions\n\nAppend only.\n\n## 2026-01-02: Orders stay in Postgres\n\nNo second store.\n\n"
        "### Why\n\nOne backup.\n\n## D-002: No Redis\n\n- Status: accepted\n- Date: 2026-02-03\n",
    )
    assert set(found) == {"2026-01-02: Orders stay in Postgres", "D-002: No Redis"}
    first = found["2026-01-02: Orders stay in Postgres"]
    assert first.text == "No second store.\n\n### Why\n\nOne backup."
    assert (first.line, first.updated) == (5, datetime(2026, 1, 2, tzinfo=UTC))
    assert first.id == "DECISIONS/2026-01-02-orders-stay-in-postgres"
    assert found["D-002: No Redis"].updated == datetime(2026, 2, 3, tzinfo=UTC)
    assert found["D-002: No Redis"].line == 13


def test_headings_that_only_group_are_no_entries(world: World) -> None:
    found = titles(
        world,
        "# Architecture decisions\n\n## Decision log\n\n### ADR-001: Postgres\n\n**Decision**: Orders in Postgres.\n\n"
        "### ADR-002: Kafka\n\n#### Context\n\nQueues.\n\n#### Decision\n\nA topic.\n\n"
        "## 2025\n\n### Use REST\n\nPlain.\n\n## Database\n\n### Postgres 16\n\nOne.\n",
    )
    assert set(found) == {"ADR-001: Postgres", "ADR-002: Kafka", "Use REST", "Postgres 16"}
    assert "A topic." in found["ADR-002: Kafka"].text


def test_the_parts_of_an_entry_are_no_entries(world: World) -> None:
    found = titles(world, "# Decisions\n\n## Use REST\n\n### Context\n\nA.\n\n### Decision\n\nB.\n")
    assert set(found) == {"Use REST"}


def test_entries_of_the_first_level_are_entries(world: World) -> None:
    found = titles(world, "# Use REST\n\n## Context\n\nA.\n\n# Use Postgres\n\nB.\n")
    assert set(found) == {"Use REST", "Use Postgres"}


def test_a_heading_that_is_only_a_date_takes_the_first_line_along(world: World) -> None:
    found = titles(world, "# Decisions\n\n## 2026-01-02\n\nUse REST.\n\n## 2026-01-02\n\nUse Postgres.\n")
    assert set(found) == {"2026-01-02 Use REST.", "2026-01-02 Use Postgres."}


def test_items_that_begin_with_a_date_or_an_id_are_entries(world: World) -> None:
    found = titles(
        world,
        "# Decisions\n\nNewest first.\n\n- 2026-02-03: Use Kafka\n  - because of replay\n- **2026-01-02** — Use REST\n"
        "* D-7: Use Postgres\n- [2026-01-01] In the context of tests, we use pytest\n",
    )
    assert [title[:12] for title in found] == ["2026-02-03: ", "2026-01-02 —", "D-7: Use Pos", "[2026-01-01]"]
    kafka = found["2026-02-03: Use Kafka"]
    assert kafka.text == "2026-02-03: Use Kafka\n  - because of replay"
    assert (kafka.line, kafka.updated) == (5, datetime(2026, 2, 3, tzinfo=UTC))


def test_items_below_a_dated_heading_that_hold_a_list_of_reasons_stay_together(world: World) -> None:
    found = titles(
        world, "# Decisions\n\n## 2026-01-02 Use REST\n\n- simple\n- 2025-12-01: first asked for\n"
    )
    assert set(found) == {"2026-01-02 Use REST"}


def test_entries_below_a_date_have_that_date(world: World) -> None:
    found = titles(world, "# Decisions\n\n## 2026-01-02\n\n### Use REST\n\nA.\n\n### Use Postgres\n\nB.\n")
    assert {memory.updated for memory in found.values()} == {datetime(2026, 1, 2, tzinfo=UTC)}
    assert len(found) == 2


def test_plain_items_of_a_log_without_headings_are_entries(world: World) -> None:
    assert set(titles(world, "# Decisions\n\n- Use REST\n- Use Postgres\n")) == {"Use REST", "Use Postgres"}


def test_rows_of_a_table_are_entries(world: World) -> None:
    found = titles(
        world,
        "# Decisions\n\n| ID | Date | Decision | Why | Status |\n|----|------|----------|-----|--------|\n"
        "| 1 | 2026-01-02 | Use REST | simple \\| known | accepted |\n"
        "| 2 | 2026-02-03 | Use Kafka | replay | superseded by 3 |\n| 3 | 2026-03-04 | Use NATS | cheap | |\n",
    )
    assert set(found) == {"1 2026-01-02 Use REST", "2 2026-02-03 Use Kafka", "3 2026-03-04 Use NATS"}
    rest = found["1 2026-01-02 Use REST"]
    assert rest.text == "ID: 1\nDate: 2026-01-02\nDecision: Use REST\nWhy: simple | known\nStatus: accepted"
    assert (rest.line, rest.updated) == (5, datetime(2026, 1, 2, tzinfo=UTC))
    kafka = found["2 2026-02-03 Use Kafka"]
    assert kafka.withdrawn == "superseded by 3"
    assert kafka.extra["superseded_by"] == found["3 2026-03-04 Use NATS"].id


def test_a_table_that_lists_records_in_files_has_no_entries(world: World) -> None:
    world.put(
        "docs/decision-log.md",
        "# Decisions\n\n| ADR | Title | Status |\n|---|---|---|\n| [1](adr/0001-a.md) | Use REST | Accepted |\n"
        "| `adr/0002-b.md` | Use Kafka | Accepted |\n",
    )
    health = world.health()
    assert health.state is State.EMPTY


def test_a_log_in_korean_is_read(world: World) -> None:
    found = titles(
        world,
        "# 결정 기록\n\n## 2026년 1월 2일 — 주문은 Postgres에 둔다\n\n### 배경\n\n백업이 하나다.\n\n"
        "## 결정 4: 캐시는 쓰지 않는다\n\n- 상태: 폐기\n- 날짜: 2026.02.03\n\n다시 쓴다.\n",
    )
    assert set(found) == {"2026년 1월 2일 — 주문은 Postgres에 둔다", "결정 4: 캐시는 쓰지 않는다"}
    assert found["2026년 1월 2일 — 주문은 Postgres에 둔다"].updated == datetime(2026, 1, 2, tzinfo=UTC)
    cache = found["결정 4: 캐시는 쓰지 않는다"]
    assert (cache.withdrawn, cache.updated) == ("deprecated", datetime(2026, 2, 3, tzinfo=UTC))


def test_entries_supersede_each_other_by_number_or_link(world: World) -> None:
    found = titles(
        world,
        "# Decisions\n\n## D-001: MySQL\n\nStatus: superseded by D-003\n\n## D-002: Redis\n\nFast.\n\n"
        "## D-003: Postgres\n\nSupersedes D-002.\n\n## DEC-20260102-nats: NATS\n\nSupersedes [D-003](#d-003-postgres)\n"
        "\n## ~~D-005: FTP~~\n\nOld.\n\n## D-006: SFTP\n\nStatus: proposed\n\nSupersedes D-001.\n",
    )
    named = {memory.id: memory.title.split(":")[0] for memory in found.values()}
    assert {named[f"DECISIONS/{key}"]: why for key, why in world.withdrawn().items()} == {
        "D-001": "superseded by D-003",
        "D-002": "superseded by D-003",
        "D-003": "superseded by DEC-20260102-nats: NATS",
        "~~D-005": "deprecated",
    }
    assert next(one for one in found.values() if one.kind == "proposal").authority is Authority.CURATED


def test_entries_that_supersede_each_other_both_stand(world: World) -> None:
    titles(world, "# Decisions\n\n## D-1: MySQL\n\nSupersedes D-2.\n\n## D-2: Redis\n\nSupersedes D-1.\n")
    assert world.withdrawn() == {}


def test_an_entry_that_is_replaced_in_part_stands(world: World) -> None:
    titles(world, "# Decisions\n\n## D-1: MySQL\n\nYes.\n\n## D-2: Redis\n\nSupersedes D-1 in part.\n")
    assert world.withdrawn() == {}
    assert [memory.amends for memory in world.memories().values()] == [(), ("DECISIONS/d-1-mysql",)]


def test_templates_and_advice_in_a_log_are_no_entries(world: World) -> None:
    found = titles(
        world,
        "# Decisions\n\n## Template\n\n### ADR-XXX: [Decision Title]\n\n**Decision**: [What was decided]\n\n"
        "## How to use\n\nAdd a row.\n\n## ADR-001: [Title]\n\n- **Date:** YYYY-MM-DD\n\n## ADR-002: Postgres\n\nYes.\n"
        "\n```markdown\n## ADR-009: In a fence\n```\n",
    )
    assert set(found) == {"ADR-002: Postgres"}


@pytest.mark.parametrize(
    "text", ["", "# Decisions\n", "# Decisions\n\n<!-- none -->\n", "# Decisions\n\nTODO\n"]
)
def test_an_empty_log_is_empty(world: World, text: str) -> None:
    world.put("DECISIONS.md", text)
    assert world.health().state is State.EMPTY


@pytest.mark.parametrize(
    "name",
    ["DECISIONS.md", "decisions.md", "docs/DECISIONS.md", "docs/decision-log.md", "notes/decision_log.md",
     "docs/결정기록.md", unicodedata.normalize("NFD", "결정-기록.md"), "Docs/Decisions.md"],
)  # fmt: skip
def test_logs_are_found_in_the_usual_places(world: World, name: str) -> None:
    world.put(name, "# Decisions\n\n- 2026-01-02: Use REST\n")
    (memory,) = world.memories().values()
    composed = unicodedata.normalize("NFC", name)
    assert memory.id == f"{composed.removesuffix('.md')}/2026-01-02-use-rest"
    assert conventions.owner(composed) == "decisions"


@pytest.mark.parametrize(
    "name", ["src/decisions.md", "memory-bank/decisionLog.md", ".serena/memories/decisions.md"]
)
def test_logs_of_others_are_left_alone(world: World, name: str) -> None:
    world.put(name, "# Decisions\n\n- 2026-01-02: Use REST\n")
    world.put("DECISIONS.md", "- 2026-01-03: Use Postgres\n")
    assert len(world.memories()) == 1


ENTRY = st.tuples(
    st.integers(1, 28), st.sampled_from(["REST", "Kafka", "주문 큐", "c++", "a/b", "#1", ""]), st.booleans()
)


def written(form: str, entry: tuple[int, str, bool]) -> str:
    day, what, accepted = entry
    status = "accepted" if accepted else "rejected"
    return form.format(date=f"2026-01-{day:02}", what=f"Use {what}", status=status)


@given(
    st.sampled_from(["## {date}: {what}\n\nText.\n\n- Status: {status}\n\n", "- {date}: {what}\n  Status: {status}\n",
                     "| {date} | {what} | {status} |\n"]),
    st.lists(ENTRY, min_size=1, max_size=5, unique_by=lambda entry: entry[:2]),
    st.lists(ENTRY, max_size=3),
    st.lists(ENTRY, max_size=3),
)  # fmt: skip
@settings(max_examples=60)
def test_entries_added_above_or_below_change_no_id(
    world: World, form: str, entries: list[tuple[int, str, bool]], above: list[tuple[int, str, bool]],
    below: list[tuple[int, str, bool]],
) -> None:  # fmt: skip
    known = {entry[:2] for entry in entries}
    head = "# Log\n\n" + ("| Date | Decision | Status |\n|---|---|---|\n" if form.startswith("|") else "")

    def ids(*parts: list[tuple[int, str, bool]]) -> list[str]:
        world.put("DECISIONS.md", head + "".join(written(form, entry) for part in parts for entry in part))
        return list(world.memories())

    before = ids(entries)
    assert len(before) == len(entries)
    after = ids(
        [one for one in above if one[:2] not in known],
        entries,
        [one for one in below if one[:2] not in known],
    )
    assert set(before) <= set(after)


@given(st.text(alphabet=st.sampled_from("# -|*~\n[]()ab1:.가상태Status"), max_size=200))
@settings(max_examples=150)
def test_no_log_breaks_the_reading(world: World, text: str) -> None:
    world.put("DECISIONS.md", text)
    assert all(memory.text and memory.title for memory in world.memories().values())
