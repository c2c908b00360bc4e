"""Transcripts are read line by line and part by part, whatever stands in them."""

from __future__ import annotations

import io
import json
import os
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall import files, jsonl
from recall.api import Deadline, Entry, Memory, Problem
from recall.errors import StoreBroken
from recall.jsonl import Skipped, records
from recall_transcripts import claude_code, codex, gemini
from recall_transcripts.clients import About
from recall_transcripts.exchanges import exchanges, memories

if TYPE_CHECKING:
    from conftest import World

MIB = 1 << 20
WHOLE = 1 << 40


def read(path: Path, start: int = 0, end: int = WHOLE, limit: int = 1000) -> tuple[list[Any], Skipped]:
    skipped = Skipped()
    return [record for _offset, record in records(str(path), start, end, limit, skipped)], skipped


def test_a_torn_last_line_is_still_being_written_and_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": 2, "to')
    assert read(path) == ([{"a": 1}], Skipped())
    path.write_bytes(b'{"a": 1}\n{"a": 2}')
    assert read(path) == ([{"a": 1}, {"a": 2}], Skipped())


@pytest.mark.parametrize("run", [1, 4_096])
def test_the_nuls_of_a_crash_cost_no_record(tmp_path: Path, run: int) -> None:
    path = tmp_path / "a.jsonl"
    nuls = b"\0" * run
    path.write_bytes(b'{"a": 1}\n' + nuls + b'{"a": 2}\n{"a": 3}' + nuls + b"\n" + b'{"a": 4}\n' + nuls)
    found, skipped = read(path, limit=20_000)
    assert found == [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}]
    assert skipped == Skipped()


def test_what_is_no_record_is_skipped_and_what_is_no_json_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    deep = b"[" * 100_000
    path.write_bytes(
        b'\xef\xbb\xbf{"a": 1}\r\n\n  \n[1]\n7\n"x"\nnull\n{"a": \n\x00\x00\n' + deep + b'\n{"a": 2}\n'
    )
    assert read(path, limit=200_000) == ([{"a": 1}, {"a": 2}], Skipped(0, 3))


def test_what_is_no_transcript_is_given_up_and_named(world: World) -> None:
    path = world.claude(world.asks("질문", "u1"), world.answers("답", "u2"))
    path.write_bytes(path.read_bytes() + b"{\n" * 20_000)
    assert world.texts() == ["Q: 질문\n\nA: 답"]
    assert world.problems()[0].endswith("more than 10,000 lines are no JSON; it is not read on")
    assert read(path)[1].broken == jsonl.BROKEN_LIMIT + 1


def test_blank_lines_without_number_are_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": 1}\n' + b"\n \n" * 20_000 + b'{"a": 2}\n')
    assert read(path) == ([{"a": 1}, {"a": 2}], Skipped())


