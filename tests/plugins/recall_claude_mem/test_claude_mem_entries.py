"""The listing: cheap, exact about changes, and read in few queries."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall import databases
from recall.api import Deadline, Entry, Memory
from recall.databases import read
from recall.errors import StoreAbsent, StoreBroken, StoreBusy
from recall_claude_mem import store
from recall_claude_mem.provider import ClaudeMemProvider

if TYPE_CHECKING:
    from conftest import World


@pytest.fixture
def openings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every time that the database is opened."""
    seen: list[str] = []

    def counted(path: Any, *rest: Any) -> Any:
        seen.append(os.fspath(path))
        return read(path, *rest)

    monkeypatch.setattr(databases, "read", counted)
    monkeypatch.setattr(store, "read", counted)
    return seen


def test_a_row_s_stamp_changes_with_any_part_of_the_memory_and_only_then(world: World) -> None:
    database = world.store(52)
    database.observation("포트는 8080", narrative="운영 포트", content_hash="0001")
    database.observation("다른 행")
    before = world.stamps()
    assert world.stamps() == before
    changes = {
        "title": "포트는 9090",  # the same length, the same hash
        "narrative": "개발 포트",
        "facts": '["x"]',
        "type": "decision",
        "files_read": '["a"]',
        "project": "shop-api/feat",
        "created_at_epoch": 1_780_000_000_001,
    }
    for column, value in changes.items():
        database.run(f"UPDATE observations SET {column} = ? WHERE id = 1", value)
        after = world.stamps()
        assert after["observation/1"] != before["observation/1"], column
        assert after["observation/2"] == before["observation/2"]
        before = after
    database.run("UPDATE observations SET sync_rev = '2' WHERE id = 1")  # bookkeeping is no content
    assert world.stamps() == before


def test_blank_rows_are_not_listed(world: World) -> None:
    database = world.store()
    database.observation(" \n\t", facts="[]", narrative="")
    database.observation(None, facts='[""]', text="　")
    database.observation(None, facts="null")
    database.summary(None, notes="")
    assert world.stamps() == {}


def test_a_listing_opens_the_database_once_and_so_does_reading_a_small_one(
    world: World, openings: list[str]
) -> None:
    database = world.store()
    for number in range(100):
        database.observation(f"기억 {number}")
    items = world.listed()
    assert len(openings) == 1
    memories = [memory for item in items for memory in world.provider.load(item, world.scope)]  # type: ignore[arg-type]
    assert len(memories) == 100
    assert len(openings) == 2


def test_many_rows_are_read_in_few_growing_batches(world: World, openings: list[str]) -> None:
    database = world.store()
    database.run("BEGIN")
    for number in range(20_000):
        database.observation(f"기억 {number}", narrative="본문")
    database.run("COMMIT")
    items = [item for item in world.listed() if isinstance(item, Entry)]
    titles = []
    for item in items:
        titles += [
            found.title for found in world.provider.load(item, world.scope) if isinstance(found, Memory)
        ]
    assert titles == [f"기억 {number}" for number in range(20_000)]
    assert len(openings) <= 12


@given(order=st.permutations(range(40)), gone=st.sets(st.integers(0, 39), max_size=8))
@settings(max_examples=25)
def test_rows_read_in_any_order_are_themselves_and_deleted_ones_are_gone(
    world: World, monkeypatch: pytest.MonkeyPatch, order: list[int], gone: set[int]
) -> None:
    monkeypatch.setattr(store, "_FIRST_BATCH", 3)
    database = world.stores[0] if world.stores else world.store()
    database.run("BEGIN")
    database.run("DELETE FROM observations")
    for number in range(40):
        database.observation(f"기억 {number}", id=2 * number + 1)
    database.run("COMMIT")
    items = world.listed()
    database.run(
        f"DELETE FROM observations WHERE id IN ({', '.join(str(2 * number + 1) for number in gone)})"
    )
    for number in order:
        found = list(world.provider.load(items[number], world.scope))  # type: ignore[arg-type]
        assert [memory.title for memory in found if isinstance(memory, Memory)] == (
            [] if number in gone else [f"기억 {number}"]
        )


