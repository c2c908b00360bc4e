"""Which folders the markdown provider reads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recall.api import Authority, Problem, State
from recall.errors import StoreAbsent
from recall_markdown.stores import Folder

if TYPE_CHECKING:
    from conftest import World


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_sub_agents_memories_come_from_all_three_places(world: World) -> None:
    put(world.home / ".claude/agent-memory/reviewer/MEMORY.md", "# 리뷰어\n\n- 작은 변경을 좋아한다.\n")
    put(world.root / ".claude/agent-memory/reviewer/MEMORY.md", "- pytest 픽스처를 쓴다.\n")
    put(world.root / ".claude/agent-memory-local/reviewer/style.md", "# 문체\n\n짧게 쓴다.\n")
    memories = world.memories()
    assert {key: memory.project for key, memory in memories.items()} == {
        "agents/reviewer/MEMORY": "",
        "project-agents/reviewer/MEMORY": "shop-api",
        "local-agents/reviewer/style": "shop-api",
    }
    assert memories["agents/reviewer/MEMORY"].title == "리뷰어"
    assert memories["project-agents/reviewer/MEMORY"].title == "reviewer/MEMORY.md"


def test_sub_agents_memories_can_be_switched_off(world: World) -> None:
    put(world.home / ".claude/agent-memory/reviewer/MEMORY.md", "- 작은 변경.\n")
    put(world.root / ".claude/agent-memory/reviewer/MEMORY.md", "- 픽스처.\n")
    world.choose(global_memory=False)
    assert set(world.memories()) == {"project-agents/reviewer/MEMORY"}
    world.choose(agent_memory=False)
    with pytest.raises(StoreAbsent):
        world.listed()


def test_instructions_are_not_memories(world: World) -> None:
    put(world.root / "CLAUDE.md", "# 지침\n\n계획부터 세운다.\n")
    put(world.root / "AGENTS.md", "# 에이전트\n\n테스트를 돌린다.\n")
    put(world.root / ".claude/rules/api.md", "# 규칙\n\n입력을 검사한다.\n")
    put(world.home / ".claude/CLAUDE.md", "# 개인 지침\n\n한국어로 답한다.\n")
    with pytest.raises(StoreAbsent):
        world.listed()


def test_memory_committed_to_the_repository_is_read(world: World) -> None:
    put(world.root / ".claude/memory/deploy.md", "# 배포\n\n금요일에는 하지 않는다.\n")
    assert world.memories()["repo-memory/deploy"].project == "shop-api"


def test_a_memory_bank_is_read(world: World) -> None:
    put(world.root / "memory-bank/activeContext.md", "# 현재 작업\n\n환불 API를 나누는 중이다.\n")
    put(world.root / "memory-bank/features/refund.md", "# 환불\n\n부분 환불은 세 번까지.\n")
    assert set(world.memories()) == {"memory-bank/activeContext", "memory-bank/features/refund"}


def test_a_memory_bank_of_templates_is_empty(world: World) -> None:
    put(world.root / "memory-bank/activeContext.md", "# 현재 작업\n\n## 다음 단계\n- (다음 작업 1)\n")
    put(world.root / "memory-bank/progress.md", "# Progress\n\n[Describe what works]\n\nTODO\n")
    health = world.health()
    assert (health.state, health.items) == (State.EMPTY, 0)
    assert "template" in health.reason
    assert "empty files or unfilled templates: 2, as memory-bank/activeContext.md" in health.facts


def test_a_worktree_shows_its_own_banks_and_those_of_the_main_checkout(world: World, tmp_path: Path) -> None:
    main = tmp_path / "code" / "main"
    put(main / "memory-bank/progress.md", "# 진행\n\n결제는 끝났다.\n")
    put(world.root / "memory-bank/progress.md", "# 진행\n\n환불을 하는 중이다.\n")
    world.change(main_root=main)
    memories = world.memories()
    assert memories["memory-bank/progress"].text.endswith("환불을 하는 중이다.")
    assert memories["main-memory-bank/progress"].text.endswith("결제는 끝났다.")


def test_a_listed_folder_brings_its_name_authority_and_pattern(world: World) -> None:
    put(world.root / "docs/choices/0001-db.md", "# 데이터베이스\n\nPostgres를 쓴다.\n")
    put(world.root / "docs/choices/notes.txt", "읽지 않는다.\n")
    put(world.root / "docs/choices/old/0000.md", "# 옛것\n\n아래 폴더.\n")
    world.choose(folders=(Folder("docs/choices", name="결정", pattern="*.md", authority=Authority.DECISION),))
    memories = world.memories()
    assert set(memories) == {"결정/0001-db"}
    assert memories["결정/0001-db"].authority is Authority.DECISION
    assert memories["결정/0001-db"].project == "shop-api"


def test_what_other_sources_read_by_themselves_is_left_to_them_and_said(world: World) -> None:
    for name in ("adr/0001-db.md", "handoffs/2026-05-20-a.md", "DECISIONS.md", "HANDOFF.md", "guide.md"):
        put(world.root / "docs" / name, f"# {name}\n\nPostgres를 쓴다.\n")
    world.choose(folders=(Folder("docs"),))
    assert set(world.memories()) == {"docs/guide"}
    notes = [item for item in world.listed() if isinstance(item, Problem)]
    assert {item.reason for item in notes} == {
        "2 of its files are decision records or state documents, which `decisions` reads",
        "2 of its files are decision records or state documents, which `state` reads",
    }
    assert all(item.harmless for item in notes)
    assert world.health().state is State.READY


def test_what_lies_outside_the_project_is_left_to_nobody(world: World, tmp_path: Path) -> None:
    put(tmp_path / "vault/docs/adr/0001-db.md", "Postgres를 쓴다.\n")
    put(tmp_path / "vault/HANDOFF.md", "환불을 하는 중이다.\n")
    world.choose(folders=(Folder(str(tmp_path / "vault")),))
    assert set(world.memories()) == {"vault/docs/adr/0001-db", "vault/HANDOFF"}


@pytest.mark.parametrize("folder", [".", ".context", "services/pay", "notes"])
def test_state_documents_are_left_to_state_wherever_a_listed_folder_begins(world: World, folder: str) -> None:
    put(world.root / folder / "HANDOFF.md", "환불을 하는 중이다.\n")
    put(world.root / folder / "guide.md", "안내.\n")
    world.change(cwd=world.root / "services/pay")
    world.choose(folders=(Folder(folder, name="x"),))
    expected = set() if folder == ".context" else {"x/guide"}
    assert set(world.memories()) == expected


def test_a_listed_folder_outside_belongs_to_no_project_unless_it_says_so(
    world: World, tmp_path: Path
) -> None:
    put(tmp_path / "vault/note.md", "볼트의 메모.")
    put(world.home / "notes/note.md", "홈의 메모.")
    world.choose(folders=(Folder(str(tmp_path / "vault"), project="lighthouse"), Folder("~/notes")))
    assert {key: memory.project for key, memory in world.memories().items()} == {
        "vault/note": "lighthouse",
        "notes/note": "",
    }


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("**/*.md", {"a.md", "b/c.md", "b/d/e.md"}),
        ("*.md", {"a.md"}),
        ("b/*.md", {"b/c.md"}),
        ("b/**/*.md", {"b/c.md", "b/d/e.md"}),
        ("?/c.md", {"b/c.md"}),
        ("*", {"a.md", "f.txt"}),
        ("*.txt", {"f.txt"}),
        ("a.md", {"a.md"}),
    ],
)
def test_a_pattern_chooses_files_by_their_path(world: World, pattern: str, expected: set[str]) -> None:
    for name in ("a.md", "b/c.md", "b/d/e.md", "f.txt"):
        put(world.root / "notes" / name, f"{name}의 내용")
    world.choose(folders=(Folder("notes", pattern=pattern),))
    assert {memory.text.removesuffix("의 내용") for memory in world.memories().values()} == expected


def test_a_name_the_provider_uses_itself_cannot_be_taken(world: World) -> None:
    world.note("a.md", "자동 메모.")
    put(world.root / "one/a.md", "첫째.")
    put(world.root / "two/a.md", "둘째.")
    put(world.root / "three/a.md", "셋째.")
    world.choose(folders=(Folder("one", name="claude"), Folder("two", name="x"), Folder("three", name="x")))
    assert set(world.memories()) == {"my-claude/a", "x/a", "x-2/a", "claude/a"}


def test_a_file_reached_twice_comes_once_under_the_users_own_name(world: World) -> None:
    put(world.root / "memory-bank/progress.md", "# 진행\n\n결제는 끝났다.\n")
    world.choose(folders=(Folder("memory-bank", name="state", authority=Authority.STATE),))
    assert [(memory.id, memory.authority) for memory in world.memories().values()] == [
        ("state/progress", Authority.STATE)
    ]


def test_links_in_a_repository_stay_inside_it(world: World, tmp_path: Path) -> None:
    secret = put(tmp_path / "secret.md", "남의 비밀.")
    put(world.root / "docs/plan.md", "# 계획\n\n저장소 안의 문서.\n")
    put(world.root / "memory-bank/progress.md", "# 진행\n\n결제는 끝났다.\n")
    (world.root / "memory-bank/leak.md").symlink_to(secret)
    (world.root / "memory-bank/plan.md").symlink_to(world.root / "docs/plan.md")
    assert set(world.memories()) == {"memory-bank/plan", "memory-bank/progress"}
    assert "leaves the store" in world.problems()["memory-bank/leak.md"].reason


def test_a_folder_in_a_repository_that_is_a_link_out_of_it_is_reported(world: World, tmp_path: Path) -> None:
    put(tmp_path / "elsewhere/note.md", "밖의 메모.")
    (world.root / "memory-bank").symlink_to(tmp_path / "elsewhere")
    problem = world.problems()[str(world.root / "memory-bank")]
    assert "leaves the project" in problem.reason
    assert not world.memories()
    world.choose(folders=(Folder(str(tmp_path / "elsewhere")),))
    assert set(world.memories()) == {"elsewhere/note"}


def test_another_home_for_claude_can_be_named(world: World) -> None:
    put(world.home / "other/agent-memory/reviewer/MEMORY.md", "- 작은 변경.\n")
    world.choose(claude_home="~/other")
    assert set(world.memories()) == {"agents/reviewer/MEMORY"}
    assert not any(place.startswith(os.fspath(world.home / ".claude")) for place in world.health().places)
