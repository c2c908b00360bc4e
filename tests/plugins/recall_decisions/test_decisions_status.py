"""What a record says of itself, in every format that records are written in."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall import documents, outline
from recall.api import Authority
from recall_decisions import status, words

if TYPE_CHECKING:
    from conftest import World

BODY = "\n## Context\n\nThe queue loses orders.\n\n## Decision\n\nWe keep orders in Postgres.\n"


def said(text: str) -> status.Declared:
    document = documents.parse_document(text)
    title = documents.first_heading(document.body)
    return status.declared(title, outline.sections(document.body), document.front)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("---\nstatus: accepted\n---\n# Orders\n", "accepted"),
        ("---\nstatus: \"superseded by ADR-0123\"\n---\n# Orders\n", "superseded"),
        ("---\nstatus: accepted\nsuperseded_by: 0012\n---\n# Orders\n", "superseded"),
        ("---\nstatus: Rejected\n---\n# Orders\n", "rejected"),
        ("# 4. Orders\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n", "accepted"),
        ("# 4. Orders\n\n## Status\n\nAccepted\n\nSuperseded by [12. Kafka](0012-kafka.md)\n", "superseded"),
        ("# 4. Orders\n\n## Status\n\nSuperceded by [12. Kafka](0012-kafka.md)\n", "superseded"),
        ("# 4. Orders\n\n## Status\n\nAccepted\n\nAmended by [9. Keys](0009-keys.md)\n", "amended"),
        ("# 4. Orders\n\n## Status\n\nDeprecated on 2026-01-02.\n", "deprecated"),
        ("# 4. Orders\n\n## Status: Rejected\n", "rejected"),
        ("# Orders\n\n* Status: accepted\n* Date: 2026-01-02\n", "accepted"),
        ("# Orders\n\n* Status: [superseded by ADR-0005](0005-x.md)\n", "superseded"),
        ("# Orders\n\n- **Status:** Rejected\n", "rejected"),
        ("# Orders\n\n**Status**: Proposed\n", "proposed"),
        ("# Orders\n\n> Status: Draft\n", "proposed"),
        ("# Orders\n\n| Status | Accepted |\n|---|---|\n| Date | 2026-01-02 |\n", "accepted"),
        ("# Orders\n\n| Status | Date |\n|--------|------|\n| Deprecated | 2026-01-02 |\n", "deprecated"),
        ("# Orders\n\n## Status\n\n✅ Accepted (2026-01-02)\n", "accepted"),
        ("# Orders\n\n## Status\n\n2026-03-01: Superseded\n", "superseded"),
        ("# Orders\n\n## Status\n\nproposed → accepted\n", "accepted"),
        ("# Orders\n\n## Status\n\naccepted -> superseded by ADR 12\n", "superseded"),
        ("# Orders\n\n## Status\n\nThis decision has been deprecated.\n", "deprecated"),
        ("# Orders\n\n## Status\n\nAccepted, supersedes [3. MySQL](0003-mysql.md)\n", "accepted"),
        ("# Orders\n\n## Status\n\nAccepted; partially superseded by ADR-9\n", "amended"),
        ("# Orders\n\n## Status\n\nAccepted, not superseded by ADR-9\n", "accepted"),
        ("# Orders\n\n## Status\n\nAccepted. The rejected options are below.\n", "accepted"),
        ("# Orders [SUPERSEDED]\n", "superseded"),
        ("# Orders (superseded by ADR-12)\n", "superseded"),
        ("# ~~Orders in MySQL~~\n", "deprecated"),
        ("# Pending orders (open source)\n", ""),
        ("# Flow of orders (cancelled)\n", ""),
        ("# 주문 흐름 (취소)\n", ""),
        ("# Orders [ABANDONED]\n", "deprecated"),
        ("# Orders (on hold)\n", "proposed"),
        ("# 주문 (보류)\n", "proposed"),
        ("# Orders\n\n## Status\n\nProposed | Accepted | Deprecated\n", ""),
        ("# Orders\n\n* Status: {proposed | rejected | accepted | superseded by [ADR-5](0005-x.md)}\n", ""),
        ("# Orders\n\n## Status\n\nProposed, Accepted, Rejected, Deprecated, Superseded\n", ""),
        ("# 주문\n\n## 상태\n\n채택됨\n", "accepted"),
        ("# 주문\n\n## 상태\n\nADR-0012로 대체됨\n", "superseded"),
        ("# 주문\n\n- 상태: 대체됨 (0012)\n", "superseded"),
        ("# 주문\n\n* **상태**: 폐기\n", "deprecated"),
        ("# 주문\n\n## 상태\n\n거부됨\n", "rejected"),
        ("# 주문\n\n상태: 제안\n", "proposed"),
        ("# 주문\n\n## 상태\n\n이 결정은 폐기되었다.\n", "deprecated"),
        ("# 주문\n\n## 상태\n\n승인 — ADR-0003을 대체한다\n", "accepted"),
        ("# Orders\n\n## Status\n\n- [x] Accepted\n- [ ] Deprecated\n- [ ] Superseded\n", "accepted"),
        ("# Orders\n\n## Status\n\n* [ ] Proposed\n* [ ] Accepted\n* [X] Rejected\n", "rejected"),
        ("# 주문\n\n## 상태\n\n- [x] 채택됨\n- [ ] 폐기\n", "accepted"),
        ("# Orders\n\n## Status\n\n~~Proposed~~ Accepted\n", "accepted"),
        ("# Orders\n\nStatus: ~~accepted~~ deprecated\n", "deprecated"),
        ("# Orders\n", ""),
    ],
)  # fmt: skip
def test_a_status_is_one_of_six_words_however_it_is_written(head: str, expected: str) -> None:
    assert said(head + BODY).status == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("On hold", "proposed"), ("on-hold until the audit", "proposed"), ("Deferred", "proposed"),
        ("Deferred to the next quarter", "proposed"), ("Postponed", "proposed"), ("Shelved", "proposed"),
        ("Paused", "proposed"), ("WIP", "proposed"), ("TBD", "proposed"), ("Awaiting approval", "proposed"),
        ("Needs discussion", "proposed"), ("Not yet accepted", "proposed"), ("not decided", "proposed"),
        ("보류", "proposed"), ("보류 중", "proposed"), ("연기됨", "proposed"), ("승인 대기", "proposed"),
        ("미승인", "proposed"), ("아직 승인되지 않음", "proposed"), ("확정되지 않음", "proposed"),
        ("Not accepted", "rejected"), ("not approved", "rejected"), ("It was never adopted", "rejected"),
        ("This proposal wasn't accepted", "rejected"), ("Decided against", "rejected"), ("Vetoed", "rejected"),
        ("승인되지 않음", "rejected"), ("채택하지 않는다", "rejected"), ("불채택", "rejected"),
        ("Void", "deprecated"), ("Expired", "deprecated"), ("Reverted", "deprecated"), ("Rolled back", "deprecated"),
        ("Abandoned", "deprecated"), ("Revoked", "deprecated"), ("Accepted, but reverted in March", "deprecated"),
        ("no longer followed", "deprecated"), ("Not in force", "deprecated"), ("폐지", "deprecated"),
        ("무효", "deprecated"), ("만료됨", "deprecated"), ("유효하지 않음", "deprecated"),
        ("Cancelled", "deprecated"), ("취소됨", "deprecated"), ("Declined", "rejected"), ("반려", "rejected"),
        ("Accepted, not yet implemented", "accepted"), ("Accepted; not rejected", "accepted"),
        ("승인됨. 폐기되지 않음", "accepted"), ("Accepted. Other options were not accepted", "accepted"),
        ("In force", "accepted"), ("Accepted (expires 2027-01-01)", "accepted"),
        ("No longer a draft, accepted", "accepted"),
    ],
)  # fmt: skip
def test_parked_denied_and_ended_records_do_not_stand(written: str, expected: str) -> None:
    for form in ("# A\n\nStatus: {}\n", "# A\n\n## Status\n\n{}.\n", "---\nstatus: {}\n---\n# A\n"):
        assert said(form.format(written) + BODY).status == expected


@pytest.mark.parametrize("word", words.TABLE, ids=lambda word: word.name)
def test_every_word_of_the_table_says_itself_and_what_a_denial_comes_to(word: words.Word) -> None:
    assert said(f"# A\n\nStatus: {word.name}\n").status == word.name
    assert said(f"# A [{word.name.upper()}]\n").status == word.name


@pytest.mark.parametrize(
    ("head", "written"),
    [
        ("# A\n\nStatus: Seeding\n", "Seeding"),
        ("# A\n\n## 상태\n\n씨앗\n", "씨앗"),
        ("# A\n\n| Status | Date |\n|---|---|\n| Seeding | 2026-01-02 |\n", "Seeding"),
        ("# A\n\n## Status\n\nNot superseded\n", ""),
        ("# A\n\nStatus: {proposed | rejected | accepted}\n", ""),
        ("# A\n\nStatus: accepted\n", ""),
        ("# A\n", ""),
    ],
)
def test_a_status_in_no_known_word_is_kept_as_written(head: str, written: str) -> None:
    assert said(head + BODY).written == written


def test_an_unknown_status_is_told_with_the_memory(world: World) -> None:
    world.record("0001-a", f"# A\n\nStatus: Seeding\n{BODY}")
    world.record("0002-b", f"# B\n\nStatus: On hold\n{BODY}")
    world.put("DECISIONS.md", "# Decisions\n\n## 2026-01-02 Keep orders\n\nStatus: Seeding\n\nIn Postgres.\n")
    told = {memory.title[-1]: (memory.extra["status"], memory.kind) for memory in world.memories().values()}
    assert told == {"A": ("Seeding", "decision"), "B": ("proposed", "proposal"), "s": ("Seeding", "decision")}


@pytest.mark.parametrize("folder", ["archive", "보관", "rejected", "abandoned", "withdrawn", "폐지"])
def test_records_in_a_folder_of_ended_ones_are_withdrawn(world: World, folder: str) -> None:
    world.record(f"{folder}/0001-a", f"# A\n\nStatus: accepted\n{BODY}")
    assert world.withdrawn() == {"0001-a": "archived"}


def test_a_status_in_the_middle_of_the_text_is_not_the_records_own() -> None:
    table = "| Status | Code |\n|---|---|\n| rejected | 4 |\n"
    text = f"# Codes\n\n## Status\n\nAccepted\n\n## Decision\n\nStatus: rejected\n\n{table}"
    assert said(text).status == "accepted"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## Status\n\nAccepted\n\nSupersedes [4. Queue](0004-queue.md)\n", ["[4. Queue](0004-queue.md)"]),
        ("## Decision\n\nThis record supersedes ADR-0004 and ADR-0005, see ADR-9.\n", ["ADR-0004 and ADR-0005"]),
        ("## Links\n\n* [Supersedes] [ADR-0004](0004-queue.md)\n", ["[ADR-0004](0004-queue.md)"]),
        ("## Links\n\n- Supersedes [[0004-queue]]\n", ["[[0004-queue]]"]),
        ("## 결정\n\nADR-0004를 대체한다.\n", ["ADR-0004"]),
        ("## Decision\n\nIt does not supersede ADR-0004, partially supersedes ADR-0005.\n", []),
        ("## Decision\n\nThis is not superseded, and supersedes ADR-0004\n", ["ADR-0004"]),
        ("## Decision\n\nIt supersedes what we did before.\n", []),
    ],
)  # fmt: skip
def test_what_a_record_supersedes_is_found_wherever_it_says_so(text: str, expected: list[str]) -> None:
    assert list(said(f"# Orders\n\n{text}").supersedes) == expected


@pytest.mark.parametrize(
    ("text", "whole", "in_part"),
    [
        ("## Status\n\nAccepted, supersedes 5 in part\n", [], ["5"]),
        ("## Status\n\nAccepted. Supersedes ADR-0005 (in part)\n", [], ["ADR-0005"]),
        ("## Status\n\nAccepted, partially supersedes ADR-5\n", [], ["ADR-5"]),
        ("## Status\n\nAccepted; supersedes in part [5. Queue](0005-queue.md)\n", [], ["[5. Queue](0005-queue.md)"]),
        ("## Status\n\nAccepted, supersedes parts of ADR-5, supersedes ADR-4\n", ["ADR-4"], ["ADR-5"]),
        ("## Status\n\nAccepted\n\nAmends [5. Queue](0005-queue.md)\n", [], ["[5. Queue](0005-queue.md)"]),
        ("- Status: accepted\n- Amends: ADR-5\n", [], ["ADR-5"]),
        ("- Status: accepted\n- Supersedes: ADR-5 (in part)\n", [], ["ADR-5 (in part)", "ADR-5"]),
        ("## 상태\n\n승인 (0005 일부 대체)\n", [], ["0005"]),
        ("## 상태\n\n승인 — ADR-0005를 일부 대체한다\n", [], ["ADR-0005"]),
        ("## 상태\n\n승인. ADR-5의 일부를 대체한다\n", [], ["ADR-5"]),
        ("## 상태\n\n승인. 부분적으로 ADR-5를 대체한다\n", [], ["ADR-5"]),
        ("- 상태: 승인\n- 일부 대체: ADR-5\n", [], ["ADR-5"]),
        ("## 상태\n\n승인. ADR-5를 대체하지 않는다\n", [], []),
        ("## Status\n\nAccepted, supersedes 5\n", ["5"], []),
    ],
)  # fmt: skip
def test_what_is_superseded_in_part_is_told_apart(text: str, whole: list[str], in_part: list[str]) -> None:
    found = said(f"# Orders\n\n{text}")
    assert (list(dict.fromkeys(found.supersedes)), list(dict.fromkeys(found.amends))) == (whole, in_part)
    assert found.status == "accepted"


@pytest.mark.parametrize(
    "written",
    ["Superseded in part by ADR-9", "Partially superseded by ADR-9", "Superseded by ADR-9 (in part)",
     "Partly replaced by ADR-9", "Accepted; superseded partially by [9](0009-keys.md)", "일부 대체됨 (0009)",
     "일부 대체", "0009로 일부 대체됨", "일부가 ADR-9로 대체됨", "일부 내용은 0009로 대체되었다", "부분 대체",
     "승인. 일부 조항은 ADR-9에 의해 대체됨"],
)  # fmt: skip
def test_a_record_that_was_superseded_in_part_is_amended(written: str) -> None:
    assert said(f"# A\n\n## Status\n\n{written}\n{BODY}").status == "amended"
    assert said(f"# A\n\nStatus: {written}\n{BODY}").status == "amended"


def test_a_word_of_a_part_that_speaks_of_something_else_changes_nothing() -> None:
    for written, expected in (
        ("Superseded, partially implemented", "superseded"),
        ("Superseded by ADR-9, partially rolled out", "superseded"),
        ("Accepted in part, superseded by ADR-9", "superseded"),
        ("제안됨", "proposed"),
        ("보안 하드닝 전 초안", ""),
        ("승인, 이견 없음", "accepted"),
    ):
        assert said(f"# A\n\nStatus: {written}\n{BODY}").status == expected, written
    assert said(f"---\nsuperseded_by: 0009-partly-cloudy.md\n---\n# A\n{BODY}").status == "superseded"
    assert list(
        said("# A\n\n## Status\n\nAccepted, supersedes ADR-5, partially rolled out\n").supersedes
    ) == ["ADR-5"]


@pytest.mark.parametrize(
    "field", ["superseded_by: 0009 (in part)", "amended_by: 0009", "partially superseded by: 9"]
)
def test_a_field_that_says_by_what_a_part_was_replaced_withdraws_nothing(field: str) -> None:
    assert said(f"---\nstatus: accepted\n{field}\n---\n# A\n{BODY}").status == "amended"


@pytest.mark.parametrize(
    "written",
    ["not superseded", "not deprecated", "Accepted (not superseded/deprecated)", "Neither deprecated nor superseded",
     "Accepted, neither deprecated nor superseded by another", "not deprecated or superseded by anything",
     "It has not been formally superseded", "no longer deprecated", "Accepted. Not considered obsolete",
     "never rejected", "isn't deprecated", "Deprecated: no", "Superseded by: none", "폐기하지 않음", "폐기하지 않는다",
     "폐기 안 함", "폐기 안됨", "폐기 아님", "폐기된 것은 아님", "폐기할 계획 없음", "폐기 예정 아님", "대체되지 않음",
     "폐기를 하지 않기로 함", "폐기 여부: 아니오", "승인, 대체 아님", "거부되지 않음"],
)  # fmt: skip
def test_a_withdrawal_that_is_denied_is_none(written: str) -> None:
    for form in ("# A\n\nStatus: {}\n", "# A\n\n## Status\n\n{}.\n", '---\nstatus: "{}"\n---\n# A\n'):
        declared = said(form.format(written) + BODY)
        assert declared.status in ("", "accepted"), form
        assert declared.withdrawn("") == ""


@given(st.text(max_size=400), st.sampled_from(["Status: {}", "## Status\n\n{}", "---\nstatus: {}\n---\n"]))
def test_no_text_breaks_the_reading_of_a_status(text: str, form: str) -> None:
    assert said(form.format(text)).status in ("", *words.STARTS)


@pytest.mark.parametrize(
    ("name", "text", "date", "origin"),
    [
        ("0001-a", "---\ndate: 2026-01-02\n---\n# A\n\nDate: 2025-01-01\n", "2026-01-02", "front matter"),
        ("0001-a", "# A\n\nDate: 2026-01-03\n", "2026-01-03", "text"),
        ("0001-a", "# A\n\n* 날짜: 2026년 1월 4일\n", "2026-01-04", "text"),
        ("20260105-a", "# A\n", "2026-01-05", "file name"),
        ("2026-01-06-a", "# A\n", "2026-01-06", "file name"),
    ],
)
def test_a_records_date_is_the_most_explicit_one(
    world: World, name: str, text: str, date: str, origin: str
) -> None:
    world.record(name, text + BODY)
    (memory,) = world.memories().values()
    assert memory.updated == datetime.fromisoformat(date).replace(tzinfo=UTC)
    assert memory.date_origin == origin


def test_a_record_without_a_date_has_its_files(world: World) -> None:
    world.record("0001-a", f"# A\n{BODY}")
    (memory,) = world.memories().values()
    assert memory.date_origin == "file time"


def test_a_proposal_is_believed_as_a_note(world: World) -> None:
    world.record("0001-a", f"# A\n\nStatus: proposed\n{BODY}")
    world.record("0002-b", f"# B\n\nStatus: accepted\n{BODY}")
    kinds = {memory.id[-6:]: (memory.kind, memory.authority) for memory in world.memories().values()}
    assert kinds == {"0001-a": ("proposal", Authority.CURATED), "0002-b": ("decision", None)}
