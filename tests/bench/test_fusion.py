"""Memories that can only be asked for lose next to nothing against one index over all, if they are found at all."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.worlds import REPOSITORY

BENCH = REPOSITORY / "../shared/bench"
SHARE = 0.97  # of the single index's nDCG@10

# A small service and what its people wrote down; several notes speak of the same thing with other words.
NOTES = {
    "lights-plan": "# Greenhouse lights\n\nLamps of house 3 follow `LightPlan.hours()`: 16 in spring, 12 in winter.",
    "lights-fuse": "The fuse of the lamps in house 3 trips when all start at once: `stagger_lamps`.",
    "pump-dry": "The irrigation pump stops by itself when the tank is below 15 %. It restarts above 30 %.",
    "pump-name": "The pump controller answers as `pumpd` on port 7401; only the gateway may reach it.",
    "valve-order": "Valves open before the pump starts and close after it stops, else pipes burst.",
    "sensor-moisture": "Moisture sensors are read every 10 minutes. Three dry readings in a row start irrigation.",
    "sensor-drift": "Sensors drift by 2 % a month. `calibrate_sensor` is run on the first Monday.",
    "gateway-auth": "The gateway accepts tokens signed with Ed25519. Tokens live for 20 minutes.",
    "gateway-retry": "Requests to the gateway are retried four times with a doubling pause, never for POST.",
    "storage": "Readings go to TimescaleDB, kept for 400 days; older ones are averaged per hour.",
    "관수-일정": "# 관수 일정\n\n온실 3동은 새벽 5시에 물을 준다. 비가 온 날은 건너뛴다 (`skip_after_rain`).",
    "관수-누수": "누수가 의심되면 유량계 `flow_meter`의 야간 값을 본다. 분당 2리터가 넘으면 밸브를 잠근다.",
    "온도-경보": "온도가 35도를 넘으면 환기창을 열고 담당자에게 알림을 보낸다. 10분 동안 같은 알림은 한 번만 보낸다.",
    "배포-절차": "게이트웨이 배포는 화요일 오전에만 한다. 롤백은 `gateway rollback` 한 번이면 된다.",
    "백업": "측정값 백업은 매일 새벽 3시에 돌고 30일 동안 보관한다. 복구 연습은 분기마다 한다.",
}
QUESTIONS = {
    "How many hours are the lamps on in winter?": "lights-plan",
    "why does the lamp fuse trip": "lights-fuse",
    "when does the irrigation pump stop by itself": "pump-dry",
    "which port does pumpd listen on": "pump-name",
    "do valves open before the pump": "valve-order",
    "how often are moisture sensors read": "sensor-moisture",
    "calibrate_sensor": "sensor-drift",
    "how long do gateway tokens live": "gateway-auth",
    "are POST requests to the gateway retried": "gateway-retry",
    "how long are readings kept in TimescaleDB": "storage",
    "온실 3동 관수는 몇 시에 하나": "관수-일정",
    "누수가 의심될 때 보는 값": "관수-누수",
    "온도 경보 알림은 얼마나 자주 보내나": "온도-경보",
    "게이트웨이 롤백 방법": "배포-절차",
    "백업은 며칠 보관하나": "백업",
}


@pytest.fixture(scope="module")
def fusion() -> Iterator[Any]:
    """benchmarks/fusion.py, as it is run by hand."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(REPOSITORY / "benchmarks"))
        yield importlib.import_module("fusion")


def split(fusion: Any, folder: Path, notes: Any, questions: Any, searches: int, most: int) -> Any:
    alone, dealt = folder / "alone", folder / "dealt"
    alone.mkdir()
    dealt.mkdir()
    single = fusion.single_index(alone, notes, questions)
    return fusion.measure(dealt, notes, questions, single, searches, most, 0)


@pytest.mark.parametrize(("searches", "most"), [(1, 50), (3, 50), (3, 3)])
def test_a_small_set_over_files_and_searches_is_ranked_as_by_one_index(
    fusion: Any, tmp_path: Path, searches: int, most: int
) -> None:
    questions = [fusion.Question(text, frozenset([gold])) for text, gold in QUESTIONS.items()]
    found = split(fusion, tmp_path, NOTES, questions, searches, most)
    assert found.counted >= 0.8 * len(questions), found  # else next to nothing was compared
    assert found.single >= 0.9, found
    assert found.share >= SHARE, found


@pytest.mark.skipif(not BENCH.is_dir(), reason="the benchmark sets are not beside the repository")
def test_devmem_over_files_and_searches_reaches_what_was_promised(fusion: Any, tmp_path: Path) -> None:
    notes = {line["id"]: line["text"] for line in fusion.lines(BENCH / "devmem.docs.jsonl")}
    questions = fusion.read_questions(BENCH / "devmem.queries.jsonl")[::3]  # the benchmark asks them all
    found = split(fusion, tmp_path, notes, questions, 3, 50)
    assert found.counted >= 0.9 * len(questions), found
    assert found.share >= SHARE, found


def test_a_fusion_that_finds_nothing_in_its_searches_would_be_noticed(fusion: Any) -> None:
    assert fusion.ndcg(["other", "gold"], frozenset(["gold"])) < SHARE
    assert fusion.ndcg(["gold"], frozenset(["gold"])) == 1.0
    assert fusion.ndcg([], frozenset(["gold"])) == 0.0
