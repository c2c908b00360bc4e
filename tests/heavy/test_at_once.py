"""Ten questions and two builds of the index at once, round after round: nobody meets a lock, nobody answers wrong."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from support import crowded
from support.crowded import QUESTIONS, damage, told
from support.worlds import snapshot

pytestmark = pytest.mark.heavy

ROUNDS = int(os.environ.get("ROUNDS", "8"))
_NOW = 1_780_000_000.0


def test_ten_questions_and_two_builds_at_once_answer_as_one_alone_does(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    world = crowded.build(tmp_path, _NOW)
    expected = [told(world.ask(question)) for question in QUESTIONS]
    before = snapshot(world.home, world.project)
    for number in range(ROUNDS):
        if number % 2 == 0:
            shutil.rmtree(world.cache)  # all of them make the index
        asked = [place % len(QUESTIONS) for place in range(10)]
        running = [world.start("query", QUESTIONS[one], "--json", "--deadline", "120") for one in asked]
        building = [world.start("index", "--rebuild", "--json") for _ in range(2)]
        for one, process in [*zip(asked, running, strict=True), *((-1, build) for build in building)]:
            out, err = process.communicate(timeout=600)
            assert (process.returncode, err) == (0, ""), (number, out[-2_000:], err[-2_000:])
            document = json.loads(out)
            assert document["notices"] == [], number
            assert "lock" not in out.lower()
            assert one < 0 or told(document) == expected[one], number
        assert [damage(index) for index in world.indexes()] == [[]]
    assert snapshot(world.home, world.project) == before
    record_property(
        "figures",
        f"{ROUNDS} rounds of ten questions and two builds at once: {ROUNDS * 12} processes, no lock, no wrong answer",
    )
