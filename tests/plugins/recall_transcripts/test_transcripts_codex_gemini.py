"""What is read of Codex's and Gemini CLI's sessions, and what is not."""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import World

WHEN = "2026-05-18T07:05:00.000Z"


def meta(cwd: str, session: str = "c1", **more: object) -> dict[str, object]:
    head = {"id": session, "timestamp": WHEN, "cwd": cwd, "git": {"branch": "main"}, **more}
    return {"timestamp": WHEN, "type": "session_meta", "payload": head}


def item(role: str, *texts: str) -> dict[str, object]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in texts]
    return {
        "timestamp": WHEN,
        "type": "response_item",
        "payload": {"type": "message", "role": role, "content": content},
    }


def test_a_codex_session_gives_what_was_said_and_not_what_was_put_in(world: World) -> None:
    world.codex(
        meta(world.root),
        item("developer", "SECRET"),
        item(
            "user", "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nSECRET", "<environment_context>SECRET"
        ),
        item("user", "재시도는 몇 번?"),
        {"type": "event_msg", "payload": {"type": "user_message", "message": "재시도는 몇 번?"}},
        {"type": "response_item", "payload": {"type": "reasoning", "summary": [{"text": "SECRET"}]}},
        {"type": "response_item", "payload": {"type": "function_call_output", "output": "SECRET"}},
        {"type": "turn_context", "payload": {"model": "x", "cwd": world.root}},
        item("assistant", "세 번."),
        {"type": "event_msg", "payload": {"type": "agent_message", "message": "세 번."}},
    )
    (memory,) = world.memories().values()
    assert memory.text == "Q: 재시도는 몇 번?\n\nA: 세 번."
    assert memory.extra == {"session": "c1", "branch": "main"}
    assert memory.created == datetime(2026, 5, 18, 7, 5, tzinfo=UTC)
    assert memory.id.startswith("codex/c1/")


def test_only_the_request_is_taken_of_what_an_editor_sends_to_codex(world: World) -> None:
    world.codex(
        meta(world.root),
        item("user", "# Context from my IDE setup:\nSECRET\n\n## My request for Codex:\n고쳐줘"),
    )
    assert world.texts() == ["Q: 고쳐줘"]


def test_a_codex_session_of_another_project_is_left_out(world: World) -> None:
    world.codex(meta("/srv/lighthouse"), item("user", "등을 켜줘"))
    world.codex(item("user", "누구 것인지 모른다"), name="rollout-unknown.jsonl")
    assert world.memories() == {}
    world.change(all_projects=True)
    assert {memory.project for memory in world.memories().values()} == {"lighthouse", ""}


def test_codex_sub_agents_are_read_only_when_asked_for(world: World) -> None:
    world.codex(meta(world.root, source={"subagent": {"thread_spawn": {}}}), item("user", "하위 작업"))
    assert world.memories() == {}
    world.choose(subagents=True)
    assert world.texts() == ["Q: 하위 작업"]


def test_a_fork_keeps_its_own_head(world: World) -> None:
    world.codex(meta(world.root, "fork"), meta("/srv/parent", "parent"), item("user", "이어서"))
    (memory,) = world.memories().values()
    assert memory.extra["session"] == "fork"


def test_a_compacted_codex_session_gives_its_summary(world: World) -> None:
    summary = {"timestamp": WHEN, "type": "compacted", "payload": {"message": "재시도를 세 번으로 정했다."}}
    world.codex(meta(world.root), item("user", "가"), summary, item("user", "나"))
    assert [memory.kind for memory in world.memories().values()] == ["exchange", "summary", "exchange"]


def test_an_older_codex_session_is_one_document(world: World) -> None:
    items = [item("user", "옛 질문")["payload"], item("assistant", "옛 답")["payload"]]
    document = {"session": {"id": "old", "cwd": world.root}, "items": [*items, 7, None]}
    world.write(world.scope.home / ".codex/sessions/rollout-2025-05-01-old.json", [document])
    texts = {memory.id: memory.text for memory in world.memories().values()}
    assert texts == {"codex/old/1": "Q: 옛 질문\n\nA: 옛 답"}


def test_an_older_document_that_is_damaged_is_named(world: World) -> None:
    world.write(world.scope.home / ".codex/sessions/rollout-old.json", '{"session": ')
    assert world.problems() == ["codex/rollout-old.json: not valid JSON"]
    assert world.health().state == "broken"


def test_a_windows_folder_of_codex_is_known_in_its_long_form(world: World) -> None:
    from pathlib import Path

    root = Path("C:\\work\\shop-api")
    world.change(root=root, main_root=root)
    world.codex(meta("\\\\?\\C:\\work\\shop-api"), item("user", "창문에서"))
    assert world.texts() == ["Q: 창문에서"]


def test_compressed_sessions_are_counted_and_named(world: World) -> None:
    if sys.version_info >= (3, 14):
        pytest.skip("this Python can read them")
    world.codex(name="rollout-a.jsonl.zst")
    assert world.entries() == {}
    (problem,) = world.problems()
    assert problem == "codex: 1 compressed sessions (.jsonl.zst), not read: Python 3.14 can"
    health = world.health()
    assert (health.state, health.items) == ("empty", 0)
    assert "compressed" in health.reason


