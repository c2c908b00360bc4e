"""Hand-overs and state documents: which they are, which of them are history, how long ones are cut."""

from __future__ import annotations

import os
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall import conventions
from recall.api import Authority, Deadline, Entry, Memory, State
from recall.errors import StoreAbsent
from recall.render import plain
from recall_decisions.provider import DecisionsProvider
from recall_state.provider import StateOptions
from support.worlds import make_engine, snapshot

if TYPE_CHECKING:
    from conftest import World

NOTE = "# Where we are\n\nThe refund API is half done. Next: partial refunds.\n"


# -- which files they are -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["HANDOFF.md", "HANDOFF-payments.md", "handoff.md", "CURRENT.md", "CURRENT_STATE.md", "SESSION_CHECKPOINT.md",
     "docs/HANDOFF.md", "docs/CURRENT_STATUS.md", "notes/HANDOFF-refund.md", "docs/handoffs/2026-05-20-refund.md",
     "docs/handoffs/2026-05/refund.md", ".claude/handoffs/refund.md", "인수인계.md", "현재상태.md",
     ".context/HANDOFF.md", ".context/SESSION_CHECKPOINT.md"],
)  # fmt: skip
def test_documents_of_the_state_are_found_in_the_usual_places(world: World, name: str) -> None:
    world.put(name, NOTE)
    world.age(name, 1)
    (memory,) = world.memories().values()
    assert (memory.id, memory.title, memory.project) == (name.removesuffix(".md"), "Where we are", "shop-api")
    assert memory.authority is Authority.STATE
    assert conventions.owner(name) == "state"


@pytest.mark.parametrize(
    "name",
    ["README.md", "docs/current-user.md", "src/HANDOFF.md", "docs/handoffs/README.md", "docs/handoffs/template.md",
     "docs/handoffs/.draft.md", "memory-bank/activeContext.md", ".serena/memories/handoff.md", "CONCURRENT.md",
     ".context/CONVENTIONS.md"],
)  # fmt: skip
def test_other_files_are_left_alone(world: World, name: str) -> None:
    world.put(name, NOTE)
    world.put("HANDOFF.md", NOTE)
    assert set(world.memories()) == {"HANDOFF"}


def test_a_korean_name_in_decomposed_letters_is_found(world: World) -> None:
    world.put(unicodedata.normalize("NFD", "인수인계-결제.md"), NOTE)
    assert set(world.memories()) == {"인수인계-결제"}


def test_documents_between_the_top_and_the_current_folder_are_read(world: World) -> None:
    world.put("services/pay/HANDOFF.md", NOTE)
    world.put("services/web/HANDOFF.md", NOTE)
    world.put("HANDOFF.md", NOTE)
    assert set(world.memories()) == {"HANDOFF"}
    world.change(cwd=world.root / "services/pay")
    assert set(world.memories()) == {"HANDOFF", "services/pay/HANDOFF"}


