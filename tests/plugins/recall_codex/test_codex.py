"""Codex's memories: groups of tasks by project, session summaries, what is no memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope, State
from recall.errors import StoreAbsent, StoreBroken
from recall_codex.provider import CodexOptions, CodexProvider
from support.worlds import make_scope

GROUP = """# Task Group: 결제 재시도 작업
scope: 결제 서비스의 재시도를 고칠 때
applies_to: cwd={cwd}; reuse_rule=이 저장소에서만

## Task 1: 재시도 간격을 고친다, 성공

### rollout_summary_files

- rollout_summaries/a.md (cwd={cwd}, rollout_path=/x/a.jsonl, updated_at={day}T10:00:00+00:00, thread_id=t1)

### keywords

- backoff, idempotency

## User preferences

- 사용자는 작은 커밋을 원한다 [Task 1]

## Failures and how to do differently

- 첫 시도는 시계가 어긋나 실패했다 [Task 1]
"""


class World:
    """A home with Codex's folder, and what the provider makes of it."""

    def __init__(self, folder: Path) -> None:
        self.scope = make_scope(folder)
        self.top = self.scope.home / ".codex/memories"
        self.provider = CodexProvider(CodexOptions())

    def put(self, name: str, text: str | bytes) -> None:
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def group(self, cwd: object = "", day: str = "2026-05-20") -> str:
        return GROUP.format(cwd=cwd or self.scope.root, day=day)

    def items(self, scope: Scope | None = None) -> Iterable[Memory | Problem]:
        scope = scope or self.scope
        for item in self.provider.entries(scope, Deadline.after(60)):
            try:
                yield from self.provider.load(item, scope) if isinstance(item, Entry) else [item]
            except StoreBroken as error:
                yield Problem(item.where if isinstance(item, Problem) else item.key, str(error))

    def memories(self, scope: Scope | None = None) -> dict[str, Memory]:
        found = [item for item in self.items(scope) if isinstance(item, Memory)]
        assert len({memory.id for memory in found}) == len(found)
        return {memory.id: memory for memory in found}

    def health(self) -> Health:
        return self.provider.health(self.scope, Deadline.after(60))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_each_part_of_a_group_is_a_memory_with_its_kind_and_the_group_s_name(world: World) -> None:
    world.put("MEMORY.md", world.group())
    found = world.memories()
    base = "MEMORY/결제-재시도-작업"
    assert {memory_id.removeprefix(f"{base}/"): memory.kind for memory_id, memory in found.items()} == {
        "task-1-재시도-간격을-고친다-성공": "task",
        "user-preferences": "preferences",
        "failures-and-how-to-do-differently": "failures",
    }
    preferences = found[f"{base}/user-preferences"]
    assert preferences.title == "결제 재시도 작업: User preferences"
    assert preferences.project == "shop-api"
    assert "재시도를 고칠 때" in preferences.context


def test_a_task_keeps_its_keywords_and_leaves_out_the_list_of_files(world: World) -> None:
    world.put("MEMORY.md", world.group())
    task = next(memory for memory in world.memories().values() if memory.kind == "task")
    assert "idempotency" in task.text
    assert "rollout_path" not in task.text


def test_a_part_is_as_old_as_the_session_it_names_else_as_its_group(world: World) -> None:
    world.put("MEMORY.md", world.group())
    assert {(memory.updated, memory.date_origin) for memory in world.memories().values()} == {
        (datetime(2026, 5, 20, 10, tzinfo=UTC), "text")
    }


def test_a_memory_s_line_is_where_its_part_begins(world: World) -> None:
    world.put("MEMORY.md", "v1\n\n" + world.group())
    text = ("v1\n\n" + world.group()).split("\n")
    for memory in world.memories().values():
        assert memory.line is not None
        assert text[memory.line - 1] == memory.text.split("\n")[0]


def test_groups_of_other_projects_are_only_there_when_all_are_asked_for(world: World) -> None:
    world.put("MEMORY.md", world.group() + world.group("/home/u/billing", "2026-05-21"))
    assert {memory.project for memory in world.memories().values()} == {"shop-api"}
    every = world.memories(replace(world.scope, all_projects=True))
    assert {memory.project for memory in every.values()} == {"shop-api", "billing"}
    health = world.health()
    assert (health.state, health.items, health.in_scope) == (State.READY, 6, 3)
    assert "memories of other projects: 3" in health.facts


