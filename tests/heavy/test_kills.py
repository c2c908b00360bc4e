"""Killed at a random moment while it writes the index: the next answer is right, and the index mends itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from support import crowded, strace
from support.crowded import QUESTIONS, Crowded, damage, told
from support.worlds import snapshot

pytestmark = pytest.mark.heavy

KILLS = int(os.environ.get("KILLS", "200"))
SEED = int(os.environ.get("KILLS_SEED", "20260528"))
INDEX = ("index", "--rebuild", "--json")
_NOW = 1_780_000_000.0
_MOST_WRITES = 4_000


class Killer:
    """Ends a recall in the middle: after a random time, or at a random write where strace is there."""

    def __init__(self, world: Crowded, random: Random) -> None:
        self._world, self._random = world, random
        shutil.rmtree(world.cache, ignore_errors=True)
        began = time.monotonic()
        world.start(*INDEX).communicate()
        self._seconds = time.monotonic() - began
        self._by_write = not strace.unusable()
        self._writes = self._count() if self._by_write else 0

    def kill(self, *arguments: str) -> str:
        """Start it and kill it; how far it came."""
        if self._by_write and self._random.randrange(2):
            place = self._random.randint(1, self._writes)
            fault = f"inject=pwrite64:signal=SIGKILL:when={place}"
            process = self._world.start(*arguments, before=strace.injecting("trace=pwrite64", fault))
            process.communicate()
        else:
            process = self._world.start(*arguments)
            try:
                process.communicate(timeout=self._random.uniform(0.1, 0.9) * self._seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
        if process.returncode >= 0:
            return "ended before it was killed"
        return "killed while it wrote" if self._world.indexes() else "killed before it wrote"

    def _count(self) -> int:
        """How many writes an index takes: at the first one that is too many, it is not killed any more."""
        least, most = 1, _MOST_WRITES
        while least < most:
            place = (least + most) // 2
            shutil.rmtree(self._world.cache, ignore_errors=True)
            fault = f"inject=pwrite64:signal=SIGKILL:when={place}"
            process = self._world.start(*INDEX, before=strace.injecting("trace=pwrite64", fault))
            process.communicate()
            least, most = (least, place) if process.returncode >= 0 else (place + 1, most)
        return least


def test_after_a_kill_at_any_moment_the_next_answer_is_that_of_a_new_index(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    world, random = crowded.build(tmp_path, _NOW), Random(SEED)
    expected = [told(world.ask(question)) for question in QUESTIONS]
    before = snapshot(world.home, world.project)
    killer = Killer(world, random)
    ends: dict[str, int] = {}
    remade = 0
    for number in range(KILLS):
        asked = number % len(QUESTIONS)
        work: tuple[str, ...] = INDEX  # over an index that is there, or, half of the time, one that is not
        if random.randrange(2):
            shutil.rmtree(world.cache, ignore_errors=True)
            work = random.choice((INDEX, ("query", QUESTIONS[asked], "--deadline", "120")))
        end = killer.kill(*work)
        ends[end] = ends.get(end, 0) + 1
        found = world.ask(QUESTIONS[asked])
        assert told(found) == expected[asked], f"seed {SEED}, kill {number}, {end}"
        assert [damage(index) for index in world.indexes()] == [[]], f"seed {SEED}, kill {number}, {end}"
        remade += any("made anew" in notice for notice in found["notices"])
    assert snapshot(world.home, world.project) == before
    assert ends["killed while it wrote"] > KILLS / 4
    counts = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
    record_property(
        "figures", f"{KILLS} kills, seed {SEED}: {counts}; {remade} indexes made anew, 0 wrong answers"
    )
