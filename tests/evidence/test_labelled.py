"""Memories of real histories, each with the verdict it should get."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from evidence import atlas, ferry, harbor, jetty, ledger, moorings, orchard, relay, shop
from evidence.labelled import Labelled
from evidence.repository import day
from evidence.rows import checker_for, row
from recall.api import Deadline
from recall.engine import Engine
from recall.evidence.result import Evidence, Verdict
from support.worlds import snapshot


class Judged(NamedTuple):
    """A labelled set with what was found."""

    pairs: list[tuple[Labelled, Evidence]]
    untouched: bool  # whether the repository is as it was, byte for byte and with its dates

    def wrong(self) -> list[tuple[Labelled, Evidence]]:
        return [pair for pair in self.pairs if not pair[0].right(pair[1].verdict)]


HISTORIES = (shop, atlas, ledger, relay, harbor, moorings, jetty, ferry, orchard)
SETS = {one.__name__.rpartition(".")[2]: one for one in HISTORIES}


@pytest.fixture(scope="module", params=SETS.values(), ids=SETS.keys())
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
    assert len(judged.pairs) >= 40
    assert {one.verdict for one, _evidence in judged.pairs} == set(Verdict) - {Verdict.NOT_CHECKED}
    assert sum(any("가" <= letter <= "힣" for letter in one.text) for one, _evidence in judged.pairs) >= 9


def test_at_least_95_percent_of_the_verdicts_are_right(judged: Judged) -> None:
    wrong = judged.wrong()
    assert len(wrong) <= 0.05 * len(judged.pairs), "\n".join(map(str, wrong))


def test_no_memory_that_is_true_or_asserts_nothing_is_called_contradicted(judged: Judged) -> None:
    assert not [pair for pair in judged.wrong() if pair[1].contradicted]


def test_whatever_is_contradicted_names_a_reason_and_a_command(judged: Judged) -> None:
    for _one, evidence in judged.pairs:
        if evidence.contradicted:
            assert evidence.findings[0].reason
            assert evidence.findings[0].command.startswith("git ")


def test_checking_leaves_the_repository_as_it_was(judged: Judged) -> None:
    assert judged.untouched


def test_the_sets_hold_at_least_60_memories_in_total(tmp_path: Path) -> None:
    sizes = {name: len(one.memories(one.build(tmp_path / name))) for name, one in SETS.items()}
    assert sum(sizes.values()) >= 60, sizes


@pytest.mark.parametrize("name", ["relay", "ledger"])
def test_a_whole_recall_gives_the_same_verdicts(tmp_path: Path, name: str) -> None:
    """Memories as files of a source, read, indexed, found by a question, and checked with the dates that files have."""
    labelled = SETS[name].memories(SETS[name].build(tmp_path / "project"))
    # A file's date may be that of a copy: what was gone before it proves nothing, so those memories differ.
    chosen = [one for one in labelled if one.day is not None and one.verdict is not Verdict.UNVERIFIABLE]
    memories = tmp_path / "project/.serena/memories"
    memories.mkdir(parents=True)
    for number, one in enumerate(chosen):
        path = memories / f"zq{number:03}.md"
        path.write_text(f"{one.text}\n", encoding="utf-8")
        os.utime(path, (day(one.day or 0), day(one.day or 0)))
    (tmp_path / "home").mkdir()
    env = {"PATH": os.environ.get("PATH", ""), "HOME": str(tmp_path / "home"), "LANG": "C.UTF-8"}
    engine = Engine.start(
        tmp_path / "project",
        home=tmp_path / "home",
        env={**env, "RECALL_CACHE_DIR": str(tmp_path / "cache"), "RECALL_STATE_DIR": str(tmp_path / "state")},
        flags={"evidence": {"max_seconds": 30}},
    )
    found: dict[str, Evidence | None] = {}
    for number in range(len(chosen)):
        answer = engine.recall(f"zq{number:03}", deadline=60)
        members = [member for hit in answer.hits for member in hit.ranked.members()]
        found |= {member.row.uri.rpartition("/")[2]: member.evidence for member in members}
    engine.close()
    told = [(one, found.get(f"zq{number:03}")) for number, one in enumerate(chosen)]
    assert len(told) >= 30
    assert all(evidence is not None for _one, evidence in told)
    wrong = [(one, evidence) for one, evidence in told if evidence and not one.right(evidence.verdict)]
    assert len(wrong) <= 0.05 * len(told), "\n".join(map(str, wrong))
    assert not [one for one, evidence in wrong if one.verdict is Verdict.CURRENT and evidence.contradicted]
