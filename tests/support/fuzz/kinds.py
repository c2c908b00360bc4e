"""Which sources are fuzzed, where their files lie, and who reads them."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from recall.api import Scope
from recall.claude_names import slug
from recall_antigravity.provider import AntigravityOptions, AntigravityProvider
from recall_claude_mem.provider import ClaudeMemProvider
from recall_decisions.provider import DecisionsProvider
from recall_markdown.provider import MarkdownProvider
from recall_markdown.stores import MarkdownOptions
from recall_serena.provider import SerenaProvider
from recall_state.provider import StateProvider
from recall_transcripts.clients import Name
from recall_transcripts.provider import TranscriptsOptions, TranscriptsProvider
from support.fuzz import samples
from support.fuzz.mutate import mutated, odd_value


class Spot(NamedTuple):
    """A kind of file: its path (`{n}` is a number, `{home}`, `{root}`, `{slug}` the places) and how it looks."""

    path: str
    looks: Sequence[bytes] | Callable[[str], Sequence[bytes]]


class Kind(NamedTuple):
    """A source whose files can be fuzzed."""

    provider: Callable[[], Any]
    spots: tuple[Spot, ...] = ()
    beside: Mapping[str, str] = {}  # files that stay as they are
    rows: bool = False  # rows of a database instead of files

    def fill(
        self,
        scope: Scope,
        random: Random,
        first: int,
        count: int,
        change: Callable[[Random, Sequence[bytes]], bytes] = mutated,
    ) -> list[Path]:
        """Write the files, or rows, from number `first` on; which files."""
        made = []
        places = {"home": scope.home, "root": scope.root, "slug": slug(os.fspath(scope.root))}
        for path, text in self.beside.items():
            _write(Path(path.format(**places)), text.format(**places).encode())
        if self.rows:
            _fill_database(scope.home / ".claude-mem" / "claude-mem.db", random, count)
        for number in range(first, first + count) if self.spots else ():
            spot = self.spots[number % len(self.spots)]
            looks = spot.looks(os.fspath(scope.root)) if callable(spot.looks) else spot.looks
            path = Path(spot.path.format(n=number // len(self.spots), **places))
            made.append(_write(path, change(random, looks).replace(samples.NUMBER, str(number).encode())))
        return made


def _write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def _transcripts(client: Name) -> TranscriptsProvider:
    return TranscriptsProvider(TranscriptsOptions(clients=(client,)))


_KNOWLEDGE = "{home}/.gemini/antigravity/knowledge/item{n}"
_BRAIN = "{home}/.gemini/antigravity/brain/talk{n}"

KINDS: Mapping[str, Kind] = {
    "markdown": Kind(
        lambda: MarkdownProvider(MarkdownOptions()),
        (
            Spot("{home}/.claude/projects/{slug}/memory/note{n}.md", samples.NOTES),
            Spot("{home}/.claude/projects/{slug}/memory/part{n}/MEMORY.md", samples.NOTES),
            Spot("{root}/memory-bank/note{n}.md", samples.NOTES),
        ),
    ),
    "serena": Kind(
        SerenaProvider,
        (
            Spot("{root}/.serena/memories/note{n}.md", samples.NOTES),
            Spot("{home}/.serena/memories/global/note{n}.md", samples.NOTES),
        ),
        {"{root}/.serena/project.yml": "project_name: shop-api\n"},
    ),
    "antigravity": Kind(
        lambda: AntigravityProvider(AntigravityOptions()),
        (
            Spot(f"{_KNOWLEDGE}/metadata.json", samples.METADATA),
            Spot(f"{_KNOWLEDGE}/timestamps.json", samples.TIMESTAMPS),
            Spot(f"{_KNOWLEDGE}/artifacts/overview.md", samples.NOTES),
            Spot(f"{_BRAIN}/task.md", samples.NOTES),
            Spot(f"{_BRAIN}/task.md.metadata.json", samples.METADATA),
        ),
    ),
    "decisions": Kind(
        DecisionsProvider,
        (
            Spot("{root}/docs/adr/{n:04}-record.md", samples.DECISIONS),
            Spot("{root}/docs/decisions/part{n}/DECISIONS.md", samples.DECISIONS),
        ),
    ),
    "state": Kind(StateProvider, (Spot("{root}/docs/handoffs/note{n}.md", samples.HANDOVERS),)),
    "transcripts: Claude Code": Kind(
        lambda: _transcripts(Name.CLAUDE),
        (Spot("{home}/.claude/projects/{slug}/session{n}.jsonl", samples.claude_code),),
    ),
    "transcripts: Codex": Kind(
        lambda: _transcripts(Name.CODEX),
        (
            Spot("{home}/.codex/sessions/2026/05/18/rollout-{n}.jsonl", samples.codex),
            Spot("{home}/.codex/sessions/rollout-{n}.json", samples.codex_document),
        ),
    ),
    "transcripts: Gemini CLI": Kind(
        lambda: _transcripts(Name.GEMINI),
        (
            Spot("{home}/.gemini/tmp/shop-api/chats/session-{n}.jsonl", samples.gemini),
            Spot("{home}/.gemini/tmp/shop-api/chats/session-{n}.json", samples.gemini_document),
        ),
        {"{home}/.gemini/tmp/shop-api/.project_root": "{root}"},
    ),
    "claude-mem: rows": Kind(ClaudeMemProvider, rows=True),
}


def _fill_database(path: Path, random: Random, count: int) -> None:
    """A database of so many rows; columns are missing, of other names and other types, and values of any kind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    for table, row in (("observations", samples.OBSERVATION), ("session_summaries", samples.SUMMARY)):
        columns = [name for name in row if random.randrange(12)] or ["title"]
        more = [
            name
            for name in ("merged_into_project", "content_hash", 'odd "name"', "text ")
            if random.randrange(3) == 0
        ]
        kinds = ("TEXT", "INTEGER", "BLOB", "REAL", "", "TEXT COLLATE NOCASE")
        quoted = ['"' + name.replace('"', '""') + '"' for name in (*columns, *more)]
        identity = random.choice(("id INTEGER PRIMARY KEY, ", ""))
        connection.execute(
            f"CREATE TABLE {table} ({identity}{', '.join(f'{name} {random.choice(kinds)}' for name in quoted)})"
        )
        marks = ", ".join("?" for _ in quoted)
        names = ", ".join(quoted)
        rows = ([_cell(random, row.get(name, "")) for name in (*columns, *more)] for _ in range(count // 2))
        connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)
    connection.commit()
    connection.close()


def _cell(random: Random, value: object) -> object:
    """A value as SQLite takes it; half of the rows stay as they are in most columns."""
    if random.randrange(3):
        return value
    odd = odd_value(random, value)
    if isinstance(odd, str):
        return random.choice(
            (
                odd.encode("utf-8", "surrogatepass"),
                odd.encode("utf-8", "replace").decode("utf-8", "replace"),
            )
        )
    if isinstance(odd, int):
        return max(-(2**63), min(odd, 2**63 - 1))
    return odd if isinstance(odd, float) or odd is None else repr(odd)
