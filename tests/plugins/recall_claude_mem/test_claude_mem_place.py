"""Which data folder is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from recall.api import State
from recall.errors import NotConfigured, StoreAbsent

if TYPE_CHECKING:
    from conftest import World


def settings(folder: Path, document: Any, encoding: str = "utf-8") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "settings.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding)
    return path


def titles(world: World) -> list[str]:
    return [memory.title for memory in world.memories().values()]


def test_option_environment_settings_and_default_are_tried_in_that_order(
    world: World, tmp_path: Path
) -> None:
    for name in ("option", "environment", "settings"):
        world.store(data=tmp_path / name).observation(name)
    world.store().observation("default")
    assert titles(world) == ["default"]
    settings(world.data, {"CLAUDE_MEM_DATA_DIR": str(tmp_path / "settings")})
    assert titles(world) == ["settings"]
    world.change(env={"CLAUDE_MEM_DATA_DIR": str(tmp_path / "environment")})
    assert titles(world) == ["environment"]
    world.choose(data_dir=str(tmp_path / "option"))
    assert titles(world) == ["option"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("nested", [False, True])
def test_settings_may_be_nested_and_may_begin_with_a_byte_order_mark(
    world: World, tmp_path: Path, encoding: str, nested: bool
) -> None:
    world.store(data=tmp_path / "elsewhere").observation("저쪽")
    values = {"CLAUDE_MEM_DATA_DIR": str(tmp_path / "elsewhere")}
    settings(world.data, {"env": values} if nested else values, encoding)
    assert titles(world) == ["저쪽"]


def test_a_tilde_in_the_environment_is_the_scope_s_home(world: World) -> None:
    world.store(data=world.scope.home / "mem").observation("물결")
    world.change(env={"CLAUDE_MEM_DATA_DIR": "~/mem"})
    assert titles(world) == ["물결"]


def test_a_blank_setting_counts_as_none(world: World) -> None:
    world.store().observation("기본")
    settings(world.data, {"CLAUDE_MEM_DATA_DIR": " "})
    world.change(env={"CLAUDE_MEM_DATA_DIR": ""})
    assert titles(world) == ["기본"]


def test_a_folder_that_the_settings_name_and_that_is_gone_gives_way_to_the_default(
    world: World, tmp_path: Path
) -> None:
    world.store().observation("옮긴 집")
    settings(world.data, {"CLAUDE_MEM_DATA_DIR": str(tmp_path / "old-home")})
    assert titles(world) == ["옮긴 집"]
    health = world.health()
    assert health.state is State.READY
    assert any("old-home" in fact for fact in health.facts)


def test_a_folder_that_the_environment_names_and_that_is_gone_is_absent(world: World, tmp_path: Path) -> None:
    world.store().observation("다른 곳")
    world.change(env={"CLAUDE_MEM_DATA_DIR": str(tmp_path / "gone")})
    with pytest.raises(StoreAbsent):
        world.listed()
    health = world.health()
    assert (health.state, health.items) == (State.ABSENT, 0)
    assert str(tmp_path / "gone") in health.reason


def test_broken_settings_are_a_harmless_problem_that_tells_no_content(world: World) -> None:
    world.store().observation("읽힌다")
    settings(world.data, '{"CLAUDE_MEM_GEMINI_API_KEY": "hush-hush-0001",')
    health = world.health()
    assert health.state is State.READY
    assert [problem.harmless for problem in health.problems] == [True]
    assert "hush" not in repr(health)
    assert titles(world) == ["읽힌다"]


@pytest.mark.parametrize("runtime", ["server", "server-beta"])
def test_memories_kept_in_a_server_are_another_backend_and_not_an_empty_store(
    world: World, runtime: str
) -> None:
    settings(world.data, {"CLAUDE_MEM_RUNTIME": runtime})
    for fill in (lambda: None, lambda: world.store()):
        fill()
        health = world.health()
        assert health.state is State.OFF
        assert "other backend" in health.reason
        assert runtime in health.reason
    world.stores[0].observation("서버 이전의 기억")
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 1)
    assert "other backend" in health.reason
    assert titles(world) == ["서버 이전의 기억"]


def test_another_backend_without_a_database_cannot_be_listed(world: World) -> None:
    world.data.mkdir()
    world.change(env={"CLAUDE_MEM_RUNTIME": "server"})
    with pytest.raises(NotConfigured, match="other backend"):
        world.listed()


def test_the_usual_runtime_is_no_remark(world: World) -> None:
    settings(world.data, {"CLAUDE_MEM_RUNTIME": "worker"})
    world.store().observation()
    assert world.health().state is State.READY


def test_copies_of_the_database_are_never_read(world: World) -> None:
    world.store().observation("본디")
    for name in ("backups/claude-mem-pre-12.4.3-1.db", "claude-mem.db.bak-cwd-remap-1"):
        copy = world.data / name
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(world.database.read_bytes())
    assert titles(world) == ["본디"]
