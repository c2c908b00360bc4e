"""A project with some hundred memories of several sources, asked by real processes."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from recall.demo import sample
from support.worlds import process_env

NOTES = 300
QUESTIONS = ("결제 재시도 정책", "why was note 17 of the settlement batch written", "롤백 절차")
_WORDS = ("결제", "재시도", "정산", "배치", "rollback", "queue", "retry", "holiday", "멱등 키", "schema")


class Crowded(NamedTuple):
    """Where it lies, and where recall keeps what it makes of it."""

    home: Path
    project: Path
    cache: Path

    def env(self, **more: str) -> dict[str, str]:
        """A child's environment."""
        return process_env(self.home, {"RECALL_CACHE_DIR": os.fspath(self.cache), **more})

    def start(self, *arguments: str, before: Sequence[str] = (), **more: str) -> subprocess.Popen[str]:
        """A recall of its own; `before` is a program that runs it."""
        return subprocess.Popen(
            [*before, sys.executable, "-m", "recall", *arguments],
            cwd=self.project,
            env=self.env(**more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def ask(self, question: str = QUESTIONS[0]) -> dict[str, Any]:
        """The answer's document, given enough time for any machine."""
        return answered(self.start("query", question, "--json", "--deadline", "120"))

    def indexes(self) -> list[Path]:
        """The index files."""
        return sorted((self.cache / "index").glob("*.db"))


def build(folder: Path, now: float) -> Crowded:
    """The sample with some hundred more notes, and a database with rows."""
    world = sample.build(folder, now)
    memories = world.project / ".serena" / "memories" / "more"
    memories.mkdir()
    for number in range(NOTES):
        words = [_WORDS[(number * step) % len(_WORDS)] for step in (1, 3, 7)]
        text = (
            f"# {words[0]} {words[1]} {number}\n\nNote {number} about {words[2]}, `app/part{number}.py`.\n"
            * 3
        )
        text += (
            "\n" + "채움 " * number
        )  # no two of one length: which is the best does not hang on the order they came in
        (memories / f"note_{number}.md").write_text(text, encoding="utf-8")
    with sqlite3.connect(world.home / ".claude-mem" / "claude-mem.db") as database:
        rows = [
            (
                "shop-api",
                f"settlement batch {number}",
                f"note {number}" + " filler" * number,
                1_780_000_000_000,
            )
            for number in range(100)
        ]
        sql = "INSERT INTO observations (project, title, narrative, created_at_epoch) VALUES (?, ?, ?, ?)"
        database.executemany(sql, rows)
    database.close()
    return Crowded(world.home, world.project, folder / "cache")


def answered(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The document that a process printed; fails with all it said if there is none."""
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, (process.returncode, out[-2_000:], err[-2_000:])
    document: dict[str, Any] = json.loads(out)
    return document


def told(document: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """What an answer says of memories and sources, without its times."""
    memories = [(one["uri"], one["title"], one["text"], one["flags"]) for one in document["memories"]]
    sources = [(one["provider"], one["state"], one["memories"]) for one in document["outcomes"]]
    return [*memories, *sources]


def damage(index: Path) -> list[str]:
    """What SQLite finds wrong with an index, its full-text table included."""
    connection = sqlite3.connect(index)
    try:
        found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        connection.execute("INSERT INTO fts (fts) VALUES ('integrity-check')")
    except sqlite3.DatabaseError as error:
        return [str(error)]
    finally:
        connection.close()
    return [line for line in found if line != "ok"]
