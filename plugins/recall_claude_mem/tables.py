"""claude-mem's tables as they really are: columns are asked for, never inferred from a version.

Columns come and go between schema 9 and 52, in both directions, and the version ledger is wrong in the field
(thedotmack/claude-mem issues 2433, 3094, 3446). A missing column reads as NULL.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from recall.databases import Database

OBSERVATIONS = "observations"
SUMMARIES = "session_summaries"
PROMPTS = "user_prompts"
TOOL_USES = "tool_uses"  # raw tool input and output with secrets in clear: counted, never read

KINDS = {OBSERVATIONS: "observation", SUMMARIES: "summary", PROMPTS: "prompt"}

# Columns that can make a row worth remembering, and further ones that belong to it.
_TEXTS = {
    OBSERVATIONS: ("title", "subtitle", "narrative", "text", "facts"),
    SUMMARIES: ("request", "investigated", "learned", "completed", "next_steps", "notes"),
    PROMPTS: ("prompt_text",),
}
_MORE = {
    OBSERVATIONS: ("type", "concepts", "files_read", "files_modified"),
    SUMMARIES: ("files_read", "files_edited"),
    PROMPTS: (),
}
_COMMON = ("project", "merged_into_project", "created_at", "created_at_epoch")

# How texts begin that claude-mem's observer said to itself (its own sessions were recorded like anybody's,
# issues 2171 and 2104), and where to look for them.
_OBSERVER_OPENINGS = ("<observed_from_primary_session>", "You are a Claude-Mem", "Hello memory agent")
_SPOKEN = {OBSERVATIONS: ("title", "narrative", "text"), SUMMARIES: ("request",), PROMPTS: ("prompt_text",)}

_BLANKS = "char(9,10,11,12,13,32,160,12288)"


class Table(NamedTuple):
    """One table of memories in one database."""

    name: str
    source: str  # SQL to select from
    columns: tuple[str, ...]  # those of the wanted ones that exist
    id: str  # SQL of the row's number

    @property
    def kind(self) -> str:
        """The first part of a memory's id."""
        return KINDS[self.name]

    def has(self, column: str) -> bool:
        """Whether the column exists."""
        return column in self.columns

    @property
    def labels(self) -> tuple[str, ...]:
        """Columns that say to which project a row belongs."""
        return tuple(column for column in ("project", "merged_into_project") if self.has(column))

    @property
    def real(self) -> str:
        """SQL condition: some text is there, and it is not the observer talking to itself."""
        texts = [column for column in _TEXTS[self.name] if self.has(column)]
        if not texts:
            return "0"
        # Brackets and quotes too: an empty JSON array is no text.
        filled = " OR ".join(f"trim({text}, '[]{{}}\",' || {_BLANKS}) NOT IN ('', 'null')" for text in texts)
        spoken = [text for text in texts if text in _SPOKEN[self.name]]
        return " AND ".join([f"({filled})", *(_not_the_observer(text) for text in spoken)])

    @property
    def content(self) -> str:
        """SQL of all that a memory is made of, as one blob: what changes it changes the memory."""
        parts = (f"coalesce({column}, '')" for column in self.columns)
        return "CAST(" + " || char(31) || ".join(parts) + " AS BLOB)"


def table_names(database: Database) -> frozenset[str]:
    """Names of the tables in lower case, as SQLite tells no cases apart."""
    return frozenset(name.lower() for name in database.tables())


def column_names(database: Database, table: str) -> frozenset[str]:
    """Names of a table's columns, in lower case."""
    return frozenset(name.lower() for name in database.columns(table))


def tables(database: Database, *, prompts: bool) -> tuple[Table, ...]:
    """The tables that memories are read from; a database without them gives none."""
    names = table_names(database)
    wanted = (OBSERVATIONS, SUMMARIES, PROMPTS) if prompts else (OBSERVATIONS, SUMMARIES)
    return tuple(_table(database, name) for name in wanted if name in names)


def _table(database: Database, name: str) -> Table:
    present = column_names(database, name)
    source = name
    if name == PROMPTS and "project" not in present:
        source = _prompts_with_project(present, column_names(database, "sdk_sessions"))
        present |= {"project"}
    columns = tuple(c for c in (*_TEXTS[name], *_MORE[name], *_COMMON) if c in present)
    return Table(name, source, columns, "id" if "id" in present else "rowid")


def _prompts_with_project(prompts: frozenset[str], sessions: frozenset[str]) -> str:
    """Prompts carry no project: their session has it. The columns that join them were renamed twice."""
    joins = (
        ("session_db_id", "id"),
        ("content_session_id", "content_session_id"),
        ("claude_session_id",) * 2,
    )
    found = [
        f"(SELECT s.project FROM sdk_sessions s WHERE s.{theirs} = p.{ours} LIMIT 1)"
        for ours, theirs in joins
        if ours in prompts and theirs in sessions and "project" in sessions
    ]
    project = ", ".join([*found, "''", "''"])  # coalesce takes at least two
    return f"(SELECT p.*, coalesce({project}) AS project FROM {PROMPTS} p)"


def _not_the_observer(text: str) -> str:
    return " AND ".join(f"coalesce({text}, '') NOT GLOB '{opening}*'" for opening in _OBSERVER_OPENINGS)


def is_the_observers(table: str, row: Mapping[str, Any]) -> bool:
    """Whether a row holds what claude-mem's observer said to itself."""
    return any(str(row.get(column) or "").startswith(_OBSERVER_OPENINGS) for column in _SPOKEN[table])


def among(columns: Iterable[str], labels: Iterable[str]) -> tuple[str, list[Any]]:
    """SQL condition and its parameters: one of the columns holds one of the labels."""
    wanted = sorted(labels)
    marks = ", ".join("?" * len(wanted))
    columns = list(columns)
    return " OR ".join(f"{column} IN ({marks})" for column in columns) or "0", wanted * len(columns)
