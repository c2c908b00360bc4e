"""Where Claude Code keeps memory, and whose it is."""

from __future__ import annotations

import json
import os
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.api import Problem, State
from recall.claude_names import slug
from recall_markdown import claude_code

if TYPE_CHECKING:
    from conftest import World


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/Users/u/my_app", "-Users-u-my-app"),
        ("/Users/u/my.app", "-Users-u-my-app"),
        ("C:\\Users\\u\\dev\\shop_api", "C--Users-u-dev-shop-api"),
        ("/home/u/.claude", "-home-u--claude"),
        ("/home/u/projects/외주/app", "-home-u-projects----app"),
        ("/a/🦊", "-a---"),
        ("/a/é", "-a--"),
    ],
)
def test_a_path_becomes_a_folder_name_as_the_app_makes_it(path: str, expected: str) -> None:
    assert slug(path) == expected


@given(st.text())
def test_a_folder_name_has_one_plain_character_for_each_utf_16_unit(path: str) -> None:
    name = slug(path)
    assert len(name) == len(path.encode("utf-16-le", "surrogatepass")) // 2
    assert all(character.isascii() and (character.isalnum() or character == "-") for character in name)


def test_a_decomposed_path_finds_the_store_of_its_composed_name(world: World, tmp_path: Path) -> None:
    composed = tmp_path / "정산"
    decomposed = Path(unicodedata.normalize("NFD", str(composed)))
    world.note("a.md", "마감은 10일.", composed)
    world.change(root=decomposed, main_root=decomposed, cwd=decomposed)
    assert set(world.memories()) == {"claude/a"}


def test_a_worktree_reads_the_main_checkouts_store_and_what_an_older_release_left(
    world: World, tmp_path: Path
) -> None:
    main = tmp_path / "code" / "main"
    world.note("now.md", "본 저장소의 메모.", main)
    world.note("old.md", "작업 트리의 메모.")
    world.change(main_root=main)
    memories = world.memories()
    assert set(memories) == {"claude/now", f"claude@{slug(str(world.root))}/old"}
    assert {memory.project for memory in memories.values()} == {"shop-api"}
    assert world.health().state is State.READY


def test_the_working_folder_below_the_root_is_looked_at_too(world: World) -> None:
    below = world.root / "batch"
    world.note("a.md", "아래 폴더의 메모.", below)
    world.change(cwd=below)
    assert set(world.memories()) == {f"claude@{slug(str(below))}/a"}


def test_a_linked_project_path_finds_the_store_of_the_real_one(world: World, tmp_path: Path) -> None:
    world.note("a.md", "진짜 경로의 메모.")
    link = tmp_path / "shortcut"
    link.symlink_to(world.root)
    world.change(root=link, main_root=link, cwd=link)
    assert len(world.memories()) == 1


def test_a_long_path_is_found_by_the_start_of_its_name(world: World) -> None:
    long = Path("/srv/" + "very-deep/" * 30 + "app")
    folder = world.home / ".claude/projects" / f"{slug(str(long))[:200]}-1x2y3z"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory/a.md").write_text("긴 경로의 메모.")
    (world.home / ".claude/projects" / f"{slug(str(long))[:199]}-other/memory").mkdir(parents=True)
    world.change(root=long, main_root=long, cwd=long)
    assert set(world.memories()) == {f"claude@{folder.name}/a"}


def test_the_config_folder_is_taken_from_the_environment(world: World) -> None:
    world.note("a.md", "기본 자리의 메모.")
    moved = world.home / "설정" / "projects" / slug(str(world.root)) / "memory"
    moved.mkdir(parents=True)
    (moved / "b.md").write_text("옮긴 자리의 메모.")
    world.change(env={"CLAUDE_CONFIG_DIR": unicodedata.normalize("NFD", str(world.home / "설정"))})
    assert set(world.memories()) == {"claude/b"}


def test_a_forced_folder_name_counts_only_with_a_config_folder(world: World) -> None:
    forced = world.home / ".claude/projects/my-project/memory"
    forced.mkdir(parents=True)
    (forced / "a.md").write_text("정해진 이름의 메모.")
    world.note("b.md", "계산된 이름의 메모.")
    world.change(env={"CLAUDE_CODE_PROJECT_DIR_NAME": "my-project"})
    assert set(world.memories()) == {"claude/b"}
    world.change(env={**world.scope.env, "CLAUDE_CONFIG_DIR": str(world.home / ".claude")})
    assert set(world.memories()) == {"claude/a", f"claude@{slug(str(world.root))}/b"}
    world.change(env={**world.scope.env, "CLAUDE_CODE_PROJECT_DIR_NAME": "../../etc"})
    assert set(world.memories()) == {"claude/b"}