def test_a_worktree_also_shows_what_only_the_main_checkout_has(world: World, tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    (main / "HANDOFF.md").write_text("# Old\n\nOf the main checkout.\n")
    (main / "CURRENT.md").write_text("# Current\n\nOnly in the main checkout.\n")
    world.put("HANDOFF.md", NOTE)
    world.change(main_root=main)
    found = world.memories()
    assert set(found) == {"HANDOFF", "CURRENT"}
    assert "refund" in found["HANDOFF"].text


def test_further_folders_are_read(world: World, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault/2026-05-01-a.md").write_text(NOTE)
    world.put("journal/2026-05-02-b.md", NOTE)
    world.options = StateOptions(folders=(str(tmp_path / "vault"), "journal"))
    assert set(world.memories()) == {"vault/2026-05-01-a", "journal/2026-05-02-b"}


# -- what is history ------------------------------------------------------------------------------------------


def test_of_hand_overs_that_follow_each_other_only_the_newest_tells_the_state(world: World) -> None:
    names = [
        "2026-05-20-a",
        "2026-05-25-b",
        "2026-05-25-120000-c",
        "2026-05-26-090000-d",
        "20260526-100000-e",
    ]
    for name in names:
        world.put(f"docs/handoffs/{name}.md", NOTE)
    found = {key.rpartition("/")[2]: authority for key, authority in world.authorities().items()}
    assert found.pop("20260526-100000-e") is Authority.STATE
    assert set(found.values()) == {Authority.CAPTURED}


def test_a_hand_over_without_a_date_in_its_name_counts_by_its_file(world: World) -> None:
    world.put("docs/handoffs/refund.md", NOTE)
    world.put("docs/handoffs/2026-05-20-a.md", NOTE)
    world.age("docs/handoffs/refund.md", 1)
    assert world.authorities()["docs/handoffs/refund"] is Authority.STATE
    world.age("docs/handoffs/refund.md", 20)
    assert world.authorities()["docs/handoffs/refund"] is Authority.CAPTURED


def test_hand_overs_of_different_subjects_are_all_current(world: World) -> None:
    for name in ("HANDOFF-payments.md", "HANDOFF-web.md", "CURRENT_STATE.md", "notes/HANDOFF-2026-05-20.md",
                 "notes/HANDOFF-2026-05-21.md"):  # fmt: skip
        world.put(name, NOTE)
        world.age(name, 1)
    found = world.authorities()
    assert found.pop("notes/HANDOFF-2026-05-20") is Authority.CAPTURED
    assert set(found.values()) == {Authority.STATE}


def test_a_new_hand_over_changes_the_stamp_of_the_one_before(world: World) -> None:
    world.put("docs/handoffs/2026-05-20-a.md", NOTE)
    before = world.entries()
    assert world.entries() == before
    world.put("docs/handoffs/2026-05-21-b.md", NOTE)
    assert (
        world.entries()["docs/handoffs/2026-05-20-a.md"].stamp
        != before["docs/handoffs/2026-05-20-a.md"].stamp
    )


def test_a_document_that_nobody_touched_for_long_is_believed_as_a_decision(world: World) -> None:
    world.put("HANDOFF.md", NOTE)
    world.age("HANDOFF.md", 29)
    fresh = world.entries()["HANDOFF.md"]
    assert world.authorities() == {"HANDOFF": Authority.STATE}
    world.now += 2 * 86_400
    assert world.authorities() == {"HANDOFF": Authority.DECISION}
    assert world.entries()["HANDOFF.md"].stamp != fresh.stamp
    world.options = StateOptions(current_days=60)
    assert world.authorities() == {"HANDOFF": Authority.STATE}


@pytest.mark.parametrize(
    "head", ["---\ndate: 2026-01-02\n---\n", "- Created: 2026-01-02\n\n", "> 갱신: 2026.01.02\n\n"]
)
def test_a_document_that_says_itself_that_it_is_old_is_not_current(world: World, head: str) -> None:
    world.put("HANDOFF.md", head + NOTE)
    world.age("HANDOFF.md", 0)
    assert world.authorities() == {"HANDOFF": Authority.DECISION}


def test_a_document_that_is_believed_less_says_why(world: World) -> None:
    world.put("HANDOFF.md", NOTE)
    world.put("CURRENT.md", f"- Created: 2026-01-02\n\n{NOTE}")
    world.put("SESSION_CHECKPOINT.md", NOTE)
    world.age("HANDOFF.md", 31)
    world.put("docs/handoffs/2026-05-20-a.md", NOTE)
    world.put("docs/handoffs/2026-05-21-b.md", NOTE)
    kinds = {key: memory.kind for key, memory in world.memories().items()}
    assert kinds == {
        "HANDOFF": "handoff, older than 30 days",
        "CURRENT": "state, older than 30 days",
        "SESSION_CHECKPOINT": "checkpoint",
        "docs/handoffs/2026-05-20-a": "handoff, not the newest",
        "docs/handoffs/2026-05-21-b": "handoff",
    }


def test_the_age_of_a_hand_over_stands_in_the_text_of_an_answer(world: World, tmp_path: Path) -> None:
    world.options = StateOptions(current_days=14)
    world.put("HANDOFF.md", NOTE)
    world.age("HANDOFF.md", 20)
    engine = make_engine(tmp_path, [world.provider], scope=world.scope, now=world.now)
    text = plain.answer(engine.recall("refund API", deadline=30))
    assert "decision · handoff, older than 14 days" in text


@pytest.mark.parametrize(
    ("state_age", "decision", "leads"), [(1, 5, "state"), (300, 5, "decisions"), (40, 300, "state")]
)
def test_an_old_state_does_not_lead_over_a_newer_decision(
    world: World, tmp_path: Path, state_age: int, decision: int, leads: str
) -> None:
    text = "# Refunds\n\nWe decided: refunds are capped at {} won per order and customer, since May.\n"
    world.put("HANDOFF.md", text.format(30_000))
    world.put("docs/adr/0001-refunds.md", text.format(50_000))
    world.age("HANDOFF.md", state_age)
    world.age("docs/adr/0001-refunds.md", decision)
    engine = make_engine(tmp_path, [world.provider, DecisionsProvider()], scope=world.scope, now=world.now)
    found = engine.recall("refunds capped won", deadline=30)
    (hit,) = found.hits
    assert hit.ranked.row.provider == leads
    assert len(hit.ranked.disagrees) == 1


# -- what they say --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "date", "origin"),
    [
        ("docs/handoffs/2026-05-20-a", "---\nupdated: 2026-05-21\n---\n", "2026-05-21", "front matter"),
        ("docs/handoffs/2026-05-20-153000-a", "- Created: 2026-05-22\n", "2026-05-20T15:30:00", "file name"),
        ("HANDOFF", "## Session Metadata\n- Created: 2026-05-22 10:20:30\n", "2026-05-22T10:20:30", "text"),
        ("HANDOFF-2026-05-23", "**Last updated**: 2026-05-24\n", "2026-05-24", "text"),
        ("CURRENT", "작성일: 2026년 5월 23일\n", "2026-05-23", "text"),
    ],
)
def test_the_date_is_the_most_explicit_one(
    world: World, name: str, text: str, date: str, origin: str
) -> None:
    world.put(f"{name}.md", text + NOTE)
    (memory,) = world.memories().values()
    assert (memory.updated, memory.date_origin) == (datetime.fromisoformat(date).replace(tzinfo=UTC), origin)


def test_a_document_without_a_date_has_its_files(world: World) -> None:
    world.put("HANDOFF.md", NOTE)
    world.age("HANDOFF.md", 3)
    (memory,) = world.memories().values()
    assert memory.date_origin == "file time"
    assert memory.updated is not None
    assert memory.updated.timestamp() == world.now - 3 * 86_400


def test_a_long_document_comes_in_sections(world: World) -> None:
    filler = "The refund worker keeps its state in Postgres.\n" * 60
    done = f"## Done\n\n{filler}\n### Detail\n\nA.\n\n"
    text = f"# Handoff\n\nIn short.\n\n{done}## Next\n\n{filler}\n## Open\n\n- [ ] \n\n"
    world.put("HANDOFF.md", text + f"## Next\n\n{filler}")
    found = world.memories()
    assert [(key, memory.title) for key, memory in found.items()] == [
        ("HANDOFF/handoff", "Handoff"),
        ("HANDOFF/done", "Handoff: Done"),
        ("HANDOFF/next", "Handoff: Next"),
        ("HANDOFF/next~2", "Handoff: Next"),
    ]
    lines = text.split("\n")
    for memory in found.values():
        assert memory.line is not None
    assert lines[found["HANDOFF/next"].line - 1] == "## Next"  # type: ignore[operator]
    assert "Detail" in found["HANDOFF/done"].text


def test_a_long_document_without_headings_stays_whole(world: World) -> None:
    world.put("HANDOFF.md", "문장이다. " * 2_000)
    assert set(world.memories()) == {"HANDOFF"}


@given(
    st.lists(
        st.sampled_from(["# A", "## B", "## B", "### C", "text", "```", "", "가나다 " * 400]), max_size=30
    )
)
@settings(max_examples=80)
def test_nothing_of_a_document_is_lost_by_cutting_it(world: World, lines: list[str]) -> None:
    world.put("HANDOFF.md", "\n".join(lines))
    served = "\n".join(memory.text for memory in world.memories().values())
    for word in ("text", "가나다"):
        wanted = sum(line.startswith(word) for line in lines)
        assert sum(line.startswith(word) for line in served.split("\n")) == wanted


# -- states and odd files -------------------------------------------------------------------------------------


def test_a_project_without_a_state_is_absent_and_says_what_to_do(world: World) -> None:
    with pytest.raises(StoreAbsent):
        world.listed()
    health = world.health()
    assert (health.state, health.items) == (State.ABSENT, 0)
    assert "HANDOFF.md" in health.next_step
    assert str(world.root / "docs/handoffs") in health.places


@pytest.mark.parametrize(
    "text", ["", "# Handoff\n\n## Done\n\n- [Describe]\n\n## Next\n\nTODO\n", "<!-- none -->\n"]
)
def test_a_template_or_an_empty_file_is_empty(world: World, text: str) -> None:
    world.put("HANDOFF.md", text)
    health = world.health()
    assert (health.state, health.items) == (State.EMPTY, 0)
    assert health.next_step
    assert "empty files or unfilled templates: 1, as HANDOFF.md" in health.facts


def test_an_empty_folder_of_hand_overs_is_empty(world: World) -> None:
    (world.root / "docs/handoffs").mkdir(parents=True)
    assert world.health().state is State.EMPTY


def test_odd_files_are_reported_and_the_rest_is_served(world: World, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text(NOTE)
    world.put("CURRENT.md", "# 현재\n\n환불을 하는 중이다.\n".encode("cp949"))
    world.put("CURRENT_big.md", NOTE + "가" * 2_000)
    world.put("HANDOFF-binary.md", b"\x00\x01")
    os.mkfifo(world.root / "HANDOFF.md")
    (world.root / "HANDOFF-leak.md").symlink_to(tmp_path / "secret.md")
    (world.root / "handoffs").symlink_to(tmp_path)
    world.options = StateOptions(max_file_bytes=1_024)
    assert world.memories()["CURRENT"].title == "현재"
    reasons = {Path(where).name: problem.reason for where, problem in world.problems().items()}
    assert "named pipe" in reasons["HANDOFF.md"]
    assert "leaves the store" in reasons["HANDOFF-leak.md"]
    assert "leaves the project" in reasons["handoffs"]
    assert "binary" in reasons["HANDOFF-binary.md"]
    assert "cut after" in reasons["CURRENT_big.md"]
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 2)


def test_nothing_that_can_be_read_is_broken(world: World) -> None:
    world.put("HANDOFF.md", b"\x00\x01")
    assert world.health().state is State.BROKEN


def test_reading_changes_nothing(world: World, tmp_path: Path) -> None:
    world.put("HANDOFF.md", NOTE)
    world.put("docs/handoffs/2026-05-20-a.md", "---\nname: [broken\n---\n" + NOTE)
    world.put(".context/SNAPSHOT.json", '{"next": ["a"]}')
    world.journal({"kind": "decision", "text": "a"}, "torn")
    before = snapshot(tmp_path)
    world.health()
    world.memories()
    assert snapshot(tmp_path) == before


def test_a_listing_reads_no_document(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.put("HANDOFF.md", NOTE)
    world.journal({"kind": "decision", "text": "a"})

    def read(*_: object, **__: object) -> object:
        raise AssertionError

    monkeypatch.setattr("recall.files.read_text", read)
    monkeypatch.setattr("recall.files.read_bytes", read)
    assert len([item for item in world.listed() if isinstance(item, Entry)]) == 2


def test_decisions_and_state_read_no_file_twice(world: World) -> None:
    for name in ("HANDOFF.md", "DECISIONS.md", "docs/DECISIONS.md", "docs/adr/0001-a.md", "docs/handoffs/a.md",
                 ".context/DECISIONS.md", "decisions/HANDOFF.md", "handoffs/decisions.md"):  # fmt: skip
        world.put(name, f"# {name}\n\n- 2026-05-20: We decided {name}.\n")
    decided = DecisionsProvider()
    entries = [item for item in decided.entries(world.scope, Deadline.after(60)) if isinstance(item, Entry)]
    loaded = [one for entry in entries for one in decided.load(entry, world.scope) if isinstance(one, Memory)]
    paths = {memory.path for memory in world.memories().values()}
    assert not paths & {memory.path for memory in loaded}
    assert len(paths) + len({memory.path for memory in loaded}) == 8


def test_a_document_of_very_many_headings_stays_whole(world: World) -> None:
    world.put(
        "HANDOFF.md",
        "# Handoff\n" + "".join(f"\n## Part {number}\n\nDone {number}\n" for number in range(1_001)),
    )
    (memory,) = world.memories().values()
    assert memory.id == "HANDOFF"
    assert memory.text.endswith("Done 1000")
