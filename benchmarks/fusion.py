"""What is lost where some memories can be read and the others only be asked for.

    python benchmarks/fusion.py [FOLDER]

The notes of every set in FOLDER (as for `quality.py`; default: `benchmarks/data`) are dealt out over files and one,
two or three searches over HTTP, by several lots. The searches match any of the words they are sent, as a plain
database would, and answer in no order that tells anything: with all that matches, or with the few that match most
words. Each question is asked of an index that holds the files and what this one question brought, and nothing of
the questions before. Questions whose answers are not among the candidates are not counted, since no scoring could
find them. Prints nDCG@10 of one index over all notes, of the split ones, and the share; and never fails.
"""

from __future__ import annotations

import json
import math
import os
import random
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from quality import _identities as identities
from quality import _lines as lines
from recall.engine import Engine

ASKED = 0.97  # of the single index
SEARCHES = (1, 2, 3)
MOST = (50, 5)  # results that a search gives: as many as are asked for, and a stingy one
LOTS = 2
_FIRST = 10
_UNLIMITED = 1_000_000  # tokens: the budget must not decide here
_TIME = 1_700_000_000  # of all files


class Question(NamedTuple):
    """A question and the notes that answer it."""

    text: str
    gold: frozenset[str]


class Split(NamedTuple):
    """What came of one way to deal out a set."""

    single: float  # nDCG@10 of one index, over the questions that count
    fused: float
    counted: int
    questions: int

    @property
    def share(self) -> float:
        """Of the single index."""
        return self.fused / self.single if self.single else 1.0


def main(arguments: list[str]) -> None:
    """Measure every set in the folder."""
    folder = Path(arguments[0] if arguments else Path(__file__).parent / "data")
    print(
        f"asked: a share of at least {ASKED:.0%} of the single index's nDCG@{_FIRST}, with the default floor"
    )
    print(
        f"{'set':<10} {'searches':>8} {'results':>7} {'lot':>3} {'counted':>9} {'single':>7} {'fused':>7} share"
    )
    for docs in sorted(folder.glob("*.docs.jsonl")):
        name = docs.name.removesuffix(".docs.jsonl")
        notes = {line["id"]: line["text"] for line in lines(docs)}
        questions = read_questions(folder / f"{name}.queries.jsonl")
        with tempfile.TemporaryDirectory(prefix="recall-fusion-") as temporary:
            single = single_index(Path(temporary), notes, questions)
        for searches in SEARCHES:
            for most in MOST:
                for lot in range(LOTS):
                    with tempfile.TemporaryDirectory(prefix="recall-fusion-") as temporary:
                        found = measure(Path(temporary), notes, questions, single, searches, most, lot)
                    counted = f"{found.counted}/{found.questions}"
                    print(
                        f"{name:<10} {searches:>8} {most:>7} {lot:>3} {counted:>9} {found.single:>7.4f} "
                        f"{found.fused:>7.4f} {found.share:.1%}"
                    )


def read_questions(path: Path) -> list[Question]:
    """The questions of a set."""
    return [Question(line["query"], frozenset(line["gold"])) for line in lines(path)]


def single_index(folder: Path, notes: Mapping[str, str], questions: Sequence[Question]) -> list[float]:
    """nDCG@10 of each question where all notes are files."""
    engine = _engine(folder, notes, ())
    found = [ndcg(_answer(engine, question.text), question.gold) for question in questions]
    engine.close()
    return found


def measure(
    folder: Path,
    notes: Mapping[str, str],
    questions: Sequence[Question],
    single: Sequence[float],
    searches: int,
    most: int,
    lot: int,
) -> Split:
    """Deal the notes out and ask every question."""
    parts = _dealt(notes, searches + 1, lot)
    with ExitStack() as stack:
        servers = [stack.enter_context(searching(part, most)) for part in parts[1:]]
        engine = _engine(folder, parts[0], [server.url for server in servers])
        fused, whole = [], []
        for question, alone in zip(questions, single, strict=True):
            _forget(engine)
            ranked = _answer(engine, question.text)
            candidates = {name for server in servers for name in server.given}
            if question.gold <= candidates | parts[0].keys():
                fused.append(ndcg(ranked, question.gold))
                whole.append(alone)
        engine.close()
    return Split(_mean(whole), _mean(fused), len(fused), len(questions))


