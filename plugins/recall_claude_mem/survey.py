"""What is in a claude-mem database, counted: rows prove nothing, texts do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from recall.api import utc_from_epoch, utc_from_text
from recall.databases import Database
from recall_claude_mem.place import Wanted
from recall_claude_mem.store import choose_labels
from recall_claude_mem.tables import OBSERVATIONS, PROMPTS, SUMMARIES, TOOL_USES, Table, tables

_COUNTED = (OBSERVATIONS, SUMMARIES, PROMPTS, TOOL_USES)
# The full-text index's own count: counting `observations_fts` counts the table it was made from.
_INDEXED = "observations_fts_docsize"
# Milliseconds from 2000 to 2100: what else stands in the column is no date of claude-mem's.
_EPOCHS = (946_684_800_000, 4_102_444_800_000)


@dataclass(frozen=True, slots=True)
class Group:
    """Rows with a text, of one table and one project."""

    table: str
    label: str
    merged: str  # the project they were merged into, or ""
    rows: int
    newest: datetime | None


@dataclass(frozen=True, slots=True)
class Counts:
    """A database in numbers."""

    tables: frozenset[str] = frozenset()
    rows: Mapping[str, int] = field(default_factory=dict)  # all rows by table
    real: int = 0  # rows with a text worth remembering
    in_scope: int = 0
    observer: int = 0  # rows with a text, but of claude-mem watching itself
    projects: tuple[tuple[str, int], ...] = ()  # real rows by project, most first
    newest: datetime | None = None  # of the scope's rows, or of all if it has none
    newest_distilled: datetime | None = None  # observation or summary of any project
    newest_prompt: datetime | None = None
    indexed: int | None = None  # observations in claude-mem's own full-text index

    def of(self, table: str) -> int:
        """All rows of a table; 0 if there is none."""
        return self.rows.get(table, 0)


def count(database: Database, wanted: Wanted) -> Counts:
    """Count everything once."""
    names = database.tables()
    found = tables(database, prompts=wanted.prompts)
    labels = choose_labels(database, found, wanted)
    groups = [group for table in found for group in _groups(database, table)]
    real = [group for group in groups if group.label not in labels.observer]
    mine = [g for g in real if wanted.all_projects or {g.label, g.merged} & labels.own]
    projects: Counter[str] = Counter()
    for group in real:
        projects[group.label] += group.rows
    total = sum(group.rows for group in real)
    return Counts(
        tables=names,
        rows={name: database.one(f"SELECT count(*) FROM {name}") for name in _COUNTED if name in names},
        real=total,
        in_scope=sum(group.rows for group in mine),
        observer=sum(group.rows for group in groups) - total,
        projects=tuple(projects.most_common()),
        newest=_newest(mine or real),
        newest_distilled=_newest(group for group in real if group.table != PROMPTS),
        newest_prompt=_newest_prompt(database) if PROMPTS in names else None,
        indexed=database.one(f"SELECT count(*) FROM {_INDEXED}") if _INDEXED in names else None,
    )


def _groups(database: Database, table: Table) -> list[Group]:
    label, merged = (column if table.has(column) else "''" for column in ("project", "merged_into_project"))
    sql = (
        f"SELECT coalesce({label}, ''), coalesce({merged}, ''), count(*), {_newest_sql(table)}"
        f" FROM {table.source} WHERE {table.real} GROUP BY 1, 2"
    )
    return [
        Group(table.name, str(row[0]), str(row[1]), row[2], utc_from_epoch(row[3]) or utc_from_text(row[4]))
        for row in database.rows(sql)
    ]


def _newest_sql(table: Table) -> str:
    epoch = "created_at_epoch" if table.has("created_at_epoch") else "NULL"
    text = "created_at" if table.has("created_at") else "NULL"
    return f"max(CASE WHEN {epoch} BETWEEN {_EPOCHS[0]} AND {_EPOCHS[1]} THEN {epoch} END), max({text})"


def _newest(groups: Iterable[Group]) -> datetime | None:
    return max((group.newest for group in groups if group.newest is not None), default=None)


def _newest_prompt(database: Database) -> datetime | None:
    if "created_at_epoch" not in database.columns(PROMPTS):
        return None
    return utc_from_epoch(database.one(f"SELECT max(created_at_epoch) FROM {PROMPTS}"))