def test_bytes_that_are_no_text_cost_their_characters_only(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a": "\xff\xb0\xa1"}\n')
    assert read(path)[0] == [{"a": "\ufffd\ufffd\ufffd"}]


class Measured(io.BytesIO):
    """A file that remembers the most that was read of it at once, and how much that was in all."""

    largest = total = 0

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        self.largest = max(self.largest, len(line))
        self.total += len(line)
        return line


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Measured:
    """Stands in for every file that is opened."""
    file = Measured()
    file.close = lambda: None  # type: ignore[method-assign]
    monkeypatch.setattr(files, "open_regular", lambda _path: file)
    return file


def test_a_line_of_64_megabytes_is_passed_over_without_being_held(measured: Measured) -> None:
    measured.write(b'{"a": 1}\n{"a": "' + b"x" * (64 * MIB) + b'"}\n{"a": 2}\n')
    measured.seek(0)
    found, skipped = read(Path("x"), limit=100_000)
    assert (found, skipped) == ([{"a": 1}, {"a": 2}], Skipped(1, 0))
    assert measured.largest <= 100_001


def test_the_parts_of_a_line_of_64_megabytes_are_read_once_and_no_further(measured: Measured) -> None:
    measured.write(b'{"a": 1}\n{"a": "' + b"x" * (64 * MIB) + b'"}\n{"a": 2}\n')
    size = measured.tell()
    measured.seek(0)
    found, long = [], 0
    for start in range(0, size, MIB):
        part, skipped = read(Path("x"), start, start + MIB, limit=100_000)
        found, long = found + part, long + skipped.long
    assert (found, long) == ([{"a": 1}, {"a": 2}], 1)
    assert measured.total < size + 2 * MIB


def test_the_first_record_of_a_session_is_read_once_for_all_its_parts(world: World) -> None:
    turns = [
        record
        for number in range(3_000)
        for record in (world.asks("x" * 500, f"q{number}"), world.answers("y" * 500, f"a{number}"))
    ]
    world.claude(world.asks("z" * 500_000, "first"), world.answers("done", "second"), *turns)
    opened: list[tuple[int, int]] = []
    provider = world.provider
    whole = provider._records
    provider._records = lambda piece, start, end, skipped: (  # type: ignore[method-assign]
        opened.append((start, end)) or whole(piece, start, end, skipped)
    )
    entries = [item for item in provider.entries(world.scope, Deadline.after(60)) if isinstance(item, Entry)]
    assert len(entries) > 3
    for entry in entries:
        assert list(provider.load(entry, world.scope))
    assert opened.count((0, 1)) == 1


def test_a_conversation_of_ten_thousand_turns_is_read_as_it_is_asked_for(measured: Measured) -> None:
    """After each memory no more of the file was read than that memory's exchange and the line behind it."""
    ends: list[int] = []
    for number in range(5_000):
        for role in ("user", "assistant"):
            message = {"content": f"{role} {number}"}
            record = {"type": role, "uuid": f"{role}{number}", "cwd": "/p", "message": message}
            measured.write(json.dumps(record).encode() + b"\n")
            ends.append(measured.tell())
    measured.seek(0)
    lines_read = records("x", 0, WHOLE, 10_000, Skipped())
    found = memories(
        exchanges(lines_read, claude_code.CLIENT, About(), "x", 1000), "claude", "x", lambda _cwd: "p", 10_000
    )
    count = 0
    for count, memory in enumerate(found, 1):
        assert isinstance(memory, Memory)
        assert measured.tell() <= ends[min(2 * count, len(ends) - 1)]
    assert count == 5_000


@given(
    sizes=st.lists(st.integers(0, 60), max_size=30),
    cuts=st.lists(st.integers(0, 2_500), max_size=6),
    ended=st.booleans(),
)
@settings(max_examples=150)
def test_the_parts_of_a_file_give_each_record_once(
    tmp_path: Path, sizes: list[int], cuts: list[int], ended: bool
) -> None:
    path = tmp_path / "parts.jsonl"
    wanted = [{"n": number, "x": "가" * size} for number, size in enumerate(sizes)]
    text = "\n".join(json.dumps(record, ensure_ascii=False) for record in wanted) + "\n" * ended
    path.write_bytes(text.encode())
    borders = [0, *sorted(set(cuts) - {0}), WHOLE]
    assert [record for start, end in pairwise(borders) for record in read(path, start, end)[0]] == wanted


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = (
    "type id uuid payload message content role text timestamp cwd sessionId gitBranch isMeta isSidechain git "
    "isCompactSummary source subagent session displayContent kind model branch $set"
).split()
WORDS = st.sampled_from(
    [
        "user",
        "assistant",
        "gemini",
        "session_meta",
        "response_item",
        "compacted",
        "message",
        "text",
        "input_text",
    ]
)
SHAPED = st.recursive(
    JSON | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=12,
)
RECORDS = st.lists(st.dictionaries(st.sampled_from(KEYS), SHAPED | WORDS, max_size=8), max_size=6)


@given(RECORDS)
@pytest.mark.parametrize(
    "client", [claude_code.CLIENT, codex.CLIENT, gemini.CLIENT], ids=lambda one: one.name
)
def test_records_of_any_shape_give_memories_or_nothing(client: Any, found: list[dict[str, Any]]) -> None:
    told = exchanges(enumerate(found), client, About(), "x", 1000)
    for memory in memories(told, client.name, "x", lambda cwd: cwd, 10):
        assert isinstance(memory, Memory | Problem)
        if isinstance(memory, Memory):
            assert memory.id.startswith(f"{client.name}/")
            assert memory.text
            assert all(isinstance(value, str) for value in (memory.title, memory.project, memory.context))


@pytest.mark.parametrize("text", ["7", "[]", '{"messages": 7}', '{"messages": [[], 7]}', '{"items": {}}'])
def test_an_older_document_of_any_shape_holds_no_record(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    assert [record for _number, record in jsonl.whole(str(path), Skipped())][1:] == []


def test_an_older_document_beyond_the_limit_is_counted(tmp_path: Path) -> None:
    path, skipped = tmp_path / "a.json", Skipped()
    path.write_bytes(b'{"messages": []}' + b" " * (16 * MIB))
    assert list(jsonl.whole(str(path), skipped)) == []
    assert skipped == Skipped(1, 0)


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    with pytest.raises(StoreBroken, match="a named pipe"):
        read(tmp_path / "a.jsonl")


def long_session(world: World, count: int, size: int) -> Path:
    exchanges = (
        record
        for number in range(count)
        for record in (world.asks(f"질문 {number}", f"u{number}"), world.answers("x" * size, f"a{number}"))
    )
    return world.claude(*exchanges)


def test_a_growing_session_costs_its_last_two_parts_only(world: World) -> None:
    path = long_session(world, 40, 100_000)
    before = world.entries()
    assert len(before) == 4
    with path.open("ab") as file:
        for record in (world.asks("새 질문", "new"), world.answers("새 답", "answer")):
            file.write(json.dumps(record).encode() + b"\n")
    after = world.entries()
    assert after.keys() == before.keys()
    changed = [key for key in after if after[key].stamp != before[key].stamp]
    assert [key[-2:] for key in changed] == ["#2", "#3"]
    new = [
        memory.id
        for memory in world.provider.load(after[changed[1]], world.scope)
        if isinstance(memory, Memory)
    ]
    assert new[-1] == "claude/new"


def test_the_parts_of_a_session_hold_every_request_once(world: World) -> None:
    long_session(world, 60, 70_000)
    found = [item for item in world.loaded() if isinstance(item, Memory)]
    requests = [memory.id for memory in found if memory.kind == "exchange"]
    assert requests == [f"claude/u{number}" for number in range(60)]
    # Where a border falls between a request and its answer, the answer is a memory of its own.
    assert len([memory for memory in found if memory.kind == "reply"]) <= 4


def test_another_file_in_its_place_is_read_again(world: World) -> None:
    path = long_session(world, 40, 100_000)
    before = world.entries()
    other = path.with_suffix(".new")
    other.write_bytes(path.read_bytes())
    other.replace(path)
    after = world.entries()
    assert all(after[key].stamp != before[key].stamp for key in before)


def test_listing_opens_no_session(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.claude(world.asks("질문", "u1"))
    world.codex({"type": "session_meta", "payload": {"cwd": world.root}})
    monkeypatch.setattr(files, "open_regular", None)
    monkeypatch.setattr(files, "read_bytes", None)
    assert len([item for item in world.listed() if isinstance(item, Entry)]) == 2
