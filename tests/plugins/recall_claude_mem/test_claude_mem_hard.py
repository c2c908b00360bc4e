"""Databases as the field has them: half-migrated, half-copied, half-broken. Never "empty", never an error of ours."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from recall.answer import Answer
from recall.api import State
from support.worlds import make_engine, snapshot

if TYPE_CHECKING:
    from conftest import Store, World

READABLE = {State.READY, State.DEGRADED}
UNREADABLE = {State.BROKEN, State.BUSY}


def ask(world: World, tmp_path: Path, question: str = "결제 재시도") -> Answer:
    engine = make_engine(tmp_path, [world.provider], scope=world.scope)
    try:
        return engine.recall(question, deadline=20.0)
    finally:
        engine.close()


# --- schemas of no release -------------------------------------------------------------------------------


def _extra_tables(store: Store) -> None:
    store.run("CREATE TABLE observations_v2 (id INTEGER, body TEXT)")
    store.run("CREATE TABLE schema_versions (version INTEGER)")
    store.run("INSERT INTO schema_versions VALUES (999)")


def _columns_of_tomorrow(store: Store) -> None:
    for number in range(40):
        store.run(f"ALTER TABLE observations ADD COLUMN \"new {number}\" BLOB DEFAULT x'00ff'")


def _summaries_gone(store: Store) -> None:
    store.run("DROP TABLE session_summaries")


def _sessions_gone(store: Store) -> None:
    store.run("DROP TABLE sdk_sessions")


def _a_view(store: Store) -> None:
    store.run("ALTER TABLE observations RENAME TO observations_old")
    store.run("CREATE VIEW observations AS SELECT * FROM observations_old")


def _upper_case(store: Store) -> None:
    store.run("ALTER TABLE observations RENAME TO observations_x")
    store.run("ALTER TABLE observations_x RENAME TO OBSERVATIONS")


def _triggers(store: Store) -> None:
    store.run("CREATE TRIGGER t AFTER INSERT ON observations BEGIN INSERT INTO nowhere VALUES (new.id); END")


def _fts_broken(store: Store) -> None:
    store.run("CREATE VIRTUAL TABLE observations_fts USING fts5(title)")
    store.run("DELETE FROM observations_fts_data")


def _generated(store: Store) -> None:
    store.run("ALTER TABLE observations ADD COLUMN loud TEXT AS (upper(title)) VIRTUAL")


def _numbers_for_texts(store: Store) -> None:
    store.add("observations", title=7, project="shop-api", narrative=3.5, type=9, facts=1, concepts=2)


def _blobs_for_texts(store: Store) -> None:
    store.add("observations", title=b"\xff\xfe\0", project="shop-api", narrative=b"\0\1\2")


def _half_migrated(store: Store) -> None:
    store.run("ALTER TABLE observations RENAME COLUMN narrative TO narrative_old")
    store.run("ALTER TABLE observations RENAME COLUMN created_at_epoch TO created_epoch")


@pytest.mark.parametrize("schema", [9, 23, 52])
@pytest.mark.parametrize(
    "change",
    [
        _extra_tables,
        _columns_of_tomorrow,
        _summaries_gone,
        _sessions_gone,
        _a_view,
        _upper_case,
        _triggers,
        _fts_broken,
        _generated,
        _numbers_for_texts,
        _blobs_for_texts,
        _half_migrated,
    ],
    ids=lambda change: change.__name__.strip("_"),
)
def test_what_can_be_read_is_found(
    world: World, tmp_path: Path, schema: int, change: Callable[[Store], None]
) -> None:
    store = world.store(schema)
    store.observation("결제 재시도는 세 번", narrative="새벽에 배치가 돈다")
    change(store)
    store.close()
    before = snapshot(world.scope.home)
    answer = ask(world, tmp_path)
    assert [hit for hit in answer.hits if "세 번" in hit.ranked.row.title], answer.outcomes
    assert answer.outcomes[0].state in READABLE
    assert snapshot(world.scope.home) == before


@pytest.mark.parametrize("encoding", ["UTF-16le", "UTF-16be"])
def test_a_database_of_another_encoding_is_read(world: World, tmp_path: Path, encoding: str) -> None:
    world.data.mkdir()
    with sqlite3.connect(world.database) as connection:
        connection.execute(f"PRAGMA encoding = '{encoding}'")
        connection.execute("CREATE TABLE observations (id INTEGER PRIMARY KEY, title TEXT, project TEXT)")
        connection.execute("INSERT INTO observations VALUES (1, '결제 재시도는 세 번', 'shop-api')")
    connection.close()
    assert ask(world, tmp_path).hits


def test_rows_without_a_number_of_their_own_are_read(world: World, tmp_path: Path) -> None:
    world.data.mkdir()
    with sqlite3.connect(world.database) as connection:
        connection.execute("CREATE TABLE observations (id TEXT, title TEXT, project TEXT)")
        connection.executemany(
            "INSERT INTO observations VALUES (?, ?, 'shop-api')",
            [
                ("a", "결제 재시도 하나"),
                ("a", "결제 재시도 둘"),
                (None, "결제 재시도 셋"),
                ("", "결제 재시도 넷"),
            ],
        )
    connection.close()
    outcome = ask(world, tmp_path).outcomes[0]
    assert outcome.state in READABLE | UNREADABLE
    if outcome.state in READABLE:
        assert outcome.memories + len(outcome.problems) >= 1


# --- damage ----------------------------------------------------------------------------------------------


def _filled(world: World) -> bytes:
    store = world.store(52)
    for number in range(400):
        store.observation(f"결제 재시도 {number}", narrative=f"{number} " + "새벽에 배치가 돈다 " * 30)
    store.close()
    return world.database.read_bytes()


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 0.9, 0.999])
def test_a_copy_that_stopped_halfway_is_broken_and_never_empty(
    world: World, tmp_path: Path, share: float
) -> None:
    data = _filled(world)
    world.database.write_bytes(data[: int(len(data) * share)])
    outcome = ask(world, tmp_path).outcomes[0]
    assert outcome.state in UNREADABLE | {State.DEGRADED}, outcome
    assert outcome.reason
    assert world.health().state in UNREADABLE | {State.DEGRADED}


@pytest.mark.parametrize("page", [1, 2, 5, 20, 60])
@pytest.mark.parametrize("garbage", [b"\0", b"\xff", b"Z"])
def test_a_page_of_garbage_is_broken_or_costs_itself(
    world: World, tmp_path: Path, page: int, garbage: bytes
) -> None:
    data = bytearray(_filled(world))
    data[page * 4096 : page * 4096 + 4096] = garbage * 4096
    world.database.write_bytes(data)
    outcome = ask(world, tmp_path).outcomes[0]
    assert outcome.state in READABLE | UNREADABLE
    assert outcome.state is not State.EMPTY


def test_what_was_read_before_the_damage_answers_with_its_age(world: World, tmp_path: Path) -> None:
    data = _filled(world)
    assert ask(world, tmp_path).hits
    world.database.write_bytes(data[: len(data) // 2])
    answer = ask(world, tmp_path)
    assert answer.hits
    assert answer.outcomes[0].state in UNREADABLE
    assert "answer in its place" in answer.outcomes[0].reason


# --- dates -----------------------------------------------------------------------------------------------

MOMENT = datetime(2026, 5, 18, 7, 5, tzinfo=UTC)
SECONDS = int(MOMENT.timestamp())


@pytest.mark.parametrize(
    ("epoch", "text", "expected"),
    [
        (SECONDS, None, MOMENT),
        (SECONDS * 1_000, None, MOMENT),
        (SECONDS * 1_000_000, None, MOMENT),
        (SECONDS * 1_000_000_000, None, MOMENT),
        (float(SECONDS), None, MOMENT),
        (str(SECONDS * 1_000), None, MOMENT),
        ("2026-05-18T07:05:00Z", None, MOMENT),
        (None, "2026-05-18 07:05:00", MOMENT),
        (None, "2026-05-18T16:05:00+09:00", MOMENT),
        (0, "2026-05-18T07:05:00Z", MOMENT),
        (-1, "2026-05-18T07:05:00Z", MOMENT),
        (9_223_372_036_854_775_807, "2026-05-18T07:05:00Z", MOMENT),
        (0, None, None),
        (-SECONDS, None, None),
        ("soon", "yesterday", None),
        (b"\xff", b"\xff", None),
        (float("inf"), None, None),
        (None, "9999-12-31T23:59:59Z", None),
        (None, "0001-01-01", None),
    ],
)
def test_every_way_to_write_a_moment_is_read_or_none(
    world: World, tmp_path: Path, epoch: Any, text: Any, expected: datetime | None
) -> None:
    world.store(52).observation("결제 재시도", created_at_epoch=epoch, created_at=text)
    (hit,) = ask(world, tmp_path).hits
    found = hit.ranked.row.created
    assert (None if found is None else datetime.fromtimestamp(found, UTC)) == expected
    health = world.health()
    assert health.state is State.READY
    assert health.newest in (expected, None)


def test_a_date_that_is_still_to_come_is_no_advantage(world: World, tmp_path: Path) -> None:
    store = world.store(52)
    store.observation("결제 재시도 정책", narrative="하나", created_at_epoch=SECONDS * 1_000, created_at=None)
    store.observation("결제 재시도 정책", narrative="둘", created_at_epoch=4_000_000_000_000, created_at=None)
    for hit in ask(world, tmp_path).hits:
        for ranked in hit.ranked.members():
            assert (ranked.factors.age_days or 0.0) >= 0.0
            assert ranked.factors.age_factor <= 1.0
