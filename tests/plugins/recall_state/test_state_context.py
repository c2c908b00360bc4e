"""The checkpoint journal and the snapshot: read leniently, damage counted, views not served twice."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall import checkpoints
from recall.api import Authority, Memory, State
from recall.intake import prepare
from recall.tokens import Tokenizer
from recall_state.provider import StateOptions

if TYPE_CHECKING:
    from conftest import World

JOURNAL = ".context/CONVERSATION.jsonl"


def record(kind: str, text: str, name: str = "", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "text": text, "at": "2026-05-20T10:00:00Z", "sha256": "ab" * 32, "id": name, **more}


def test_each_checkpoint_is_a_memory_and_unknown_fields_stay_out(world: World) -> None:
    world.journal(
        record("decision", "Orders in Postgres", "c1", why="one backup", pid=4711),
        record("blocker", "The bank's sandbox is down", "c2"),
    )
    found = world.memories()
    decision = found[".context/c1"]
    assert decision.text == "Decision: Orders in Postgres\n\nWhy: one backup"
    assert (decision.title, decision.kind, decision.line) == ("Decision: Orders in Postgres", "decision", 1)
    assert (decision.updated, decision.date_origin) == (datetime(2026, 5, 20, 10, tzinfo=UTC), "journal")
    assert "4711" not in repr(found)
    assert "abab" not in repr(found)
    assert found[".context/c2"].authority is Authority.STATE


def test_what_lasts_is_believed_as_a_decision_and_of_events_the_last_tells_the_state(world: World) -> None:
    world.journal(
        record("approved", "a", "a"), record("rejected", "b", "b"), record("constraint", "c", "c"),
        record("abandoned", "d", "d"), record("handoff", "e", "e"), record("milestone", "f", "f"),
        record("verification", "g", "g"), record("handoff", "h", "h"), record("blocker", "i", "i"),
    )  # fmt: skip
    by_name = {key[-1]: authority for key, authority in world.authorities().items()}
    assert {name for name, one in by_name.items() if one is Authority.DECISION} == set("abcd")
    assert {name for name, one in by_name.items() if one is Authority.STATE} == set("fghi")
    assert by_name["e"] is Authority.CAPTURED


def test_a_checkpoint_that_tells_no_present_state_says_why(world: World) -> None:
    world.journal(
        record("milestone", "a", "a"), record("milestone", "b", "b"), record("decision", "c", "c"),
        record("blocker", "d", "d", at="2026-01-02T10:00:00Z"), record("blocker", "e", "e"),
    )  # fmt: skip
    world.put(
        ".context/SNAPSHOT.json", json.dumps({"at": "2026-01-02T10:00:00Z", "state": "refunds half done"})
    )
    found = {
        memory.id.rpartition("/")[2]: (memory.kind, memory.authority) for memory in world.memories().values()
    }
    assert found == {
        "a": ("milestone, not the newest", Authority.CAPTURED),
        "b": ("milestone", Authority.STATE),
        "c": ("decision", Authority.DECISION),
        "d": ("blocker, older than 30 days", Authority.DECISION),
        "e": ("blocker", Authority.STATE),
        "SNAPSHOT": ("snapshot, older than 30 days", Authority.DECISION),
    }


def test_a_rejected_idea_is_said_to_be_rejected_and_stands(world: World) -> None:
    world.journal(record("rejected", "Kafka for the orders", "r"))
    (memory,) = world.memories().values()
    assert (memory.text, memory.withdrawn) == ("Rejected: Kafka for the orders", "")


@pytest.mark.parametrize("closing", [{"closes": "c1"}, {"supersedes": ["c1"]}, {"replaces": "c1"}])
def test_a_checkpoint_that_a_later_one_closes_is_withdrawn(world: World, closing: dict[str, Any]) -> None:
    world.journal(record("decision", "MySQL", "c1"), record("decision", "Postgres", "c2", **closing))
    found = world.memories()
    assert found[".context/c1"].withdrawn == "superseded by Decision: Postgres (2026-05-20)"
    assert found[".context/c2"].withdrawn == ""


def test_a_blocker_is_closed_by_what_solved_it(world: World) -> None:
    world.journal(
        record("blocker", "sandbox down", "7"), record("milestone", "sandbox is back", "8", closes=7)
    )
    assert world.memories()[".context/7"].withdrawn == "closed by Milestone: sandbox is back (2026-05-20)"


def test_ids_stay_when_the_journal_grows(world: World) -> None:
    world.journal({"kind": "decision", "text": "a"}, {"kind": "decision", "text": "b"})
    before = set(world.memories())
    world.journal(*({"kind": "decision", "text": text} for text in "abc"))
    assert before < set(world.memories())


@pytest.mark.parametrize(
    "item",
    [
        {"type": "Decision", "summary": "x"},
        {"record": {"kind": "decision", "text": "x"}, "sha": "1"},
        {"seq": 3, "payload": {"kind": "decision", "content": "x", "reason": "y"}},
        {"kind": "decision", "message": "x", "ts": 1_780_000_000, "paths": ["a"], "evidence": {"b": 1}},
    ],
)
def test_other_spellings_of_a_checkpoint_are_understood(world: World, item: dict[str, Any]) -> None:
    world.journal(item)
    (memory,) = world.memories().values()
    assert memory.text.startswith("Decision: x")


def test_damage_is_counted_and_what_can_be_read_is_served(world: World) -> None:
    lines = [
        json.dumps(record("decision", "first", "a")).encode(),
        b"\x00" * 4_096,
        json.dumps(record("decision", "glued", "b")).encode()
        + json.dumps(record("decision", "on", "c")).encode(),
        b"not json",
        b"[1, 2]",
        b'{"kind": "user", "text": "hello"}',
        b'{"kind": "decision", "text": "torn ta',
    ]
    world.put(JOURNAL, b"\n".join(lines))
    assert set(world.memories()) == {".context/a", ".context/b", ".context/c"}
    reasons = [problem.reason for problem in world.loaded() if not isinstance(problem, Memory)]
    assert reasons == ["damaged lines left out: 3", "records of other kinds left out: 1"]
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 3)


def own(seq: int, kind: str, text: str, **more: Any) -> bytes:
    at = "2026-05-20T10:00:00Z"
    return checkpoints.encode(checkpoints.Record(seq, f"{seq}-0000", at, kind, text, **more))


def test_of_recalls_own_journal_the_records_are_read_by_their_checksums(world: World) -> None:
    changed = own(3, "decision", "Kafka").replace(b"Kafka", b"Redis")
    glued = own(1, "decision", "Postgres", why="one backup").rstrip(b"\n") + own(2, "blocker", "Sandbox down")
    foreign = json.dumps(record("decision", "of another program", "f")).encode()
    world.put(JOURNAL, glued + b"\0" * 64 + b"\n" + changed + foreign + b"\n" + own(4, "handoff", "left"))
    found = world.memories()
    assert [memory.text for memory in found.values()] == [
        "Decision: Postgres\n\nWhy: one backup",
        "Blocker: Sandbox down",
        "Decision: of another program",
        "Handoff: left",
    ]
    assert world.problems()[JOURNAL].reason == "damaged lines left out: 1"


def test_of_an_entrys_next_steps_those_are_served_that_are_not_done(world: World) -> None:
    entry = own(1, "handoff", "Refunds half done", next=("write the test", "deploy"))
    world.put(JOURNAL, entry + own(2, "milestone", "Test written", closes=("1-0000.1",)))
    assert world.memories()[".context/1-0000"].text == "Handoff: Refunds half done\n\nNext:\n- deploy"


def test_recalls_own_snapshot_says_nothing_beside_the_journal_and_a_changed_one_does(world: World) -> None:
    world.put(JOURNAL, own(1, "decision", "Postgres"))
    view = json.dumps({"state": "a sentence of its own"}, indent=2).encode()
    world.put(".context/SNAPSHOT.json", checkpoints.sealed("SNAPSHOT.json", view))
    assert set(world.memories()) == {".context/1-0000"}
    world.put(".context/SNAPSHOT.json", view)
    assert set(world.memories()) == {".context/1-0000", ".context/SNAPSHOT"}


def test_of_a_journal_that_is_too_long_the_end_is_read(world: World) -> None:
    world.journal(*(record("decision", f"number {number}", str(number)) for number in range(200)))
    world.options = StateOptions(max_file_bytes=4_096)
    found = world.memories()
    assert ".context/199" in found
    assert ".context/0" not in found
    assert "only the last 4,096 bytes" in world.problems()[JOURNAL].reason


def test_views_of_a_journal_are_not_served_beside_it(world: World) -> None:
    world.journal(record("decision", "Postgres", "a"), record("handoff", "go on with refunds", "b"))
    for name in ("HANDOFF.md", "DECISIONS.md", "SESSION_CHECKPOINT.md"):
        world.put(f".context/{name}", "# View\n\n- Postgres\n- go on with refunds\n")
    world.put(
        ".context/SNAPSHOT.json", json.dumps({"revision": 4, "decisions": [{"text": "Postgres", "id": "a"}]})
    )
    assert set(world.memories()) == {".context/a", ".context/b"}
    assert world.health().state is State.READY
    assert not any("empty files" in fact for fact in world.health().facts)


def test_views_are_served_where_the_journal_holds_nothing(world: World) -> None:
    world.put(".context/HANDOFF.md", "# Handoff\n\nGo on with refunds.\n")
    world.put(".context/DECISIONS.md", "# Decisions\n\n- 2026-05-20: Postgres\n")
    expected = {".context/HANDOFF": Authority.STATE, ".context/DECISIONS": Authority.DECISION}
    assert world.authorities() == expected
    before = world.entries()
    world.put(JOURNAL, '{"kind": "user", "text": "hello"}\n')
    assert world.authorities() == expected
    assert world.entries()[".context/HANDOFF.md"].stamp != before[".context/HANDOFF.md"].stamp


def test_a_snapshot_says_what_the_journal_does_not(world: World) -> None:
    world.journal(record("decision", "Postgres", "a"))
    value = {
        "revision": "9f8e7d", "git": {"head": "0123abcd"}, "at": "2026-05-21T00:00:00Z",
        "current": "Refunds are half done", "next_steps": ["partial refunds", "the report"],
        "decisions": [{"id": "a", "text": "Postgres"}, {"id": "z", "text": "No Redis"}],
        "blockers": [],
    }  # fmt: skip
    world.put(".context/SNAPSHOT.json", json.dumps(value))
    shot = world.memories()[".context/SNAPSHOT"]
    assert shot.text == (
        "current: Refunds are half done\nnext_steps:\n- partial refunds\n- the report\ndecisions: - No Redis"
    )
    assert shot.updated == datetime(2026, 5, 21, tzinfo=UTC)


@pytest.mark.parametrize("text", ["{broken", '{"a": ', b"\x00"])
def test_a_snapshot_that_cannot_be_read_is_reported(world: World, text: str | bytes) -> None:
    world.put(".context/SNAPSHOT.json", text)
    assert world.health().state is State.BROKEN


@pytest.mark.parametrize("text", ["{}", "[]", "3", '{"git": {"head": "x"}}'])
def test_a_snapshot_that_says_nothing_is_empty(world: World, text: str) -> None:
    world.put(".context/SNAPSHOT.json", text)
    assert world.health().state is State.EMPTY


KEYS = st.sampled_from(
    ["kind", "type", "text", "why", "at", "id", "closes", "record", "decisions", "next", "x"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(KEYS, JSON, max_size=5) | JSON, max_size=5), st.binary(max_size=20))
@settings(max_examples=100)
def test_no_journal_and_no_snapshot_breaks_the_reading(world: World, items: list[Any], tail: bytes) -> None:
    lines = [json.dumps({**item, "kind": "decision"} if isinstance(item, dict) else item) for item in items]
    world.put(JOURNAL, "\n".join(lines).encode() + tail)
    world.put(".context/SNAPSHOT.json", json.dumps(items))
    prepare("state", "k", "1", world.loaded(), Tokenizer())