def test_scattered_rows_are_read_without_the_rows_between(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = world.store()
    for number in range(60):
        database.observation(f"기억 {number}")
    items = world.listed()
    sizes: list[int] = []

    def counted(*arguments: Any) -> Any:
        found = read(*arguments)
        sizes.append(len(found))
        return found

    monkeypatch.setattr(store, "_FIRST_BATCH", 2)
    monkeypatch.setattr(store, "read", counted)
    for number in (50, 10, 40, 20, 30):
        assert list(world.provider.load(items[number], world.scope))  # type: ignore[arg-type]
    assert sizes == [2] * 5


def test_rows_far_apart_are_listed_without_walking_the_gap(world: World) -> None:
    database = world.store()
    database.observation("처음", id=-5)
    database.observation("끝", id=9_000_000_000_000_000_000)
    assert [memory.title for memory in world.memories().values()] == ["처음", "끝"]


def test_rows_beyond_the_limit_are_counted_and_the_newest_kept(world: World) -> None:
    database = world.store()
    for number in range(5):
        database.observation(f"기억 {number}")
    world.choose(max_rows=2)
    assert [memory.title for memory in world.memories().values()] == ["기억 3", "기억 4"]
    assert [problem.reason for problem in world.problems()] == ["3 older rows are not read (option max_rows)"]


def test_a_missing_folder_is_absent_and_a_folder_without_a_database_lists_nothing(world: World) -> None:
    with pytest.raises(StoreAbsent):
        world.listed()
    world.data.mkdir()
    assert world.listed() == []


def test_a_pipe_in_the_place_of_the_database_does_not_block(world: World) -> None:
    world.data.mkdir()
    os.mkfifo(world.database)
    with pytest.raises(StoreBroken, match="not a regular file"):
        world.listed()


def test_a_passed_deadline_is_a_busy_store(world: World) -> None:
    database = world.store()
    database.run("BEGIN")
    for number in range(3_000):
        database.observation(f"기억 {number}")
    database.run("COMMIT")
    with pytest.raises(StoreBusy):
        world.listed(Deadline(0.0, lambda: 1.0))


def test_an_entry_that_came_from_elsewhere_gives_nothing(world: World) -> None:
    world.store().observation()
    assert list(world.provider.load(Entry("observation/1", "x"), world.scope)) == []


LATER = 4_000_000_000.0  # long after every file here was written


@pytest.mark.parametrize("wal", [False, True])
def test_a_database_that_has_not_changed_is_not_opened_again(
    world: World, openings: list[str], wal: bool
) -> None:
    database = world.store(wal=wal)
    database.observation("처음")
    long_after = ClaudeMemProvider(world.options, lambda: LATER)
    first = long_after.entries(world.scope, Deadline.after(60))
    assert long_after.entries(world.scope, Deadline.after(60)) is first
    assert len(openings) == 1
    database.observation("나중")
    second = long_after.entries(world.scope, Deadline.after(60))
    assert len(second) == 2
    assert len(openings) == 2
    titles = [found.title for item in second for found in long_after.load(item, world.scope)]  # type: ignore[arg-type, union-attr]
    assert titles == ["처음", "나중"]


def test_a_database_written_a_moment_ago_is_opened_again(world: World, openings: list[str]) -> None:
    world.store().observation()
    just_after = ClaudeMemProvider(world.options, lambda: world.database.stat().st_mtime + 1)
    for _ in range(2):
        just_after.entries(world.scope, Deadline.after(60))
    assert len(openings) == 2


def test_rows_of_a_listing_that_is_used_again_are_read_within_the_new_deadline(world: World) -> None:
    world.store().observation("처음")
    long_after = ClaudeMemProvider(world.options, lambda: LATER)
    now = [0.0]
    long_after.entries(world.scope, Deadline(10.0, lambda: now[0]))
    now[0] = 20.0
    (entry,) = long_after.entries(world.scope, Deadline(30.0, lambda: now[0]))
    assert [found.title for found in long_after.load(entry, world.scope)] == ["처음"]  # type: ignore[arg-type, union-attr]


def test_other_project_names_are_another_listing(world: World) -> None:
    world.store().observation("처음")
    long_after = ClaudeMemProvider(world.options, lambda: LATER)
    assert len(long_after.entries(world.scope, Deadline.after(60))) == 1
    world.change(names=("another",))
    assert long_after.entries(world.scope, Deadline.after(60)) == ()
