"""Where Serena's memories are looked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recall.api import State
from recall.errors import StoreAbsent, StoreBroken

if TYPE_CHECKING:
    from conftest import World

RETRY = "# 재시도\n\n결제 재시도는 세 번까지만 한다.\n"


def test_memories_come_from_the_project_and_from_the_home_folder(world: World) -> None:
    world.note("payments/retry", RETRY)
    world.shared_note("style", "# 말투\n\n답변은 존댓말로 한다.\n")
    memories = world.memories()
    assert {key: memory.project for key, memory in memories.items()} == {
        "payments/retry": "shop-api",
        "global/style": "",
    }


def test_the_home_folder_is_the_option_then_the_environment_then_the_default(
    world: World, tmp_path: Path
) -> None:
    for name in ("by-option", "by-env"):
        note = tmp_path / name / "memories/global" / f"{name}.md"
        note.parent.mkdir(parents=True)
        note.write_text(RETRY)
    world.shared_note("by-default", RETRY)
    assert list(world.memories()) == ["global/by-default"]
    world.change(env={"SERENA_HOME": str(tmp_path / "by-env")})
    assert list(world.memories()) == ["global/by-env"]
    world.choose(home=str(tmp_path / "by-option"))
    assert list(world.memories()) == ["global/by-option"]
    world.choose(home="")
    world.change(env={"SERENA_HOME": "  "})
    assert list(world.memories()) == ["global/by-default"]


def test_global_memories_can_be_switched_off(world: World) -> None:
    world.note("core", RETRY)
    world.shared_note("style", RETRY + "1")
    world.choose(global_memories=False)
    assert list(world.memories()) == ["core"]


def test_a_configured_data_folder_is_used_with_its_placeholders(world: World, tmp_path: Path) -> None:
    world.config(f"project_serena_folder_location: {tmp_path}/central/$projectFolderName/.serena\n")
    world.note("core", RETRY, tmp_path / "central/shop-api/.serena")
    assert list(world.memories()) == ["core"]
    assert world.health().state is State.READY


def test_a_tilde_in_the_configured_folder_is_the_scope_s_home(world: World) -> None:
    world.config("project_serena_folder_location: ~/central/$projectFolderName\n")
    world.note("core", RETRY, world.scope.home / "central/shop-api")
    assert list(world.memories()) == ["core"]


def test_a_configured_folder_that_is_not_there_gives_way_to_the_project_s_own(
    world: World, tmp_path: Path
) -> None:
    world.config(f"project_serena_folder_location: {tmp_path}/central/$projectFolderName\n")
    world.note("core", RETRY)
    memory = world.memories()["core"]
    assert "tree" not in memory.extra
    assert world.health().state is State.READY


def test_memories_hidden_behind_an_empty_central_folder_are_served_and_that_is_said(
    world: World, tmp_path: Path
) -> None:
    central = tmp_path / "central" / "shop-api"
    (central / "memories").mkdir(parents=True)
    world.config(f"project_serena_folder_location: {tmp_path}/central/$projectFolderName\n")
    world.note("core", RETRY)
    assert list(world.memories()) == ["core"]
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 1)
    assert "Serena shows no memories here" in health.reason
    assert str(central) in health.next_step


def test_a_full_central_folder_comes_first_and_in_tree_memories_are_told_apart(
    world: World, tmp_path: Path
) -> None:
    world.config(f"project_serena_folder_location: {tmp_path}/central/$projectFolderName\n")
    world.note("core", "# Core\n\n새 규칙\n", tmp_path / "central/shop-api")
    world.note("core", "# Core\n\n옛 규칙\n")
    memories = world.memories()
    assert memories["core"].text.endswith("새 규칙")
    assert memories["in-tree//core"].text.endswith("옛 규칙")
    health = world.health()
    assert health.state is State.READY
    assert any("which Serena does not see" in fact for fact in health.facts)


def test_an_unknown_placeholder_is_reported_and_the_project_s_own_folder_still_read(world: World) -> None:
    world.config("project_serena_folder_location: /central/$projectName/.serena\n")
    world.note("core", RETRY)
    assert list(world.memories()) == ["core"]
    health = world.health()
    assert health.state is State.DEGRADED
    assert "$projectName" in health.reason


def test_a_worktree_shows_its_own_memories_and_the_main_checkout_s(world: World, tmp_path: Path) -> None:
    worktree = tmp_path / "code" / "shop-api-refund"
    worktree.mkdir()
    main = world.root
    world.note("core", "# Core\n\n같은 글\n")
    world.note("deploy", "# 배포\n\n금요일에는 배포하지 않는다.\n")
    world.note("queue", "# Queue\n\nRedis\n")
    world.change(root=worktree, cwd=worktree, main_root=main, names=("shop-api", "shop-api/shop-api-refund"))
    world.note("core", "# Core\n\n같은 글\n")
    world.note("queue", "# Queue\n\nPostgreSQL\n")
    memories = world.memories()
    assert {key: memory.extra["tree"] for key, memory in memories.items()} == {
        "core": "worktree",
        "queue": "worktree",
        "deploy": "main-checkout",
        "main-checkout//queue": "main-checkout",
    }
    facts = "\n".join(world.health().facts)
    assert f"2 from the main checkout ({main}/.serena/memories)" in facts


def test_a_sub_folder_that_is_a_project_of_its_own_is_read_too(world: World) -> None:
    inner = world.root / "packages" / "billing"
    inner.mkdir(parents=True)
    world.note("core", "# Core\n\n전체 규칙\n")
    world.note("core", "# Core\n\n청구 규칙\n", inner / ".serena")
    world.change(cwd=inner)
    assert {key: memory.text[-5:] for key, memory in world.memories().items()} == {
        "core": "청구 규칙",
        "project//core": "전체 규칙",
    }


def test_the_folder_of_a_shared_link_is_read_once(world: World, tmp_path: Path) -> None:
    worktree = tmp_path / "code" / "refund"
    worktree.mkdir()
    world.note("core", RETRY)
    (worktree / ".serena").symlink_to(world.root / ".serena")
    world.change(root=worktree, cwd=worktree, main_root=world.root)
    assert list(world.memories()) == ["core"]


def test_serena_s_own_home_is_not_taken_for_a_project(world: World) -> None:
    world.shared_note("style", RETRY)
    world.change(root=world.scope.home, cwd=world.scope.home, main_root=world.scope.home)
    assert list(world.memories()) == ["global/style"]
    assert "this project has no Serena data folder" in world.health().facts
    world.home.joinpath("project.yml").write_text("project_name: home\n")
    world.note("core", "# Core\n\n집 폴더의 메모\n")
    assert sorted(world.memories()) == ["core", "global/style"]


def test_all_projects_are_those_that_serena_knows_and_that_still_exist(world: World, tmp_path: Path) -> None:
    other, twin = tmp_path / "code" / "blog", tmp_path / "old" / "blog"
    world.note("core", "# Core\n\n결제\n")
    world.note("core", "# Core\n\n블로그\n", other / ".serena")
    world.note("core", "# Core\n\n옛 블로그\n", twin / ".serena")
    world.config(f"projects:\n- {world.root}\n- {tmp_path}/gone\n- {other}\n- {twin}\n")
    assert list(world.memories()) == ["core"]
    world.change(all_projects=True)
    assert {key: memory.project for key, memory in world.memories().items()} == {
        "core": "shop-api",
        "blog//core": "blog",
        "blog~2//core": "blog",
    }
    assert "2 memories of other projects" in world.health().facts


def test_nothing_anywhere_is_an_absent_store(world: World) -> None:
    with pytest.raises(StoreAbsent):
        world.listed()
    (world.home / "memories/global").mkdir(parents=True)  # Serena makes it by merely being imported
    with pytest.raises(StoreAbsent):
        world.listed()


def test_settings_that_cannot_be_read_are_not_an_absent_store(world: World) -> None:
    world.home.mkdir()
    os.mkfifo(world.home / "serena_config.yml")
    with pytest.raises(StoreBroken, match=r"serena_config\.yml: settings are not applied: .*named pipe"):
        world.listed()


def test_a_data_folder_that_is_a_file_is_broken(world: World) -> None:
    (world.root / ".serena").write_text("not a folder\n")
    with pytest.raises(StoreBroken, match="not a folder"):
        world.listed()
    assert world.health().state is State.BROKEN