def ndcg(ranked: Sequence[str], gold: frozenset[str]) -> float:
    """nDCG@10 where every answer counts the same."""
    gain = sum(1 / math.log2(place + 2) for place, name in enumerate(ranked[:_FIRST]) if name in gold)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(len(gold), _FIRST)))


class Search:
    """A search over notes: any of the words will do, as a part of the text."""

    def __init__(self, notes: Mapping[str, str], most: int) -> None:
        self._notes = {name: text.casefold() for name, text in notes.items()}
        self._texts = notes
        self._most = most
        self.given: list[str] = []  # ids of the latest answer
        self.url = ""

    def answer(self, terms: str) -> list[dict[str, str]]:
        """Results, of which the order tells nothing."""
        words = terms.casefold().split()
        matched = {name: sum(word in text for word in words) for name, text in self._notes.items()}
        best = sorted((name for name in matched if matched[name]), key=lambda name: (-matched[name], name))
        self.given = sorted(best[: self._most])
        return [{"id": name, "text": self._texts[name]} for name in self.given]


@contextmanager
def searching(notes: Mapping[str, str], most: int) -> Iterator[Search]:
    """A search over HTTP on a free port of this machine."""
    search = Search(notes, most)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            terms = parse_qs(urlsplit(self.path).query)["q"][0]
            body = json.dumps({"results": search.answer(terms)}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        search.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield search
        server.shutdown()


def _dealt(notes: Mapping[str, str], parts: int, lot: int) -> list[dict[str, str]]:
    names = sorted(notes)
    random.Random(lot).shuffle(names)
    return [{name: notes[name] for name in names[part::parts]} for part in range(parts)]


def _engine(folder: Path, files: Mapping[str, str], urls: Sequence[str]) -> Engine:
    """An engine over these files and searches, all equally believed: what is measured is the scale."""
    home, project, corpus = folder / "home", folder / "project", folder / "project" / "notes"
    home.mkdir()
    corpus.mkdir(parents=True)
    for name, text in files.items():
        (corpus / f"{name}.md").write_text(text, encoding="utf-8")
        os.utime(corpus / f"{name}.md", (_TIME, _TIME))
    settings = '[[providers.markdown.folders]]\nname = "bench"\npath = "notes"\n'
    for number, url in enumerate(urls):
        settings += (
            f"[providers.http.part{number}]\n"
            f'authority = "curated"\nurl = "{url}/?q={{terms}}"\nresults = "results[*]"\n'
        )
    (folder / "config.toml").write_text(settings, encoding="utf-8")
    env = {
        "RECALL_CONFIG": str(folder / "config.toml"),
        "RECALL_CACHE_DIR": str(folder / "cache"),
        "RECALL_STATE_DIR": str(folder / "state"),
    }
    engine = Engine.start(project, home=home, env=env)
    first = engine.recall("the first question reads all notes", deadline=600)
    read = sum(outcome.memories for outcome in first.outcomes if outcome.provider == "markdown")
    if read != len(files):
        raise SystemExit(f"{read} of {len(files)} files were read: {engine.rows(['markdown'])}")
    return engine


def _forget(engine: Engine) -> None:
    """Take out of the index what earlier questions brought."""
    for name, source in engine.sources.items():
        if source.searches:
            engine.index.forget(name, engine.index.stamps(name))


def _answer(engine: Engine, question: str) -> list[str]:
    answer = engine.recall(question, limit=20, budget=_UNLIMITED, deadline=60)
    return list(dict.fromkeys(identities(answer)))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


if __name__ == "__main__":
    main(sys.argv[1:])
