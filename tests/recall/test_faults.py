"""A failing disk: one bad file costs itself and is named, an index without room costs no answer."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from recall import places
from recall.api import Scope, State
from recall.engine import Engine
from recall.errors import IndexUnavailable
from recall.evidence.store import Store
from recall.index import IN_MEMORY, Index, Loaded, file
from recall.testing.fakes import Notes
from support.fuzz.kinds import KINDS
from support.worlds import make_engine, make_scope

QUESTION = "결제 재시도 retry postgres"
FILES = 6
# Which of the first files is a document of its own, and not what is said beside one.
DOCUMENT = {name: 2 if name == "antigravity" else 0 for name, kind in KINDS.items() if kind.spots}


def laid_out(name: str, folder: Path) -> tuple[Scope, list[Path]]:
    """A source's files as they should be, and where they lie."""
    scope = make_scope(folder, in_git=True)
    made = KINDS[name].fill(scope, Random(1), 0, FILES, lambda _random, looks: looks[0])
    return scope, made


def engine_of(name: str, scope: Scope, **rest: Any) -> Engine:
    return make_engine(scope.home.parent, [KINDS[name].provider()], scope=scope, **rest)


def held(engine: Engine, name: str) -> dict[str, str]:
    """Uri -> path of every memory in the index."""
    return {row.uri: row.path for row in engine.index.sample(name.split(":", 1)[0], 1_000)}


def fail(monkeypatch: pytest.MonkeyPatch, call: str, bad: Path) -> None:
    """Let a call of the system fail for one path."""
    real: Callable[..., Any] = getattr(os, call)

    def failing(path: Any, *arguments: Any, **named: Any) -> Any:
        if not isinstance(path, int) and os.fspath(path) == os.fspath(bad):
            raise OSError(errno.EIO, os.strerror(errno.EIO), os.fspath(bad))
        return real(path, *arguments, **named)

    monkeypatch.setattr(os, call, failing)


@pytest.mark.parametrize("call", ["open", "lstat"])
@pytest.mark.parametrize("name", DOCUMENT)
def test_a_file_on_a_failing_disk_is_named_and_all_others_are_read(
    name: str, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope, made = laid_out(name, tmp_path)
    bad = made[DOCUMENT[name]]
    with monkeypatch.context() as patch:
        fail(patch, call, bad)
        engine = engine_of(name, scope)
        (outcome,) = engine.recall(QUESTION, deadline=60).outcomes
        faulty = held(engine, name)
    assert outcome.state is State.DEGRADED
    assert any(
        "input/output error" in problem.reason and bad.stem in problem.where for problem in outcome.problems
    )
    (healed,) = engine.recall(QUESTION, deadline=60).outcomes
    assert healed.state is State.READY
    whole = held(engine, name)
    others = {uri: path for uri, path in whole.items() if path != os.fspath(bad)}
    assert others
    assert others.items() <= faulty.items()
    assert os.fspath(bad) in set(whole.values()) - set(faulty.values())
    engine.close()


@pytest.mark.parametrize("name", ["serena", "antigravity", "decisions", "transcripts: Codex"])
def test_a_folder_on_a_failing_disk_is_named_and_the_others_are_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope, made = laid_out(name, tmp_path)
    folders = sorted({path.parent for path in made})
    bad, *others = folders[::-1]
    assert others
    fail(monkeypatch, "scandir", bad)
    engine = engine_of(name, scope)
    (outcome,) = engine.recall(QUESTION, deadline=60).outcomes
    assert outcome.state is State.DEGRADED
    assert outcome.memories
    assert any("input/output error" in problem.reason for problem in outcome.problems)
    assert not [path for path in held(engine, name).values() if Path(path).parent == bad]
    engine.close()


def limited(monkeypatch: pytest.MonkeyPatch, pages: int) -> None:
    """Give an index file no more than so many pages: then the disk is full."""
    real = file.connected

    def connected(path: str, busy: int, prepare: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection:
        connection = real(path, busy, prepare)
        if path != IN_MEMORY:
            connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    monkeypatch.setattr(file, "connected", connected)


@pytest.mark.parametrize("pages", [30, 45, 60, 80])
def test_a_disk_that_is_full_costs_no_answer(
    tmp_path: Path, pages: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = {f"note {number}": f"결제 재시도 {number} " + "긴 글 " * 500 for number in range(30)}
    with monkeypatch.context() as patch:
        limited(patch, pages)
        engine = make_engine(tmp_path, [Notes(notes=notes)])
        found = engine.recall("결제 재시도 7", deadline=60)
        assert (len(found.hits) > 0, found.outcomes[0].memories) == (True, 30)
        (notice,) = found.notices
        assert "the index cannot be used: database or disk is full; it goes on in memory" in notice
        assert engine.recall("결제 재시도 8", deadline=60).notices == (notice,)
        engine.close()
    with_room = make_engine(tmp_path, [Notes(notes=notes)])
    again = with_room.recall("결제 재시도 7", deadline=60)
    assert again.notices == ()
    assert [hit.ranked.row.uri for hit in again.hits] == [hit.ranked.row.uri for hit in found.hits]
    with_room.close()


def test_what_was_written_before_the_disk_was_full_goes_on_in_memory_and_stays_whole_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = os.fspath(tmp_path / "index.db")
    with monkeypatch.context() as patch:
        limited(patch, 40)
        index = Index(path)
        stored = store_until_full(index)
        assert index.stamps("notes").keys() == stored
        assert (index.remade, index.path) == (1, IN_MEMORY)
        index.store("notes", [Loaded("more", "1", ())])
        index.forget("notes", stored)
        assert index.stamps("notes").keys() == {"more"}
        index.close()
    again = Index(path)
    assert again.rebuilt == ""
    assert again.stamps("notes").keys() == stored
    again.close()


def store_until_full(index: Index) -> set[str]:
    stored: set[str] = set()
    try:
        for number in range(1_000):
            index.store("notes", [Loaded(key := f"{number}" + "x" * 500, "1", ())])
            stored.add(key)
    except IndexUnavailable:
        return stored
    raise AssertionError("the disk has no end")


def test_a_lock_of_another_process_is_waited_for_and_no_reason_to_leave_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "_BUSY_MILLISECONDS", 0)
    path = os.fspath(tmp_path / "index.db")
    index = Index(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(IndexUnavailable, match="another process was writing"):
        index.store("notes", [Loaded("one", "1", ())])
    other.execute("ROLLBACK")
    other.close()
    index.store("notes", [Loaded("one", "1", ())])
    assert (index.path, index.remade, index.lost) == (path, 0, "")
    index.close()


def test_a_change_of_the_evidences_cache_that_fails_is_undone(tmp_path: Path) -> None:
    store = Store(os.fspath(tmp_path / "evidence.db"))
    pages = store.one("PRAGMA page_count")
    store.run(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(sqlite3.OperationalError, match="full"), store:
        store.many("INSERT INTO fact VALUES (?, ?)", [(f"{number}", "x" * 500) for number in range(100)])
    with store:
        store.keep("one", "1")
    assert store.rows("SELECT key FROM fact") == [("one",)]
    store.close()


@pytest.mark.parametrize("call", ["replace", "open"])
def test_a_private_file_that_cannot_be_written_leaves_the_old_one_and_no_rest(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "folder" / "state.json"
    places.write_private(path, b"old")

    def full(*_arguments: object, **_named: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, call, full)
    with pytest.raises(OSError, match="No space left"):
        places.write_private(path, b"new")
    monkeypatch.undo()
    assert [(one.name, one.read_bytes()) for one in path.parent.iterdir()] == [("state.json", b"old")]
