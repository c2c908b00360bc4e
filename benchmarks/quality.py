"""Search quality through the product's own code path: files on disk, the markdown provider, Engine.recall.

    python benchmarks/quality.py [FOLDER]

FOLDER holds `<name>.docs.jsonl` ({"id", "text"} a line) and `<name>.queries.jsonl` ({"query", "gold": [ids]} a
line), as many pairs as there are; default: `benchmarks/data`. Prints R@1, R@5, MRR with and without the
relevance floor; where there is a `<name>.offtopic.jsonl` ({"query"} a line, questions that no note answers), also
how many of those got "nothing found". Prints figures and never fails.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recall.answer import Answer
from recall.engine import Engine

_UNLIMITED = 1_000_000  # tokens: the budget must not decide here
_FIRST = 5


@dataclass(frozen=True, slots=True)
class Figures:
    """Averages over the questions of one set."""

    questions: int
    recall_1: float
    recall_5: float
    mrr: float
    empty: int  # questions that got no answer at all, though there is one


def main(arguments: list[str]) -> None:
    """Measure every set in the folder."""
    folder = Path(arguments[0] if arguments else Path(__file__).parent / "data")
    print(
        f"{'set':<14} {'floor':>6} {'questions':>9} {'R@1':>6} {'R@5':>6} {'MRR':>6} {'empty':>6} {'off-topic':>10}"
    )
    for docs in sorted(folder.glob("*.docs.jsonl")):
        name = docs.name.removesuffix(".docs.jsonl")
        queries = list(_lines(folder / f"{name}.queries.jsonl"))
        others = folder / f"{name}.offtopic.jsonl"
        offtopic = list(_lines(others)) if others.exists() else []
        with tempfile.TemporaryDirectory(prefix="recall-quality-") as temporary:
            engine = engine_over(Path(temporary), {line["id"]: line["text"] for line in _lines(docs)})
            default = engine.settings.query.floor
            for floor in (0.0, default):
                found = measure(engine, queries, floor)
                refused = f"{nothing_found(engine, offtopic, floor)}/{len(offtopic)}" if offtopic else ""
                print(
                    f"{name:<14} {floor:>6.2f} {found.questions:>9} {found.recall_1:>6.3f} "
                    f"{found.recall_5:>6.3f} {found.mrr:>6.3f} {found.empty:>6} {refused:>10}".rstrip()
                )
            engine.close()


def engine_over(folder: Path, notes: Mapping[str, str]) -> Engine:
    """An engine whose only memories are these notes, written as markdown files."""
    home, project, corpus = folder / "home", folder / "project", folder / "project" / "notes"
    home.mkdir()
    corpus.mkdir(parents=True)
    for identity, text in notes.items():
        (corpus / f"{identity}.md").write_text(text, encoding="utf-8")
        os.utime(corpus / f"{identity}.md", (1_700_000_000, 1_700_000_000))
    (folder / "config.toml").write_text(
        '[[providers.markdown.folders]]\nname = "bench"\npath = "notes"\n', encoding="utf-8"
    )
    env = {
        "RECALL_CONFIG": str(folder / "config.toml"),
        "RECALL_CACHE_DIR": str(folder / "cache"),
        "RECALL_STATE_DIR": str(folder / "state"),
    }
    engine = Engine.start(project, home=home, env=env)
    engine.recall("the first question reads all notes", deadline=600)
    return engine


def measure(engine: Engine, queries: list[dict[str, Any]], floor: float) -> Figures:
    """Ask every question and average."""
    first, five, reciprocal, empty = 0.0, 0.0, 0.0, 0
    for line in queries:
        ranked = list(_identities(_ask(engine, line["query"], floor)))
        gold = set(line["gold"])
        first += len(gold & set(ranked[:1])) / len(gold)
        five += len(gold & set(ranked[:_FIRST])) / len(gold)
        places = [place for place, identity in enumerate(ranked, 1) if identity in gold]
        reciprocal += 1 / places[0] if places else 0.0
        empty += not ranked
    count = len(queries)
    return Figures(count, first / count, five / count, reciprocal / count, empty)


def nothing_found(engine: Engine, queries: list[dict[str, Any]], floor: float) -> int:
    """How many of the questions got no answer."""
    return sum(not _ask(engine, line["query"], floor).hits for line in queries)


def _ask(engine: Engine, question: str, floor: float) -> Answer:
    engine.settings = replace(engine.settings, query=replace(engine.settings.query, floor=floor))
    return engine.recall(question, limit=20, budget=_UNLIMITED, deadline=60, read=False)


def _identities(answer: Answer) -> Iterator[str]:
    """Ids of the notes in the order a reader meets them."""
    for hit in answer.hits:
        for member in hit.ranked.members():
            yield member.row.uri.rsplit("/", 1)[-1]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


if __name__ == "__main__":
    main(sys.argv[1:])