def test_compressed_sessions_are_read_where_the_standard_library_can(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "compression.zstd", gzip)  # stands in: it opens a file in the same way
    lines = "".join(
        json.dumps(record) + "\n"
        for record in (meta(world.root), item("user", "packed"), item("assistant", "yes"))
    )
    world.write(world.scope.home / ".codex/sessions/rollout-a.jsonl.zst", gzip.compress(lines.encode()))
    assert world.texts() == ["Q: packed\n\nA: yes"]


def test_a_compressed_session_that_ends_too_early_is_named(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "compression.zstd", gzip)
    packed = gzip.compress("".join(json.dumps(meta(world.root)) + "\n" for _ in range(99)).encode())
    world.write(world.scope.home / ".codex/sessions/rollout-a.jsonl.zst", packed[:-20])
    (problem,) = world.problems()
    assert problem.startswith("codex/rollout-a.jsonl.zst: cannot be read on: ")


def test_sessions_without_an_id_are_told_apart_by_their_files(world: World) -> None:
    world.change(all_projects=True)
    for number in (1, 2):
        world.codex(item("user", f"말 {number}"), name=f"rollout-{number}.jsonl")
    assert set(world.memories()) == {f"codex/2026/05/18/rollout-{number}.jsonl/0" for number in (1, 2)}


GEMINI_HEAD = {"sessionId": "g1", "projectHash": "x", "startTime": WHEN, "kind": "main"}


def says(kind: str, text: object, identity: str, **more: object) -> dict[str, object]:
    return {"id": identity, "timestamp": WHEN, "type": kind, "content": text, **more}


def test_a_gemini_session_gives_what_was_said(world: World) -> None:
    world.gemini(
        GEMINI_HEAD,
        says("info", "SECRET", "0"),
        says(
            "user", [{"text": "@a.py 고쳐줘\n--- SECRET ---"}], "1", displayContent=[{"text": "@a.py 고쳐줘"}]
        ),
        {"$set": {"lastUpdated": WHEN}},
        says("gemini", "고쳤다.", "2", thoughts=[{"text": "SECRET"}], toolCalls=[{"result": "SECRET"}]),
        says("error", "SECRET", "3"),
        says("warning", "SECRET", "4"),
    )
    (memory,) = world.memories().values()
    assert memory.text == "Q: @a.py 고쳐줘\n\nA: 고쳤다."
    assert (memory.id, memory.extra, memory.project) == ("gemini/1", {"session": "g1"}, "shop-api")


def test_a_gemini_record_that_comes_again_replaces_the_one_before(world: World) -> None:
    world.gemini(
        GEMINI_HEAD,
        says("user", "질문", "1"),
        says("gemini", "생각 중", "2"),
        says("gemini", "생각 중. 답은 셋이다.", "2"),
        says("user", "다음", "3"),
        says("gemini", "생각 중. 답은 셋이다.", "2"),
    )
    assert world.texts() == ["Q: 질문\n\nA: 생각 중. 답은 셋이다.", "Q: 다음"]


def test_an_older_gemini_session_is_one_document(world: World) -> None:
    document = {**GEMINI_HEAD, "messages": [says("user", "옛 질문", "1"), says("gemini", "옛 답", "2")]}
    path = world.gemini()
    world.write(path.with_suffix(".json"), [document])
    assert world.texts() == ["Q: 옛 질문\n\nA: 옛 답"]


def test_only_sessions_are_read_of_a_gemini_folder(world: World) -> None:
    path = world.gemini(GEMINI_HEAD, says("user", "대화", "1"))
    world.write(path.parent / "checkpoint-x.json", [says("user", "표시점", "2")])
    world.write(path.parent.parent / "logs.json", [says("user", "기록", "3")])
    world.write(path.parent.parent / "tool-outputs/session-9.jsonl", [says("user", "출력", "4")])
    assert world.texts() == ["Q: 대화"]


def test_a_gemini_folder_is_told_by_its_register_or_by_the_hash_of_the_path(world: World) -> None:
    hashed = hashlib.sha256(world.root.encode()).hexdigest()
    for folder, identity in ((hashed, "1"), ("project-1", "2"), ("project-2", "3")):
        path = world.gemini(GEMINI_HEAD, says("user", f"말 {identity}", identity), folder=folder)
        (path.parent.parent / ".project_root").unlink()
    register = {"projects": {world.root: "project-1", "/srv/other": "project-2", "/x": None}}
    world.write(world.scope.home / ".gemini/projects.json", json.dumps(register))
    assert set(world.memories()) == {"gemini/1", "gemini/2"}
    world.change(all_projects=True)
    assert set(world.memories()) == {"gemini/1", "gemini/2", "gemini/3"}


@pytest.mark.parametrize("register", ["", "[1]", "{", '{"projects": [1]}', '{"projects": {"/a": {"b": 1}}}'])
def test_a_damaged_gemini_register_is_no_obstacle(world: World, register: str) -> None:
    world.gemini(GEMINI_HEAD, says("user", "질문", "1"))
    world.write(world.scope.home / ".gemini/projects.json", register)
    assert world.texts() == ["Q: 질문"]


def test_gemini_sub_agents_are_read_only_when_asked_for(world: World) -> None:
    world.gemini({**GEMINI_HEAD, "kind": "subagent"}, says("user", "하위", "1"))
    assert world.memories() == {}
    world.choose(subagents=True)
    assert world.texts() == ["Q: 하위"]
