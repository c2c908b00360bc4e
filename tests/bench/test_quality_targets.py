"""Search quality does not fall below what was promised, measured through the product's own code path.

The sets lie beside the repository; where they do not, these tests are skipped. A figure that falls is a reason
to look at the change that made it fall, never to lower the bound.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from recall.answer import Answer
from recall.engine import Engine
from support.worlds import REPOSITORY

BENCH = REPOSITORY / "../shared/bench"
pytestmark = pytest.mark.skipif(not BENCH.is_dir(), reason="the benchmark sets are not beside the repository")
FLOOR_MAY_COST = 0.01  # of R@5


@pytest.fixture(scope="module")
def quality() -> Iterator[Any]:
    """benchmarks/quality.py, as it is run by hand."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(REPOSITORY / "benchmarks"))
        yield importlib.import_module("quality")


def lines(name: str) -> list[dict[str, Any]]:
    text = (BENCH / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def notes_of(name: str) -> dict[str, str]:
    return {line["id"]: line["text"] for line in lines(f"{name}.docs")}


@pytest.fixture(scope="module", params=["ko_probe", "devmem"])
def measured(
    request: pytest.FixtureRequest, quality: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Any, Any]]:
    """A set's name, its figures without the floor, and those with it."""
    name: str = request.param
    engine: Engine = quality.engine_over(tmp_path_factory.mktemp(name), notes_of(name))
    floor, queries = engine.settings.query.floor, lines(f"{name}.queries")
    yield name, quality.measure(engine, queries, 0.0), quality.measure(engine, queries, floor)
    engine.close()


PROMISED = {"ko_probe": (0.93, 0.0), "devmem": (0.92, 0.87)}  # R@5, MRR


def test_recall_and_rank_are_as_promised(measured: tuple[str, Any, Any]) -> None:
    name, bare, _floored = measured
    recall_5, mrr = PROMISED[name]
    assert bare.recall_5 >= recall_5, bare
    assert bare.mrr >= mrr, bare
    assert bare.questions == len(lines(f"{name}.queries"))


def test_the_floor_costs_hardly_anything(measured: tuple[str, Any, Any]) -> None:
    _name, bare, floored = measured
    assert floored.recall_5 >= bare.recall_5 - FLOOR_MAY_COST, (bare, floored)


# -- near-duplicates ------------------------------------------------------------------------------------------

REWRITES = lines("duplicates") if BENCH.is_dir() else []


def language(text: str) -> str:
    """A note of this set is Korean if it has Hangul at all: its identifiers are English everywhere."""
    return "ko" if any("가" <= character <= "힣" for character in text) else "en"


@pytest.fixture(scope="module")
def answers(quality: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Answer]]:
    """By the id of the original: what is answered to its rewrite, over all originals and all rewrites."""
    notes = notes_of("ko_probe")
    rewrites = {f"rewrite-{line['a']}": line["text"] for line in REWRITES}
    engine: Engine = quality.engine_over(tmp_path_factory.mktemp("duplicates"), {**notes, **rewrites})
    yield {
        line["a"]: engine.recall(line["text"], limit=50, budget=1_000_000, deadline=60, read=False)
        for line in REWRITES
    }
    engine.close()


def groups(answer: Answer) -> Iterator[set[str]]:
    """The notes that stand together, by their ids."""
    for hit in answer.hits:
        yield {member.row.uri.rsplit("/", 1)[-1] for member in hit.ranked.members()}


SAME_LANGUAGE = [line["a"] for line in REWRITES if language(notes_of("ko_probe")[line["a"]]) == line["lang"]]


@pytest.mark.parametrize("original", SAME_LANGUAGE)
def test_a_rewrite_in_the_same_language_stands_with_its_original(
    answers: dict[str, Answer], original: str
) -> None:
    assert any({original, f"rewrite-{original}"} <= group for group in groups(answers[original]))


@pytest.mark.parametrize("original", [line["a"] for line in REWRITES])
def test_nothing_else_stands_with_a_rewrite(answers: dict[str, Answer], original: str) -> None:
    for group in groups(answers[original]):
        if f"rewrite-{original}" in group:
            assert group <= {original, f"rewrite-{original}"}


def test_there_are_rewrites_in_both_languages() -> None:
    assert len(SAME_LANGUAGE) >= 8
    assert {line["lang"] for line in REWRITES} == {"ko", "en"}
