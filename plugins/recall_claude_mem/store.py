"""The rows of one claude-mem database: listed in few queries, read in growing batches."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

from recall.api import Deadline
from recall.databases import Database

from recall import databases
from recall_claude_mem.projects import is_observer, own_labels
from recall_claude_mem.rows import Row
from recall_claude_mem.tables import Table, among, tables

_PAGE = 10_000  # rows listed at once: bounds memory
_FIRST_BATCH = 64  # rows read at once; doubled as long as rows are asked for one after another
_LARGEST_BATCH = 8192


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows a scope asks for."""

    names: tuple[str, ...]  # of the project
    all_projects: bool
    prompts: bool
    most: int  # rows of one table, the newest


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one table that were listed, in the order of their ids."""

    table: Table
    condition: str  # SQL that chose them
    parameters: tuple[Any, ...]
    ids: tuple[int, ...]
    stamps: tuple[str, ...]
    left_out: int  # older rows beyond the limit


def list_rows(database: Database, wanted: Wanted, deadline: Deadline) -> list[Rows]:
    """Every row that the scope asks for, with a stamp of its whole content."""
    return [_rows(database, table, wanted, deadline) for table in tables(database, prompts=wanted.prompts)]


def _rows(database: Database, table: Table, wanted: Wanted, deadline: Deadline) -> Rows:
    condition, parameters = _condition(database, table, wanted)
    found = database.rows(
        f"SELECT {table.id} FROM {table.source} WHERE {condition} ORDER BY {table.id}", parameters
    )
    numbers = [row[0] for row in found if isinstance(row[0], int)]
    ids: list[int] = []
    stamps: list[str] = []
    kept = numbers[-wanted.most :]
    for start in range(0, len(kept), _PAGE):
        deadline.check()
        page = kept[start : start + _PAGE]
        sql = (
            f"SELECT {table.id}, {table.content} FROM {table.source}"
            f" WHERE {table.id} BETWEEN ? AND ? AND {condition} ORDER BY {table.id}"
        )
        for number, content in database.rows(sql, (page[0], page[-1], *parameters)):
            ids.append(number)
            stamps.append(f"{crc32(content):08x}:{len(content)}")
    left_out = len(numbers) - len(kept)
    return Rows(table, condition, tuple(parameters), tuple(ids), tuple(stamps), left_out)


def _condition(database: Database, table: Table, wanted: Wanted) -> tuple[str, list[Any]]:
    """SQL condition for rows of the scope that say something."""
    labels = project_labels(database, table)
    noise = {label for label in labels if is_observer(label, wanted.names)}
    if not table.labels:
        return (table.real, []) if wanted.all_projects else ("0", [])
    if wanted.all_projects:
        watched, parameters = among(table.labels[:1], noise)
        return f"coalesce({watched}, 0) = 0 AND {table.real}", parameters
    chosen, parameters = among(table.labels, own_labels(labels - noise, wanted.names))
    return f"({chosen}) AND {table.real}", parameters


def project_labels(database: Database, table: Table) -> frozenset[str]:
    """All labels in a table: an index answers that without a look at the rows."""
    found: set[str] = set()
    for column in table.labels:
        sql = f"SELECT DISTINCT {column} FROM {table.source} WHERE {column} IS NOT NULL"
        found.update(str(row[0]) for row in database.rows(sql))
    return frozenset(found)


class Reader:
    """Reads listed rows when they are asked for, those that follow along with them.

    Lives as long as the entries of one listing; a row that is gone meanwhile is no longer found.
    """

    def __init__(self, path: Path, rows: Rows, deadline: Deadline) -> None:
        self._path = path
        self._rows = rows
        self._deadline = deadline
        self._batch: dict[int, Row] = {}
        self._next = 0  # place in the listing after the batch
        self._size = _FIRST_BATCH

    @property
    def table(self) -> str:
        """Name of the table."""
        return self._rows.table.name

    def row(self, number: int) -> Row | None:
        """A row by its id; raises what opening the database raises."""
        place = bisect_left(self._rows.ids, number)
        if number not in self._batch:
            self._size = min(self._size * 2, _LARGEST_BATCH) if place == self._next else _FIRST_BATCH
            ids = self._rows.ids[place : place + self._size]
            self._next = place + len(ids)
            self._batch = dict(
                databases.read(self._path, lambda database: self._read(database, ids), self._deadline)
            )
        return self._batch.get(number)

    def _read(self, database: Database, ids: tuple[int, ...]) -> list[tuple[int, Row]]:
        rows, table = self._rows, self._rows.table
        sql = (
            f"SELECT {table.id}, {', '.join(table.columns)} FROM {table.source}"
            f" WHERE {table.id} BETWEEN ? AND ? AND {rows.condition}"
        )
        found = database.rows(sql, (ids[0], ids[-1], *rows.parameters))
        return [(row[0], dict(zip(table.columns, row[1:], strict=True))) for row in found]
