"""A few damaged files of each source; `tests/heavy/run` has ten thousand."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fuzz import direct
from support.fuzz.kinds import KINDS
from support.fuzz.run import run
from support.repositories import needs_git

FILES = 30
SEED = 7


@pytest.mark.parametrize(
    "kind",
    [pytest.param(name, marks=needs_git) if "git" in name else name for name in (*KINDS, *direct.KINDS)],
)
def test_damaged_files_of_a_source_cost_no_answer(kind: str, tmp_path: Path) -> None:
    figures = run(kind, FILES, SEED, tmp_path)
    assert figures.crashes == []
    assert figures.files == FILES