def test_a_moved_memory_base_is_read_beside_the_old_one(world: World) -> None:
    remote = world.home / "remote/projects" / slug(str(world.root)) / "memory"
    remote.mkdir(parents=True)
    (remote / "a.md").write_text("옮긴 뒤의 메모.")
    world.note("b.md", "옮기기 전의 메모.")
    world.change(env={"CLAUDE_CODE_REMOTE_MEMORY_DIR": str(world.home / "remote")})
    assert set(world.memories()) == {"claude/a", "claude-default/b"}


def test_a_redirected_memory_folder_is_read_beside_the_projects_own(world: World) -> None:
    (world.home / "custom").mkdir()
    (world.home / "custom/a.md").write_text("돌린 자리의 메모.")
    (world.home / "cowork").mkdir()
    (world.home / "cowork/c.md").write_text("덮어쓴 자리의 메모.")
    world.note("b.md", "예전 자리의 메모.")
    (world.home / ".claude/settings.json").write_text('\ufeff{"autoMemoryDirectory": "~/custom"}')
    world.change(env={"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE": str(world.home / "cowork")})
    assert {key: memory.project for key, memory in world.memories().items()} == {
        "claude-override/c": "",
        "claude-custom/a": "",
        "claude/b": "shop-api",
    }


@pytest.mark.parametrize(
    "settings",
    [
        "{not json",
        "[]",
        '{"autoMemoryDirectory": 3}',
        '{"autoMemoryDirectory": "custom"}',
        '{"autoMemoryDirectory": "/a\\u0000b"}',
    ],
)
def test_settings_that_name_no_usable_folder_are_passed_over(world: World, settings: str) -> None:
    world.note("b.md", "예전 자리의 메모.")
    (world.root / "custom").mkdir()
    (world.root / "custom/a.md").write_text("상대 경로의 메모.")
    (world.home / ".claude/settings.json").write_text(settings)
    assert set(world.memories()) == {"claude/b"}


def test_settings_that_cannot_be_read_are_told(world: World) -> None:
    world.note("b.md", "프로젝트의 메모.")
    path = world.home / ".claude/settings.json"
    os.mkfifo(path)
    health = world.health()
    assert health.state is State.READY
    assert any(str(path) in fact and "named pipe" in fact for fact in health.facts)


def test_a_projects_own_settings_cannot_redirect_memory(world: World, tmp_path: Path) -> None:
    world.note("b.md", "프로젝트의 메모.")
    (tmp_path / "private").mkdir()
    (tmp_path / "private/a.md").write_text("남이 가리킨 자리의 메모.")
    (world.root / ".claude").mkdir()
    for name in ("settings.json", "settings.local.json"):
        settings = json.dumps({"autoMemoryDirectory": str(tmp_path / "private")})
        (world.root / ".claude" / name).write_text(settings)
    assert set(world.memories()) == {"claude/b"}


def test_a_redirect_to_the_projects_own_folder_brings_each_note_once(world: World) -> None:
    world.note("b.md", "한 번만.")
    (world.home / ".claude/settings.json").write_text(json.dumps({"autoMemoryDirectory": str(world.store())}))
    assert len(world.memories()) == 1


def test_other_projects_are_left_out_and_counted(world: World) -> None:
    world.note("a.md", "이 프로젝트의 메모.")
    world.note("b.md", "다른 프로젝트의 메모.", "/srv/lighthouse")
    assert set(world.memories()) == {"claude/a"}
    assert "other projects with memory of their own, outside this scope: 1" in world.health().facts


def test_all_projects_come_labelled_when_asked_for(world: World) -> None:
    world.note("a.md", "이 프로젝트의 메모.")
    world.note("a.md", "기록이 있는 다른 프로젝트.", "/srv/light_house")
    world.transcript("/srv/light_house/docs", "11111111-0000-4000-8000-000000000001", "/srv/light_house")
    world.note("a.md", "기록이 없는 다른 프로젝트.", "/srv/ferry")
    world.change(all_projects=True)
    assert {key: memory.project for key, memory in world.memories().items()} == {
        f"claude/{slug(str(world.root))}/a": "shop-api",
        "claude/-srv-light-house/a": "light_house",
        "claude/-srv-ferry/a": "-srv-ferry",
    }


def test_a_store_written_from_this_project_under_another_name_is_offered(world: World) -> None:
    world.note("a.md", "이 프로젝트의 메모.")
    stray = world.home / ".claude/projects/-wrong-name"
    (stray / "memory").mkdir(parents=True)
    (stray / "memory/b.md").write_text("잘못된 이름 아래의 메모.")
    (stray / "s.jsonl").write_text(json.dumps({"cwd": str(world.root / "batch")}))
    facts = world.health().facts
    assert any(str(stray / "memory") in fact and "folders" in fact for fact in facts)


