"""What is read of Claude Code's sessions, and what is not."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recall_transcripts.provider import TranscriptsOptions

if TYPE_CHECKING:
    from conftest import World


def test_a_request_and_its_answers_are_one_memory(world: World) -> None:
    path = world.claude(
        {"type": "mode", "mode": "default", "sessionId": "s1"},
        world.asks("휴일 정산은?\n다음 영업일로 하고 싶다", "u1"),
        world.answers(
            [{"type": "thinking", "thinking": "SECRET"}, {"type": "text", "text": "코드를 본다."}], "a1"
        ),
        world.answers([{"type": "tool_use", "id": "t", "name": "Read", "input": {"x": "SECRET"}}], "a2"),
        world.asks([{"type": "tool_result", "tool_use_id": "t", "content": "SECRET"}], "r1"),
        world.answers("다음 영업일로 넘긴다.", "a3"),
    )
    (memory,) = world.memories().values()
    assert (
        memory.text == "Q: 휴일 정산은?\n다음 영업일로 하고 싶다\n\nA: 코드를 본다.\n\n다음 영업일로 넘긴다."
    )
    assert (memory.id, memory.title, memory.kind) == ("claude/u1", "휴일 정산은?", "exchange")
    assert memory.created == datetime(2026, 5, 18, 7, 5, tzinfo=UTC)
    assert (memory.project, memory.path, memory.date_origin) == ("shop-api", str(path), "transcript")
    assert memory.extra == {"session": "s1", "branch": "main"}
    assert memory.authority is None


@pytest.mark.parametrize(
    "changes",
    [
        {"isMeta": True},
        {"isSidechain": True},
        {"type": "system"},
        {"type": "attachment"},
        {"message": {"role": "user", "content": "<command-name>/clear</command-name>"}},
        {"message": {"role": "user", "content": "<local-command-stdout>x</local-command-stdout>"}},
        {"message": {"role": "user", "content": "<system-reminder>x</system-reminder>"}},
        {"message": {"role": "user", "content": "[Request interrupted by user]"}},
        {"message": {"role": "user", "content": "  "}},
        {"message": {"role": "user", "content": [{"type": "image", "source": {"data": "iVBOR"}}]}},
        {"message": {"content": [{"type": "text", "text": "x"}, {"type": "tool_result", "content": "x"}]}},
        {"type": "assistant", "isApiErrorMessage": True},
        {"type": "assistant", "message": {"model": "<synthetic>", "content": "No response requested."}},
        {"message": None},
        {"message": {"content": 7}},
    ],
)
def test_what_nobody_said_is_no_memory(world: World, changes: dict[str, object]) -> None:
    world.claude(world.asks("어떤 말", "u1", **changes))
    assert world.memories() == {}


def test_a_persons_own_text_may_begin_with_a_tag(world: World) -> None:
    world.claude(world.asks("<div> 안의 글이 안 보인다", "u1"))
    assert world.texts() == ["Q: <div> 안의 글이 안 보인다"]


def test_what_a_client_adds_to_a_request_is_left_out_of_it(world: World) -> None:
    reminder = {"type": "text", "text": "<system-reminder>be careful</system-reminder>"}
    world.claude(world.asks([reminder, {"type": "text", "text": "정산을 고쳐줘"}], "u1"))
    assert world.texts() == ["Q: 정산을 고쳐줘"]


def test_a_summary_of_what_was_compacted_is_kept_and_says_so(world: World) -> None:
    world.claude(
        world.asks("첫 질문", "u1"),
        {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "uuid": "s"},
        world.asks("지금까지: 재시도를 세 번으로 정했다.", "u2", isCompactSummary=True),
        world.answers("이어서 한다.", "a2"),
    )
    kinds = {memory.id: memory.kind for memory in world.memories().values()}
    assert kinds == {"claude/u1": "exchange", "claude/u2": "summary", "claude/a2": "reply"}


def test_records_copied_by_a_resumed_session_come_once_from_the_newest_file(world: World) -> None:
    first = world.claude(world.asks("첫 질문", "u1"), world.answers("첫 답", "a1"), session="old")
    again = world.claude(
        world.asks("첫 질문", "u1"),
        world.answers("첫 답", "a1"),
        world.asks("둘째 질문", "u2"),
        session="new",
    )
    import os

    os.utime(first, (1_779_990_000, 1_779_990_000))
    memories = world.memories()
    assert set(memories) == {"claude/u1", "claude/u2"}
    assert memories["claude/u1"].path == str(again)
    assert world.health().items == 2


def test_a_request_that_has_no_answer_yet_is_no_memory_until_it_has_one(world: World) -> None:
    path = world.write(world.claude(), [world.asks("앞의 질문", "u1"), world.asks("지금 묻는 것", "u2")])
    assert set(world.memories()) == {"claude/u1"}
    world.write(
        path, [world.asks("앞의 질문", "u1"), world.asks("지금 묻는 것", "u2"), world.answers("답", "a2")]
    )
    assert set(world.memories()) == {"claude/u1", "claude/u2"}


def test_a_record_that_stands_twice_in_a_file_comes_once(world: World) -> None:
    asked, answered = world.asks("질문", "u1"), world.answers("답", "a1")
    world.claude(asked, answered, world.asks("다음", "u2"), asked, answered)
    assert world.texts() == ["Q: 질문\n\nA: 답", "Q: 다음"]


def test_sub_agents_are_read_only_when_asked_for(world: World) -> None:
    main = world.claude(world.asks("본래 질문", "u1"))
    side = world.asks("하위 작업", "u9", isSidechain=True)
    reply = world.answers("다 했다", "a9", isSidechain=True)
    world.write(main.with_suffix("") / "subagents/agent-1.jsonl", [side, reply])
    world.write(main.with_suffix("") / "tool-results/big.jsonl", [world.asks("도구의 출력", "u8")])
    assert set(world.memories()) == {"claude/u1"}
    world.choose(subagents=True)
    assert set(world.memories()) == {"claude/u1", "claude/u9"}


def test_a_folder_shared_by_two_projects_is_told_apart_by_what_its_records_say(world: World) -> None:
    other = str(world.scope.root.parent / "shop.api")  # the same folder name
    world.claude(world.asks("우리 것", "u1"), world.asks("남의 것", "u2", cwd=other))
    assert world.texts() == ["Q: 우리 것"]
    world.change(all_projects=True)
    assert {memory.project for memory in world.memories().values()} == {"shop-api", "shop.api"}


def test_sessions_of_folders_below_and_of_worktrees_belong_to_the_project(world: World) -> None:
    main = world.scope.root
    tree = main.parent / "trees" / "fix"
    world.claude(world.asks("아래에서", "u1", cwd=f"{main}/batch"), cwd=f"{main}/batch")
    world.claude(world.asks("갈래에서", "u2", cwd=str(tree)), cwd=str(tree))
    world.claude(world.asks("이웃에서", "u3", cwd=f"{main}-two"), cwd=f"{main}-two")
    assert set(world.memories()) == {"claude/u1"}
    world.change(root=tree)
    assert set(world.memories()) == {"claude/u1", "claude/u2"}


def test_korean_folders_are_known_in_either_unicode_form(world: World) -> None:
    root = world.scope.root.parent / "정산"
    world.change(root=root, main_root=root, names=("정산",))
    decomposed = unicodedata.normalize("NFD", str(root))
    world.claude(world.asks("한글 폴더", "u1", cwd=decomposed), cwd=decomposed)
    assert world.texts() == ["Q: 한글 폴더"]


def test_the_home_of_claude_code_can_be_moved(world: World, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    world.write(
        moved / "projects/my-name/s.jsonl", [world.asks("옮긴 집", "u1"), world.answers("그렇다", "a1")]
    )
    world.change(env={"CLAUDE_CONFIG_DIR": str(moved), "CLAUDE_CODE_PROJECT_DIR_NAME": "my-name"})
    assert world.texts() == ["Q: 옮긴 집\n\nA: 그렇다"]


def test_a_memory_is_also_found_by_the_exchange_before_it_and_by_the_day_in_words(world: World) -> None:
    world.claude(
        world.asks("몇 번 재시도할까?", "u1"), world.answers("세 번.", "a1"), world.asks("좋다", "u2")
    )
    first, second = world.memories().values()
    assert first.context == "18 May 2026 Monday 2026년 5월 18일 월요일"
    assert second.context == f"Q: 몇 번 재시도할까?\n\nA: 세 번.\n{first.context}"
    assert second.text == "Q: 좋다"


def test_a_long_exchange_keeps_its_beginning_and_its_end_and_counts_the_rest(world: World) -> None:
    world.choose(max_chars=200)
    answers = [world.answers(f"{number} " + "x" * 58, f"a{number}") for number in range(9)]
    world.claude(world.asks("질문 " + "q" * 200, "u1"), *answers)
    (text,) = world.texts()
    assert text.startswith("Q: 질문 qqq")
    assert "A: 8 xxx" in text
    kept = len(text.split("\n\n[")[0].replace("Q: ", "").replace("A: ", "").replace("\n\n", ""))
    assert kept <= 200
    assert text.endswith(f"[{203 + 9 * 60 - kept:,} more characters in the transcript]")


def test_the_defaults_read_no_more_than_they_say() -> None:
    options = TranscriptsOptions()
    assert (options.subagents, options.max_chars, options.max_line_bytes) == (False, 16_000, 4 << 20)


@pytest.mark.parametrize(
    ("name", "folder"), [("my name", "my name"), (".", ".old"), ("my-name", "my-name-2")]
)
def test_a_forced_folder_name_is_taken_only_as_claude_code_takes_it(
    world: World, name: str, folder: str
) -> None:
    moved = world.scope.home / "moved"
    world.change(env={"CLAUDE_CONFIG_DIR": str(moved), "CLAUDE_CODE_PROJECT_DIR_NAME": name})
    world.write(
        moved / "projects" / folder / "s.jsonl", [world.asks("질문", "u1"), world.answers("답", "a1")]
    )
    assert world.entries() == {}


def test_a_config_folder_in_decomposed_letters_is_the_composed_one_that_is_there(world: World) -> None:
    moved = world.scope.home / "설정"
    world.change(env={"CLAUDE_CONFIG_DIR": unicodedata.normalize("NFD", str(moved))})
    slug = re.sub(r"[^A-Za-z0-9]", "-", world.root)
    world.write(moved / "projects" / slug / "s.jsonl", [world.asks("질문", "u1"), world.answers("답", "a1")])
    assert set(world.memories()) == {"claude/u1"}
