"""The right version leads where sources disagree, and authority costs next to nothing where it says nothing."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.repositories import needs_git
from support.worlds import REPOSITORY

OWN = REPOSITORY / "benchmarks/data"
BENCH = REPOSITORY / "../shared/bench"
LEADS = 97  # of 100 conflicts
BEFORE_ALL = 90  # of 100: the same facts of other services stand beside each
MAY_COST = 0.005  # of nDCG@10


@pytest.fixture(scope="module")
def conflicts() -> Iterator[Any]:
    """benchmarks/conflicts.py, as it is run by hand."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(REPOSITORY / "benchmarks"))
        yield importlib.import_module("conflicts")


@needs_git
def test_the_most_authoritative_and_newest_version_leads(conflicts: Any, tmp_path: Path) -> None:
    groups = conflicts.conflicts()
    assert len(groups) == 100
    led = conflicts.leading(tmp_path, groups)
    assert led.among_versions >= LEADS
    assert led.of_all >= BEFORE_ALL


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


@pytest.mark.parametrize(("folder", "name"), [(OWN, "notes"), (BENCH, "devmem"), (BENCH, "ko_probe")])
def test_authority_drawn_by_lot_costs_next_to_nothing(
    conflicts: Any, folder: Path, name: str, tmp_path: Path
) -> None:
    if not folder.is_dir():
        pytest.skip("the benchmark sets are not beside the repository")
    texts = {line["id"]: line["text"] for line in lines(folder / f"{name}.docs.jsonl")}
    equal, drawn = conflicts.by_lot(tmp_path, texts, lines(folder / f"{name}.queries.jsonl"))
    assert drawn >= equal * (1 - MAY_COST)
