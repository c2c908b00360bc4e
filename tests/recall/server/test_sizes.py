"""No result is longer than is allowed, whatever it holds, and what is left out is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import CallToolResult

from recall.api import Authority, Health, Memory, Problem, State
from recall.errors import StoreBroken
from recall.health import Checkup
from recall.history import Trend
from recall.server.shaping.checkups import checkups
from recall.server.shaping.shaped import as_json
from recall.testing.fakes import Broken, Notes
from support.serving import called, document, server_over, text

LEAST = 4_000  # the least that the settings allow
LONG = '경로가 "아주" 길다 ' * 200
RETRY = "실패한 결제는 세 번까지 재시도한다"
WORDS = ("알림", "환불", "정산", "쿠폰", "배포", "캐시", "색인", "세션")


def size(result: CallToolResult) -> int:
    return max(len(text(result)), len(as_json(document(result))))


def sources(troubled: int) -> list[Any]:
    """One source of a few memories, and some with much to say of themselves."""
    notes = Notes("serena", {word: f"결제 {word} {word}의 {word}규칙" for word in WORDS})
    noted = Notes("noted", {"other": "무관한 글"}, health=Health(State.READY, 1, facts=(LONG,) * 30))
    noted.problems = [Problem(f"memory {number}", LONG, harmless=True) for number in range(30)]
    broken = [Broken(f"broken{number:02}", StoreBroken(LONG)) for number in range(troubled)]
    for one in broken:
        one._health = Health(State.BROKEN, None, reason=LONG, next_step=LONG)
    return [notes, noted, *broken]


@pytest.mark.parametrize("troubled", [3, 60])
def test_what_sources_say_of_themselves_leaves_room_for_memories(tmp_path: Path, troubled: int) -> None:
    server = server_over(tmp_path, sources(troubled), max_result_chars=LEAST)
    result = called(server, "deep_recall", query="결제", deadline=30)
    found = document(result)
    assert size(result) <= LEAST
    assert found["memories"][0]["source"] == "serena"
    unnamed = found.get("left_out", {}).get("sources", 0)
    assert len(found["outcomes"]) + unnamed == troubled + 2
    assert "serena" in [outcome["provider"] for outcome in found["outcomes"]]
    assert (f"{unnamed} sources that are not named here" in text(result)) is (unnamed > 0)
    noted = next((one for one in found["outcomes"] if one["provider"] == "noted"), None)
    assert noted is None or noted["notes"][-1].endswith((" more", " not shown"))


@pytest.mark.parametrize("troubled", [3, 60])
def test_a_checkup_of_many_troubled_sources_is_cut_and_counted(tmp_path: Path, troubled: int) -> None:
    server = server_over(tmp_path, sources(troubled), max_result_chars=LEAST)
    result = called(server, "memory_health")
    found = document(result)
    assert size(result) <= LEAST
    assert found["healthy"] is False
    left_out = found.get("left_out", {}).get("providers", 0)
    assert len(found["providers"]) + left_out == troubled + 2
    assert (f"Left out: {left_out} providers." in text(result)) is (left_out > 0)


@pytest.mark.parametrize("length", [10, 3_000, 12_000])
def test_a_long_question_that_finds_nothing_is_no_failure_to_look(tmp_path: Path, length: int) -> None:
    server = server_over(tmp_path, [Notes("serena", {"a": "결제"}), Notes("empty")], max_result_chars=LEAST)
    question = "nothing " + " ".join(f"w{number}" for number in range(length))
    result = called(server, "deep_recall", query=question, deadline=30)
    found = document(result)
    assert size(result) <= LEAST
    assert found["answer"] == "nothing found"
    assert [outcome["provider"] for outcome in found["outcomes"]] == ["serena", "empty"]
    assert "Nothing found: no memory speaks of 'nothing w0 w1" in text(result)
    assert "w99" not in text(result)


def test_what_came_of_a_question_is_told_of_all_sources_not_of_those_that_are_named(tmp_path: Path) -> None:
    broken = [Broken("broken" + "x" * 200 + str(number), StoreBroken(LONG)) for number in range(60)]
    server = server_over(tmp_path, [*broken, Notes("empty", {"a": "무관"})], max_result_chars=LEAST)
    result = called(server, "deep_recall", query="결제", deadline=30)
    found = document(result)
    assert size(result) <= LEAST
    assert found["left_out"]["sources"] > 0
    assert found["answer"] == "nothing found"
    assert "Nothing found in what could be read" in text(result)


def test_memories_that_have_no_room_were_found_all_the_same(tmp_path: Path) -> None:
    long = Memory("긴이름/" * 400, "결제", title="결제", path="/p/" * 900)
    server = server_over(tmp_path, [Notes("serena", {"a": long})], max_result_chars=LEAST)
    result = called(server, "deep_recall", query="결제", deadline=30)
    found = document(result)
    assert size(result) <= LEAST
    assert (found["answer"], found["memories"]) == ("found", [])
    assert found["left_out"]["beyond_size"] == 1
    assert "Nothing found" not in text(result)
    assert "no room" in text(result)


def test_a_reason_that_is_cut_shows_it(tmp_path: Path) -> None:
    server = server_over(tmp_path, [Broken("broken", StoreBroken("x" * 3_000))])
    (outcome,) = document(called(server, "deep_recall", query="결제"))["outcomes"]
    assert len(outcome["reason"]) == 400
    assert outcome["reason"].endswith("x…")


def disagreeing(long: str) -> list[Any]:
    """Three sources that tell one thing each in its own way, at length."""
    return [
        Notes(name, {"retry": f"{RETRY}. 간격은 1초, {number}초이다. RetryWorker가 한다. {long}"}, authority)
        for name, number, authority in (
            ("serena", 4, Authority.CURATED),
            ("agy", 9, Authority.CAPTURED),
            ("chats", 16, Authority.CHAT),
        )
    ]


def test_what_is_cut_of_the_only_memory_shows_and_is_counted(tmp_path: Path) -> None:
    server = server_over(tmp_path, disagreeing("설명이 길다. " * 2_000), max_result_chars=LEAST)
    result = called(server, "deep_recall", query="결제 재시도", budget=50_000, deadline=30)
    found = document(result)
    (memory,) = found["memories"]
    assert size(result) <= LEAST
    assert memory["text"].endswith("…")
    assert memory["whole"] is False
    beside = sum(len(memory.get(kind, ())) for kind in ("also_in", "disagrees", "similar"))
    assert beside + found["left_out"]["related"] == 2
    assert found["left_out"]["shortened"] == 1
    assert sum(one["found"] for one in found["outcomes"]) == 1 + beside


def test_counts_are_those_of_the_memories_that_are_left(tmp_path: Path) -> None:
    notes = {word: f"결제 {word} {word}의 {word}규칙\n" + f"{word} 설명\n" * 600 for word in WORDS}
    server = server_over(tmp_path, [Notes("serena", notes)], max_result_chars=LEAST)
    found = document(called(server, "deep_recall", query="결제", budget=9_000, deadline=30))
    cut = [memory for memory in found["memories"] if not memory["whole"]]
    assert found["left_out"]["beyond_size"] > 0
    assert found["left_out"].get("shortened", 0) == len(cut)


def test_a_memory_that_stands_with_another_one_is_cut_with_a_mark_in_both_forms(tmp_path: Path) -> None:
    result = called(
        server_over(tmp_path, disagreeing("설명이 길다. " * 60)), "deep_recall", query="결제 재시도"
    )
    (memory,) = document(result)["memories"]
    assert [len(other["text"]) < 310 and other["text"][-1] for other in memory["disagrees"]] == ["…", "…"]
    shown = text(result).split("- disagrees: ")[1:]
    assert [block.split("> ")[1].splitlines()[0][-1] for block in shown] == ["…", "…"]


def test_search_results_without_room_are_counted(tmp_path: Path) -> None:
    notes = {word: Memory(f"{word}/" * 100, f"결제 {word}", title=f"{word} " * 300) for word in WORDS}
    server = server_over(tmp_path, [Notes("serena", notes)], max_result_chars=LEAST)
    result = called(server, "search", query="결제")
    found = document(result)
    assert size(result) <= LEAST
    assert len(found["results"]) > 0
    assert len(found["results"]) + found["left_out"]["beyond_size"] == len(WORDS)
    assert all(len(one["title"]) <= 400 for one in found["results"])


@pytest.mark.parametrize(("tool", "argument"), [("read_memory", "uri"), ("fetch", "id")])
@pytest.mark.parametrize("key", ["a", "깊은/" * 280], ids=["short", "long uri"])
def test_a_page_has_its_size_beside_a_long_path_and_uri(
    tmp_path: Path, tool: str, argument: str, key: str
) -> None:
    long = Memory(key, f'결제 "{LONG}"\n' * 20, title=LONG, path=f"/{LONG}", project=LONG)
    server = server_over(tmp_path, [Notes("serena", {"a": long})], max_result_chars=LEAST)
    uri = document(called(server_over(tmp_path, [Notes("serena", {"a": long})]), "search", query="결제"))
    result = called(server, tool, **{argument: uri["results"][0]["id"]})
    assert size(result) <= LEAST
    assert "결제" in document(result)["text"]


checkup = st.builds(
    Checkup,
    provider=st.sampled_from(["serena", "markdown", "x" * 60]),
    state=st.sampled_from(State),
    authority=st.none(),
    items=st.none() | st.integers(0, 10**6),
    in_scope=st.none(),
    indexed=st.just(0),
    newest=st.none() | st.just(1_780_000_000.0),
    asked=st.integers(0, 20),
    came_back=st.integers(0, 20),
    reason=st.text(max_size=50) | st.just(LONG),
    next_step=st.text(max_size=50) | st.just(LONG),
    facts=st.lists(st.just(LONG), max_size=12).map(tuple),
    problems=st.lists(st.just(("where", LONG)), max_size=12).map(tuple),
    places=st.just(()),
    trend=st.builds(Trend, text=st.just("") | st.just(LONG), alarm=st.booleans()),
    vanished=st.just(0),
    seconds=st.just(0.0),
)


@given(st.lists(checkup, max_size=40), st.lists(st.just(LONG), max_size=20), st.integers(LEAST, 20_000))
def test_no_checkup_is_too_long_and_every_source_is_there_or_counted(
    found: list[Checkup], notices: list[str], most: int
) -> None:
    shaped = checkups(found, LONG, notices, most)
    assert shaped.size <= most
    shown = shaped.structured["providers"]
    assert len(shown) + shaped.structured.get("left_out", {}).get("providers", 0) == len(found)