def test_a_folder_below_the_project_is_the_project_and_one_that_only_begins_like_it_is_not(
    world: World,
) -> None:
    world.put("MEMORY.md", world.group(world.scope.root / "app/payments"))
    assert len(world.memories()) == 3
    world.put("MEMORY.md", world.group(f"{world.scope.root}-old"))
    assert not world.memories()


def test_a_windows_path_with_its_long_form_is_understood(world: World) -> None:
    world.put("MEMORY.md", world.group("\\\\?\\C:\\dev\\billing"))
    every = world.memories(replace(world.scope, all_projects=True))
    assert {memory.project for memory in every.values()} == {"billing"}


def test_a_group_that_names_no_folder_belongs_to_every_project(world: World) -> None:
    world.put("MEMORY.md", "# Task Group: 습관\n\n## User preferences\n\n- 한국어로 답한다\n")
    assert [memory.project for memory in world.memories().values()] == [""]


def test_only_memories_of_other_projects_is_empty_with_the_count(world: World) -> None:
    world.put("MEMORY.md", world.group("/home/u/billing"))
    health = world.health()
    assert (health.state, health.in_scope) == (State.EMPTY, 0)
    assert "none of its 3 memories" in health.reason
    assert "--all-projects" in health.next_step


def test_a_session_s_summary_is_captured_history_of_its_project(world: World) -> None:
    head = f"thread_id: t9\nupdated_at: 2026-05-22T08:00:00Z\ncwd: {world.scope.root}\ngit_branch: main\n\n"
    world.put(
        "rollout_summaries/2026-05-22-ab-refund.md", f"{head}# 환불 흐름을 고쳤다\n\n부분 환불을 지원한다.\n"
    )
    world.put("rollout_summaries/other.md", "thread_id: t8\ncwd: /home/u/billing\n\n# 다른 일\n\n내용\n")
    (memory,) = world.memories().values()
    assert memory.id == "rollout_summaries/2026-05-22-ab-refund"
    assert (memory.authority, memory.kind) == (Authority.CAPTURED, "session")
    assert memory.updated == datetime(2026, 5, 22, 8, tzinfo=UTC)
    assert memory.text.startswith("# 환불 흐름")
    assert memory.line == 6


def test_summaries_can_be_left_out(world: World) -> None:
    world.put("rollout_summaries/a.md", "# 요약\n\n내용이 있다.\n")
    world.put("memory_summary.md", "v1\n\n## User Profile\n\n백엔드 개발자이다.\n")
    world.provider = CodexProvider(CodexOptions(summaries=False))
    assert set(world.memories()) == {"memory_summary"}


def test_the_summary_of_all_is_read_without_its_version(world: World) -> None:
    world.put("memory_summary.md", "v1\n## User Profile\n\n백엔드 개발자이다.\n")
    memory = world.memories()["memory_summary"]
    assert memory.text.startswith("## User Profile")
    assert (memory.kind, memory.project, memory.line) == ("summary", "", 2)


@pytest.mark.parametrize(
    "name",
    [
        "raw_memories.md",
        "phase2_workspace_diff.md",
        "skills/deploy/SKILL.md",
        ".git/HEAD.md",
        "extensions/x/instructions.md",
    ],
)
def test_what_codex_works_with_is_no_memory(world: World, name: str) -> None:
    world.put(name, "# 작업용\n\n아직 정리되지 않은 글이다.\n")
    assert not world.memories()
    assert world.health().state is State.EMPTY


def test_raw_notes_that_wait_are_told(world: World) -> None:
    world.put("raw_memories.md", "# raw\n\n한 줄\n")
    assert "waits to be distilled" in world.health().reason


def test_no_folder_is_absent_and_the_environment_moves_it(world: World) -> None:
    with pytest.raises(StoreAbsent, match="no memories folder of Codex"):
        world.memories()
    assert world.health().state is State.ABSENT
    moved = replace(world.scope, env={"CODEX_HOME": str(world.scope.home / "elsewhere")})
    path = world.scope.home / "elsewhere/memories/MEMORY.md"
    path.parent.mkdir(parents=True)
    path.write_text(world.group(), encoding="utf-8")
    assert len(world.memories(moved)) == 3


def test_an_unchanged_folder_gives_the_very_same_listing(world: World) -> None:
    world.put("MEMORY.md", world.group())
    first = world.provider.entries(world.scope, Deadline.after(60))
    assert world.provider.entries(world.scope, Deadline.after(60)) is first


def test_groups_of_one_name_have_ids_of_their_own(world: World) -> None:
    world.put("MEMORY.md", world.group() + "\n" + world.group(day="2026-05-25"))
    assert len(world.memories()) == 6
