"""Memories of a real history, each with the verdict it should get."""

from __future__ import annotations

import pytest

from evidence import shop
from evidence.rows import checker_for, row
from recall.api import Deadline
from recall.evidence.result import Evidence, Verdict


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[shop.Labelled, Evidence]]:
    folder = tmp_path_factory.mktemp("labelled")
    labelled = shop.memories(built := shop.build(folder / "shop"))
    checker = checker_for(folder, built.repository.top)
    rows = [row(str(number), one.text, one.day, one.origin) for number, one in enumerate(labelled)]
    found = checker.check(rows, Deadline.after(60))
    checker.close()
    return [(one, found[r.uri]) for one, r in zip(labelled, rows, strict=True)]


def test_the_set_is_large_and_has_every_verdict_and_korean(
    judged: list[tuple[shop.Labelled, Evidence]],
) -> None:
    assert len(judged) >= 60
    assert {one.verdict for one, _evidence in judged} == set(Verdict) - {Verdict.NOT_CHECKED}
    assert sum(any("가" <= letter <= "힣" for letter in one.text) for one, _evidence in judged) >= 12


def test_at_least_95_percent_of_the_verdicts_are_right(judged: list[tuple[shop.Labelled, Evidence]]) -> None:
    wrong = [(one, evidence) for one, evidence in judged if evidence.verdict is not one.verdict]
    assert len(wrong) <= 0.05 * len(judged), "\n".join(map(str, wrong))


def test_no_current_memory_is_called_contradicted(judged: list[tuple[shop.Labelled, Evidence]]) -> None:
    assert not [
        (one, evidence)
        for one, evidence in judged
        if one.verdict is Verdict.CURRENT and evidence.verdict is Verdict.CONTRADICTED
    ]
