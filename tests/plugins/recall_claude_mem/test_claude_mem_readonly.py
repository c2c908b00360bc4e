"""Looking changes nothing, whoever else has the database open."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recall.api import State
from recall.errors import StoreBusy
from support.worlds import snapshot

if TYPE_CHECKING:
    from conftest import World


# Says one line when it is ready, then waits for one before it ends: the tests never sleep.
WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    connection.execute(statement).fetchall()
print("ready", flush=True)
sys.stdin.readline()
"""


@contextmanager
def another_process(database: Path, *statements: str) -> Iterator[None]:
    """A process that has run the statements and keeps the database open."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(database), *statements],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield
        finally:
            process.communicate("done\n")


def look(world: World) -> list[str]:
    world.health()
    return [memory.title for memory in world.memories().values()]


@pytest.mark.parametrize("wal", [False, True])
def test_a_closed_database_stays_as_it_was(world: World, wal: bool) -> None:
    store = world.store(wal=wal)
    store.observation("조용한 행")
    store.close()
    before = snapshot(world.scope.home)
    assert look(world) == ["조용한 행"]
    assert snapshot(world.scope.home) == before


def test_a_live_writer_s_newest_rows_are_seen_and_its_files_left_alone(world: World) -> None:
    store = world.store(wal=True)
    store.observation("옮겨진 행")
    store.close()
    insert = (
        "INSERT INTO observations (title, project, type, created_at_epoch)"
        " VALUES ('로그에만 있는 행', 'shop-api', 'discovery', 1780000000000)"
    )
    with another_process(world.database, "PRAGMA wal_autocheckpoint = 0", insert):
        before = snapshot(world.scope.home)
        assert look(world) == ["옮겨진 행", "로그에만 있는 행"]
        assert world.health().items == 2
        assert snapshot(world.scope.home) == before


def test_a_log_without_its_map_is_read_from_a_copy(world: World, tmp_path: Path) -> None:
    live = world.store(wal=True, data=tmp_path / "live")
    live.run("PRAGMA wal_autocheckpoint = 0")
    live.observation("로그에만 있는 행")
    world.data.mkdir()
    for suffix in ("", "-wal"):
        (world.data / f"claude-mem.db{suffix}").write_bytes(Path(f"{live.path}{suffix}").read_bytes())
    before = snapshot(world.scope.home)
    assert look(world) == ["로그에만 있는 행"]
    assert snapshot(world.scope.home) == before


def test_a_database_that_another_process_has_locked_is_busy(world: World) -> None:
    store = world.store()
    store.observation()
    store.close()
    with another_process(world.database, "BEGIN EXCLUSIVE"):
        before = snapshot(world.scope.home)
        health = world.health()
        assert (health.state, health.items) == (State.BUSY, None)
        assert "locked" in health.reason
        with pytest.raises(StoreBusy):
            world.listed()
        assert snapshot(world.scope.home) == before
    assert world.health().state is State.READY
