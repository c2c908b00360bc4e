"""What doctor says about Serena's memories: of each way to be empty, and of doubtful ones."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recall.api import State

if TYPE_CHECKING:
    from conftest import World

RETRY = "# 재시도\n\n결제 재시도는 세 번까지만 한다.\n"


def test_readable_memories_are_ready_with_count_and_newest(world: World) -> None:
    old, new = world.note("core", RETRY), world.shared_note("style", RETRY + "1")
    os.utime(old, (1_700_000_000, 1_700_000_000))
    os.utime(new, (1_780_000_000, 1_780_000_000))
    health = world.health()
    assert (health.state, health.items, health.reason) == (State.READY, 2, "")
    assert health.newest == datetime.fromtimestamp(1_780_000_000, UTC)
    assert health.facts == ("1 memory of this project, 1 for all projects",)
    assert str(world.root / ".serena") in health.places


def test_a_machine_without_serena_is_absent(world: World) -> None:
    health = world.health()
    assert (health.state, health.items) == (State.ABSENT, 0)
    assert "has never run" in health.reason
    assert "serena project create" in health.next_step
    assert health.places == (
        str(world.root / ".serena"),
        str(world.home / "memories/global"),
    )


def test_a_project_that_serena_does_not_know_is_absent_too(world: World) -> None:
    world.config("projects: []\n")
    health = world.health()
    assert health.state is State.ABSENT
    assert "installed" in health.reason


def test_a_project_that_was_only_created_is_empty(world: World) -> None:
    world.project_config("project_name: shop-api\n")
    health = world.health()
    assert (health.state, health.items) == (State.EMPTY, 0)
    assert "no memories folder" in health.reason
    assert str(world.root / ".serena/memories") in health.next_step


def test_an_empty_memories_folder_is_empty(world: World) -> None:
    (world.root / ".serena/memories").mkdir(parents=True)
    health = world.health()
    assert (health.state, health.items) == (State.EMPTY, 0)
    assert "nothing was written" in health.reason


def test_blank_files_are_empty(world: World) -> None:
    world.note("core", "\n")
    world.note("deploy", "")
    health = world.health()
    assert (health.state, health.items) == (State.EMPTY, 0)
    assert "2 memory files without content" in health.reason


def test_a_folder_whose_memories_are_all_ignored_is_empty_for_that_reason(world: World) -> None:
    world.project_config("ignored_memory_patterns: ['.*']\n")
    world.note("core", RETRY)
    health = world.health()
    assert health.state is State.EMPTY
    assert "ignored_memory_patterns" in health.reason


def test_a_lone_upkeep_note_with_another_text_is_doubtful(world: World) -> None:
    world.note("memory_maintenance", "# Memory upkeep\n\n- 짧게 적는다.\n")
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 1)
    assert "memory_maintenance" in health.reason
    world.note("core", RETRY)
    assert world.health().state is State.READY


def test_global_memories_alone_are_ready_and_the_project_is_said_to_have_none(world: World) -> None:
    world.shared_note("style", RETRY)
    health = world.health()
    assert (health.state, health.items) == (State.READY, 1)
    assert "this project has no Serena data folder" in health.facts
    world.project_config("project_name: shop-api\n")
    assert any(fact.startswith("this project has none: ") for fact in world.health().facts)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ("agent_interface: REPL\n", "REPL"),
        ("default_modes:\n- no-memories\n", "no-memories"),
        ("excluded_tools: [read_memory, list_memories]\n", "list_memories and read_memory"),
    ],
)
def test_memories_that_serena_itself_would_not_serve_are_served_with_a_remark(
    world: World, settings: str, reason: str
) -> None:
    world.config(settings)
    world.note("core", RETRY)
    health = world.health()
    assert health.state is State.READY
    remarks = [fact for fact in health.facts if fact.startswith("Serena itself will not serve these")]
    assert len(remarks) == 1
    assert reason in remarks[0]


def test_another_project_s_settings_say_nothing_about_this_one(world: World, tmp_path: Path) -> None:
    other = tmp_path / "blog"
    (other / ".serena").mkdir(parents=True)
    (other / ".serena/project.yml").write_text("agent_interface: REPL\n")
    world.config(f"projects: [{other}]\n")
    world.note("core", RETRY)
    world.change(all_projects=True)
    assert not any("will not serve" in fact for fact in world.health().facts)


def test_the_project_s_interface_wins_over_the_home_s(world: World) -> None:
    world.config("agent_interface: REPL\n")
    world.project_config("agent_interface: tools\n")
    world.note("core", RETRY)
    assert not any("will not serve" in fact for fact in world.health().facts)


def test_a_memories_folder_that_is_no_folder_is_broken(world: World) -> None:
    world.project_config("project_name: shop-api\n")
    (world.root / ".serena/memories").write_text("a file\n")
    health = world.health()
    assert (health.state, health.items) == (State.BROKEN, None)
    assert "memories" in health.reason
    assert [problem.hides_entries for problem in health.problems] == [True]


def test_a_folder_with_nothing_but_a_pipe_is_broken(world: World) -> None:
    memories = world.root / ".serena/memories"
    memories.mkdir(parents=True)
    os.mkfifo(memories / "runbook.md")
    health = world.health()
    assert health.state is State.BROKEN
    assert "runbook.md" in health.reason


def test_bad_project_settings_do_not_turn_an_empty_store_into_a_broken_one(world: World) -> None:
    world.project_config("ignored_memory_patterns: ['(']\n")
    assert world.health().state is State.EMPTY


def test_unreadable_settings_of_serena_make_an_empty_project_broken(world: World) -> None:
    world.config("project_serena_folder_location: [unclosed\n")
    world.project_config("project_name: shop-api\n")
    health = world.health()
    assert health.state is State.BROKEN
    assert "serena_config.yml" in health.reason
