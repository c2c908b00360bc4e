"""What doctor says about claude-mem: rows prove nothing, texts do."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recall.api import State

if TYPE_CHECKING:
    from conftest import World

DAY = 86_400_000
EPOCH = 1_780_000_000_000


@pytest.mark.parametrize("schema", [9, 23, 52])
def test_real_rows_are_ready_and_counted(world: World, schema: int) -> None:
    store = world.store(schema)
    store.observation()
    store.observation("블로그 글", project="blog")
    store.summary(created_at_epoch=EPOCH + DAY)
    health = world.health()
    assert (health.state, health.items, health.in_scope, health.reason) == (State.READY, 3, 2, "")
    assert health.newest == datetime(2026, 5, 29, 20, 26, 40, tzinfo=UTC)
    assert health.facts[0].startswith("2 observations, 1 summary")
    assert health.places == (str(world.database),)


def test_what_is_not_served_is_counted_and_marked(world: World) -> None:
    store = world.store(52)
    store.observation()
    store.prompt("질문")
    store.add("tool_uses", project="shop-api", tool_name="Bash")
    assert world.health().facts[0] == (
        "1 observation, 0 summaries, 1 prompt (not served), 1 tool use (never served)"
    )
    world.choose(prompts=True)
    assert world.health().facts[0] == "1 observation, 0 summaries, 1 prompt, 1 tool use (never served)"
    assert world.health().items == 2


def test_no_folder_is_absent_and_a_folder_alone_is_empty(world: World) -> None:
    health = world.health()
    assert (health.state, health.items) == (State.ABSENT, 0)
    world.data.mkdir()
    health = world.health()
    assert (health.state, health.items) == (State.EMPTY, 0)
    assert "never captured" in health.reason
    assert health.next_step


def test_a_file_in_the_place_of_the_folder_is_broken(world: World) -> None:
    world.data.write_text("no folder\n")
    assert world.health().state is State.BROKEN


def test_a_database_without_bytes_or_tables_is_empty(world: World) -> None:
    world.data.mkdir()
    world.database.touch()
    assert (world.health().state, world.health().items) == (State.EMPTY, 0)
    world.database.unlink()
    world.store(52).run("DROP TABLE observations")
    assert "no observations table" in world.health().reason


def test_a_database_with_empty_tables_is_empty(world: World) -> None:
    world.store(52)
    health = world.health()
    assert (health.state, health.items) == (State.EMPTY, 0)
    assert health.reason == "no observations, summaries or prompts"


@pytest.mark.parametrize("captured", ["prompts", "tool uses"])
def test_capture_without_observations_is_empty_for_that_reason(world: World, captured: str) -> None:
    store = world.store(52)
    if captured == "prompts":
        store.prompt("아무도 정리하지 않은 질문")
    else:
        store.add("tool_uses", project="shop-api", tool_name="Bash")
    health = world.health()
    assert (health.state, health.items) == (State.EMPTY, 0)
    assert health.reason == "captures prompts, stores no observations"
    assert str(world.data / "logs") in health.next_step


def test_prompts_that_are_served_do_not_make_such_a_store_healthy(world: World) -> None:
    world.store(52).prompt("아무도 정리하지 않은 질문")
    world.choose(prompts=True)
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 1)
    assert health.reason == "captures prompts, stores no observations"


def test_blank_rows_are_empty(world: World) -> None:
    store = world.store(23)
    for _ in range(3):
        store.observation("", narrative=" ", facts="[]")
    health = world.health()
    assert (health.state, health.items) == (State.EMPTY, 0)
    assert "3 rows, none with content" in health.reason


def test_some_blank_rows_are_said_to_be_left_out(world: World) -> None:
    store = world.store(23)
    store.observation()
    store.observation("")
    health = world.health()
    assert (health.state, health.items) == (State.READY, 1)
    assert "1 rows blank or the observer's own words, left out" in health.facts


def test_observer_sessions_alone_are_empty(world: World) -> None:
    world.store(23).observation("관찰자", project="observer-sessions")
    health = world.health()
    assert (health.state, health.items) == (State.EMPTY, 0)
    assert "observer sessions" in health.reason


def test_a_store_of_other_projects_is_ready_and_says_how_to_ask_for_them(world: World) -> None:
    store = world.store()
    for number in range(3):
        store.observation(f"글 {number}", project="blog")
    store.observation("하나", project="lighthouse")
    health = world.health()
    assert (health.state, health.items, health.in_scope) == (State.READY, 4, 0)
    assert health.newest is not None
    remark = next(fact for fact in health.facts if fact.startswith("no rows for this project"))
    assert "blog (3), lighthouse (1);" in remark
    assert "--all-projects" in remark
    assert "providers.claude-mem.projects" in remark


def test_prompts_that_go_on_long_after_the_last_observation_are_doubtful(world: World) -> None:
    store = world.store()
    store.observation()
    store.prompt("같은 날", created_at_epoch=EPOCH + DAY)
    assert world.health().state is State.READY
    store.prompt("두 달 뒤", created_at_epoch=EPOCH + 60 * DAY)
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 1)
    assert "observations only until 2026-05-28" in health.reason


def test_a_full_text_index_that_lags_or_is_missing_is_only_a_remark(world: World) -> None:
    store = world.store()
    store.observation()
    health = world.health()
    assert health.state is State.READY
    assert "claude-mem's own full-text index is missing; recall does not use it" in health.facts
    store.run("CREATE TABLE observations_fts_docsize (id INTEGER PRIMARY KEY, sz BLOB)")
    assert any("index holds 0 observations" in fact for fact in world.health().facts)
    store.run("INSERT INTO observations_fts_docsize VALUES (1, x'00')")
    assert not any("index" in fact for fact in world.health().facts)


@pytest.mark.parametrize("content", [b"not a database at all\n", b"SQLite format 3\0" + b"\xff" * 2000])
def test_bytes_that_are_no_database_are_broken(world: World, content: bytes) -> None:
    world.data.mkdir()
    world.database.write_bytes(content)
    health = world.health()
    assert (health.state, health.items) == (State.BROKEN, None)
    assert health.next_step


def test_a_pipe_is_broken_and_does_not_block(world: World) -> None:
    world.data.mkdir()
    os.mkfifo(world.database)
    assert world.health().state is State.BROKEN


def test_damage_beside_a_log_is_laid_at_the_log_s_door(world: World) -> None:
    store = world.store(wal=True)
    for number in range(200):
        store.observation(f"기억 {number}", narrative="본문 " * 200)
    store.run("PRAGMA wal_checkpoint(TRUNCATE)")
    store.observation("로그에만 있는 행")
    log = Path(f"{world.database}-wal")
    kept = log.read_bytes()
    store.close()
    head = world.database.read_bytes()
    world.database.write_bytes(head[: len(head) // 3])
    log.write_bytes(kept)
    health = world.health()
    assert health.state is State.BROKEN
    assert f"write-ahead log ({len(kept):,} bytes)" in health.reason
    assert "stop claude-mem" in health.next_step
