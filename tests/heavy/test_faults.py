"""Errors and delays of the disk, put into real processes: one bad file costs itself, a full disk costs no answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from recall.demo import sample
from support import crowded, strace
from support.crowded import Crowded, damage
from support.worlds import snapshot

pytestmark = pytest.mark.heavy

_NOW = 1_780_000_000.0
READING = (
    "openat:error=EIO",
    "openat:error=EACCES",
    "read:error=EIO",
    "newfstatat,statx,lstat,stat:error=EIO",
)
LISTING = ("getdents64:error=EIO", "openat:error=EIO", "openat:error=EMFILE")
WRITING = (
    "pwrite64:error=ENOSPC:when={n}+",
    "pwrite64:error=EIO:when={n}",
    "pwrite64:error=EIO:when={n}+",
    "fdatasync,fsync:error=EIO:when={n}+",
    "ftruncate,fallocate:error=ENOSPC:when={n}+",
    "pread64:error=EIO:when={n}+",
)


@pytest.fixture
def world(tmp_path: Path) -> Crowded:
    strace.require()
    made = sample.build(tmp_path, _NOW)
    return Crowded(made.home, made.project, tmp_path / "cache")


def asked(world: Crowded, before: Sequence[str], *more: str) -> dict[str, Any]:
    """The answer's document of a process with faults: it always gives one, and no traceback."""
    process = world.start("query", sample.QUESTION, "--json", *(more or ("--deadline", "60")), before=before)
    out, err = process.communicate(timeout=300)
    assert "Traceback" not in err
    assert out, err
    document: dict[str, Any] = json.loads(out)
    return document


def sources(document: dict[str, Any]) -> set[str]:
    beside = ("also_in", "disagrees", "similar")
    memories = [
        *document["memories"],
        *(one for hit in document["memories"] for key in beside for one in hit[key]),
    ]
    return {memory["source"] for memory in memories}


def state_of(document: dict[str, Any], name: str) -> str:
    return str({one["provider"]: one["state"] for one in document["outcomes"]}[name])


@pytest.mark.parametrize("fault", READING)
def test_one_file_that_cannot_be_read_is_named_and_its_folder_answers(world: Crowded, fault: str) -> None:
    bad = world.project / ".serena" / "memories" / "core.md"
    before = snapshot(world.home, world.project)
    found = asked(world, strace.injecting(f"inject={fault}", paths=[bad]))
    assert sources(found) == {"serena", "markdown", "antigravity"}
    assert state_of(found, "serena") == "degraded"
    assert "core" in json.dumps([one for one in found["outcomes"] if one["provider"] == "serena"])
    whole = world.ask(sample.QUESTION)
    assert state_of(whole, "serena") == "ready"
    assert snapshot(world.home, world.project) == before


@pytest.mark.parametrize("fault", LISTING)
def test_a_folder_that_cannot_be_listed_hides_no_other(world: Crowded, fault: str) -> None:
    bad = world.project / ".serena" / "memories" / "배포"
    found = asked(world, strace.injecting(f"inject={fault}", paths=[bad]))
    assert sources(found) == {"serena", "markdown", "antigravity"}
    assert state_of(found, "serena") == "degraded"


@pytest.mark.parametrize(
    "fault", ["pread64:error=EIO", "read:error=EIO", "openat:error=EIO", "fcntl:error=EIO"]
)
def test_a_database_on_a_failing_disk_costs_itself_only(world: Crowded, fault: str) -> None:
    bad = world.home / ".claude-mem" / "claude-mem.db"
    found = asked(world, strace.injecting(f"inject={fault}", paths=[bad]))
    assert sources(found) == {"serena", "markdown", "antigravity"}
    assert state_of(found, "claude-mem") in ("broken", "empty", "busy")


def test_a_slow_file_costs_its_own_source_at_most(world: Crowded) -> None:
    bad = world.project / ".serena" / "memories" / "core.md"
    found = asked(world, strace.injecting("inject=read:delay_enter=20s", paths=[bad]), "--deadline", "5")
    assert {"markdown", "antigravity"} <= sources(found)
    assert state_of(found, "serena") == "busy"


@pytest.mark.parametrize("fault", WRITING)
@pytest.mark.parametrize("number", [1, 2, 5, 12, 30])
def test_an_index_that_cannot_be_written_costs_no_answer_and_is_whole_later(
    world: Crowded, fault: str, number: int
) -> None:
    asked(world, ())
    (index,) = world.indexes()
    if number % 2:
        for name in world.cache.rglob("*.db*"):
            name.unlink()
    paths = [f"{index}{suffix}" for suffix in ("", "-wal", "-shm")]
    faulty = asked(world, strace.injecting(f"inject={fault.format(n=number)}", paths=paths))
    assert sources(faulty) == {"serena", "markdown", "antigravity"}
    assert sources(world.ask(sample.QUESTION)) == {"serena", "markdown", "antigravity"}
    assert damage(index) == []


@pytest.mark.parametrize(
    "call", ["rename,renameat,renameat2:error=EIO", "openat:error=ENOSPC", "mkdir,mkdirat:error=ENOSPC"]
)
def test_settings_that_cannot_be_kept_cost_no_answer_and_leave_no_rest(world: Crowded, call: str) -> None:
    (world.project / ".recall.toml").write_text("[query]\nlimit = 5\n", encoding="utf-8")
    kept = world.cache / "settings"
    kept.mkdir(parents=True)
    found = asked(world, strace.injecting(f"inject={call}", paths=[kept]))
    assert sources(found) == {"serena", "markdown", "antigravity"}
    assert list(kept.glob("*.tmp")) == []


def test_the_crowd_is_indexed_whole_once_there_is_room_again(tmp_path: Path) -> None:
    strace.require()
    world = crowded.build(tmp_path, _NOW)
    expected = crowded.told(world.ask())
    (index,) = world.indexes()
    for name in world.cache.rglob("*.db*"):
        name.unlink()
    full = strace.injecting("inject=pwrite64:error=ENOSPC:when=20+", paths=[index, f"{index}-wal"])
    assert crowded.told(asked(world, full))[:3] == expected[:3]
    assert crowded.told(world.ask()) == expected
    assert damage(index) == []
