"""What the Antigravity provider makes of brain documents."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recall.api import Authority, Scope, State
from recall_antigravity.links import Pointing, linked_files, pointing

if TYPE_CHECKING:
    from conftest import World

CHAT = "brain/a8e31b77-02d9-4f6a-8a10-91f2c0d7be34"
ID = f"antigravity/{CHAT}"


def test_a_document_comes_with_what_its_metadata_says(world: World) -> None:
    world.file(f"{CHAT}/implementation_plan.md", "# 휴일 규칙\n\n다음 영업일로 넘긴다.\n")
    metadata = {
        "artifactType": "ARTIFACT_TYPE_IMPLEMENTATION_PLAN",
        "summary": "휴일 규칙을 넣는 계획.",
        "updatedAt": "2026-05-18T07:13:54.908636200Z",
    }
    world.file(f"{CHAT}/implementation_plan.md.metadata.json", metadata)
    memory = world.memories()[f"{ID}/implementation_plan"]
    assert (memory.title, memory.kind, memory.authority) == ("휴일 규칙", "plan", Authority.CAPTURED)
    assert memory.text == "휴일 규칙을 넣는 계획.\n\n# 휴일 규칙\n\n다음 영업일로 넘긴다."
    assert memory.updated == datetime(2026, 5, 18, 7, 13, 54, 908636, UTC)


def test_a_heading_that_says_only_the_kind_gives_way_to_the_summary(world: World) -> None:
    world.file(f"{CHAT}/walkthrough.md", "# Walkthrough\n\n정산이 다음 영업일로 넘어간다.\n")
    world.file(
        f"{CHAT}/walkthrough.md.metadata.json", {"summary": "휴일 규칙을 둘러본다.", "userFacing": True}
    )
    world.file(f"{CHAT}/notes.md", "제목 없는 메모.\n")
    memories = world.memories()
    assert memories[f"{ID}/walkthrough"].title == "휴일 규칙을 둘러본다."
    assert (memories[f"{ID}/notes"].title, memories[f"{ID}/notes"].kind) == ("notes", "document")


def test_older_copies_left_metadata_and_recordings_are_no_memories(world: World) -> None:
    world.file(f"{CHAT}/task.md", "- [x] 정산 배치를 읽는다\n")
    for name in ("task.md.resolved", "task.md.resolved.0", "task.resolved.1.md", "shot.png"):
        world.file(f"{CHAT}/{name}", "- [ ] 예전 상태\n")
    world.file(f"{CHAT}/gone.md.metadata.json", {"summary": "본문이 사라졌다."})
    world.file(f"{CHAT}/.system_generated/logs/overview.md", "기록.\n")
    world.file(f"{CHAT}/browser/page.md", "기록.\n")
    assert set(world.memories()) == {f"{ID}/task"}


def test_a_conversation_about_this_project_carries_its_label(world: World) -> None:
    world.file(f"{CHAT}/plan.md", f"[정산](file://{world.scope.root}/batch/settlement.py)\n")
    world.file(f"{CHAT}/task.md", "- [x] 정산 배치를 읽는다\n")
    assert {memory.project for memory in world.memories().values()} == {"shop-api"}


def test_a_conversation_about_other_projects_only_is_left_out_and_counted(world: World) -> None:
    world.file(f"{CHAT}/plan.md", "[등대](file:///srv/lighthouse/lamp.py)\n")
    world.file(f"{CHAT}/task.md", "- [x] 등을 켠다\n")
    world.file("brain/other/task.md", "- [ ] 어디 일인지 알 수 없다\n")
    assert set(world.memories()) == {"antigravity/brain/other/task"}
    assert "brain documents of other projects, left out: 2" in world.health().facts
    world.change(all_projects=True)
    assert set(world.memories()) == {f"{ID}/plan", f"{ID}/task", "antigravity/brain/other/task"}
    assert not any("left out" in fact for fact in world.health().facts)


def test_only_other_projects_documents_is_an_empty_store(world: World) -> None:
    world.file(f"{CHAT}/plan.md", "[등대](file:///srv/lighthouse/lamp.py)\n")
    health = world.health()
    assert (health.state, health.items) == (State.EMPTY, 0)
    assert "of this project" in health.reason


def test_links_to_the_system_and_to_the_agents_own_files_tell_no_project(world: World) -> None:
    own = f"file://{world.folder()}/{CHAT}/shot.png"
    world.file(f"{CHAT}/walkthrough.md", f"![화면]({own})\n[hosts](file:///etc/hosts)\n")
    assert world.memories()[f"{ID}/walkthrough"].project == ""


def test_one_link_into_the_project_is_enough(world: World) -> None:
    here = f"file://{world.scope.root}/a.py"
    world.file(f"{CHAT}/plan.md", f"[남](file:///srv/lighthouse/lamp.py) [나]({here})\n")
    assert world.memories()[f"{ID}/plan"].project == "shop-api"


def test_the_stamp_follows_the_conversation(world: World) -> None:
    world.file(f"{CHAT}/task.md", "- [x] 하나\n")
    world.file("brain/other/task.md", "- [x] 다른 대화\n")
    before = world.entries()
    world.file(f"{CHAT}/plan.md", "[등대](file:///srv/lighthouse/lamp.py)\n")
    after = world.entries()
    assert before[f"{ID}/task"].stamp != after[f"{ID}/task"].stamp
    assert before["antigravity/brain/other/task"].stamp == after["antigravity/brain/other/task"].stamp
    world.file(f"{CHAT}/task.md.metadata.json", {"summary": "할 일."})
    assert world.entries()[f"{ID}/task"].stamp != after[f"{ID}/task"].stamp


def test_broken_metadata_and_unreadable_documents_are_named(world: World) -> None:
    world.file(f"{CHAT}/task.md", "- [x] 하나\n")
    world.file(f"{CHAT}/task.md.metadata.json", '{"summary": "쓰다가')
    world.file(f"{CHAT}/dump.md", b"\x00\x01")
    assert set(world.memories()) == {f"{ID}/task"}
    assert set(world.problems()) == {f"{ID}/task.md.metadata.json", f"{ID}/dump.md"}


def test_brain_documents_can_be_switched_off(world: World) -> None:
    world.file(f"{CHAT}/task.md", "- [x] 하나\n")
    world.choose(brain=False)
    assert not world.memories()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](file:///srv/app/a%20b.py#L3-L9)", ["/srv/app/a b.py"]),
        ("`file:///srv/앱/가.py`", ["/srv/앱/가.py"]),
        ("file:///c%3A/Users/u/app/a.py", ["c:/Users/u/app/a.py"]),
        ("file://server/share/a.py and /srv/app/a.py", []),
    ],
)
def test_links_are_found_as_paths(text: str, expected: list[str]) -> None:
    assert list(linked_files(text)) == expected


def test_a_windows_drive_is_the_same_in_either_case_and_a_like_name_is_another_folder() -> None:
    root = Path("C:\\Users\\u\\app")
    scope = Scope(root, root, root, root, ("app",))
    assert pointing(["c:/Users/u/app/a.py"], scope) is Pointing.HERE
    assert pointing(["c:/Users/u/app-two/a.py"], scope) is Pointing.ELSEWHERE
    assert pointing([], scope) is Pointing.NOWHERE
