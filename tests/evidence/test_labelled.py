"""Memories of three real histories, each with the verdict it should get."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from evidence import atlas, ledger, shop
from evidence.rows import checker_for, row
from recall.api import Deadline
from recall.evidence.result import Evidence, Verdict
from support.worlds import snapshot


class Judged(NamedTuple):
    """A labelled set with what was found."""

    pairs: list[tuple[shop.Labelled, Evidence]]
    untouched: bool  # whether the repository is as it was, byte for byte and with its dates

    def wrong(self) -> list[tuple[shop.Labelled, Evidence]]:
        return [pair for pair in self.pairs if pair[0].verdict is not pair[1].verdict]


@pytest.fixture(scope="module", params=[shop, atlas, ledger], ids=["shop", "atlas", "ledger"])
def judged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    folder = tmp_path_factory.mktemp("labelled")
    labelled = request.param.memories(request.param.build(folder / "project"))
    before = snapshot(folder / "project")
    checker = checker_for(folder, folder / "project")
    rows = [row(str(number), one.text, one.day, one.origin) for number, one in enumerate(labelled)]
    found = checker.check(rows, Deadline.after(60))
    checker.close()
    pairs = [(one, found[its.uri]) for one, its in zip(labelled, rows, strict=True)]
    return Judged(pairs, before == snapshot(folder / "project"))


def test_the_set_is_large_and_has_every_verdict_and_korean(judged: Judged) -> None:
    assert len(judged.pairs) >= 55
    assert {one.verdict for one, _evidence in judged.pairs} == set(Verdict) - {Verdict.NOT_CHECKED}
    assert sum(any("가" <= letter <= "힣" for letter in one.text) for one, _evidence in judged.pairs) >= 9


def test_at_least_95_percent_of_the_verdicts_are_right(judged: Judged) -> None:
    wrong = judged.wrong()
    assert len(wrong) <= 0.05 * len(judged.pairs), "\n".join(map(str, wrong))


def test_no_current_memory_is_called_contradicted(judged: Judged) -> None:
    wrong = judged.wrong()
    assert not [pair for pair in wrong if pair[0].verdict is Verdict.CURRENT and pair[1].contradicted]


def test_whatever_is_contradicted_names_a_reason_and_a_command(judged: Judged) -> None:
    for _one, evidence in judged.pairs:
        if evidence.contradicted:
            assert evidence.findings[0].reason
            assert evidence.findings[0].command.startswith("git ")


def test_checking_leaves_the_repository_as_it_was(judged: Judged) -> None:
    assert judged.untouched