def korean(world: World, tmp_path: Path) -> tuple[Path, Path]:
    """Two project folders whose names are the same to the app, and the scope in the first."""
    own, other = tmp_path / "외주" / "app", tmp_path / "개인" / "app"
    own.mkdir(parents=True)
    other.mkdir(parents=True)
    world.change(root=own, main_root=own, cwd=own, names=("app",))
    return own, other


def collisions(world: World) -> list[Problem]:
    return [item for item in world.listed() if isinstance(item, Problem)]


def test_a_store_shared_with_another_project_is_served_and_said_to_be_shared(
    world: World, tmp_path: Path
) -> None:
    own, other = korean(world, tmp_path)
    world.note("tax.md", "세금계산서는 매달 10일에 마감한다.", own)
    world.transcript(own, "0001", own)
    world.transcript(other / "sub", "0002", own)
    (note,) = collisions(world)
    assert note.harmless
    assert note.reason == f"collision: this memory folder is shared by {own}, {other}"
    assert set(world.memories()) == {"claude/tax"}
    health = world.health()
    assert health.state is State.READY
    assert note in health.problems


def test_in_a_shared_store_the_session_tells_whose_a_note_is(world: World, tmp_path: Path) -> None:
    own, other = korean(world, tmp_path)
    world.transcript(own, "aaaa-1", own)
    world.transcript(other, "bbbb-2", own)
    world.note("mine.md", "---\nmetadata:\n  originSessionId: aaaa-1\n---\n외주 규칙.", own)
    world.note("theirs.md", "---\noriginSessionId: bbbb-2\n---\n개인 규칙.", own)
    world.note("lost.md", "---\noriginSessionId: cccc-3\n---\n기록이 사라진 규칙.", own)
    world.note("odd.md", "---\noriginSessionId: ../../../etc/passwd\n---\n이상한 규칙.", own)
    world.change(names=("외주",))
    assert {key: memory.project for key, memory in world.memories().items()} == {
        "claude/mine": "외주",
        "claude/theirs": "app",
        "claude/lost": "외주",
        "claude/odd": "외주",
    }


def test_a_korean_path_without_any_transcript_is_said_to_be_ambiguous(world: World, tmp_path: Path) -> None:
    own, _ = korean(world, tmp_path)
    world.note("tax.md", "마감은 10일.", own)
    (note,) = collisions(world)
    assert note.harmless
    assert "ambiguous" in note.reason


def test_a_store_of_this_project_alone_brings_no_note(world: World, tmp_path: Path) -> None:
    own, _ = korean(world, tmp_path)
    world.note("tax.md", "마감은 10일.", own)
    world.transcript(own, "0001", own)
    world.transcript(own / "src", "0002", own)
    assert not collisions(world)


def test_a_session_that_came_through_a_link_is_no_other_project(world: World, tmp_path: Path) -> None:
    world.note("a.md", "하나.")
    link = tmp_path / "shortcut"
    link.symlink_to(world.root)
    world.transcript(link, "0001")
    assert not collisions(world)


def test_transcripts_that_cannot_be_read_tell_nothing(world: World) -> None:
    world.note("a.md", "하나.")
    beside = world.store().parent
    os.mkfifo(beside / "pipe.jsonl")
    (beside / "folder.jsonl").mkdir()
    (beside / "torn.jsonl").write_text('{"cwd": "/srv/oth')
    (beside / "control.jsonl").write_text('{"cwd": "/srv/a\\u0000b\\ud800"}')
    assert not collisions(world)


def test_the_working_folder_is_read_past_escapes_and_not_from_quoted_text(world: World) -> None:
    world.note("a.md", "하나.")
    line = json.dumps({"message": 'he wrote {"cwd": "/quoted"}', "cwd": "C:\\Users\\u\\앱"})
    (world.store().parent / "s.jsonl").write_text(line)
    assert claude_code.recorded_folders(str(world.store().parent)) == ["C:\\Users\\u\\앱"]


@pytest.mark.parametrize(
    ("cwd", "name", "expected"),
    [
        ("/srv/shop/batch/x", "-srv-shop", "/srv/shop"),
        ("C:\\dev\\shop\\batch", "C--dev-shop", "C:\\dev\\shop"),
        ("/srv/other", "-srv-shop", "/srv/other"),
        ("/", "-srv", "/"),
        ("", "-srv", ""),
    ],
)
def test_a_project_is_the_folder_above_the_working_folder_with_the_stores_name(
    cwd: str, name: str, expected: str
) -> None:
    assert claude_code.owner(cwd, name) == expected


def test_the_user_may_have_no_name_for_the_project(world: World) -> None:
    world.note("a.md", "하나.")
    world.scope = replace(world.scope, names=())
    assert world.memories()["claude/a"].project == ""
