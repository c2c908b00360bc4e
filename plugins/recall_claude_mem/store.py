"""The rows of one claude-mem database: listed in few queries, read in growing batches."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from recall.api import Deadline
from recall.databases import Database, read
from recall_claude_mem.place import Wanted
from recall_claude_mem.projects import is_observer, own_labels
from recall_claude_mem.tables import Table, among, tables

if TYPE_CHECKING:
    from recall_claude_mem.rows import Row

_PAGE = 10_000  # rows listed at once: bounds memory
_FIRST_BATCH = 64  # rows read at once; doubled as long as rows are asked for one after another
_LARGEST_BATCH = 8192


class Labels(NamedTuple):
    """The store's project labels that matter to a scope."""

    own: frozenset[str]  # of this project
    observer: frozenset[str]  # of claude-mem watching itself


class Rows(NamedTuple):
    """Rows of one table that were listed, in the order of their ids."""

    table: Table
    condition: str  # SQL that chose them, after a first and a last id
    parameters: tuple[Any, ...]
    ids: Sequence[int]
    stamps: Sequence[str]
    left_out: int  # older rows beyond the limit


def list_rows(database: Database, wanted: Wanted, deadline: Deadline) -> list[Rows]:
    """Every row that the scope asks for, with a stamp of its whole content."""
    found = tables(database, prompts=wanted.prompts)
    labels = choose_labels(database, found, wanted)
    return [_rows(database, table, wanted, labels, deadline) for table in found]


def choose_labels(database: Database, found: Iterable[Table], wanted: Wanted) -> Labels:
    """Sort the store's project labels; an index names them without a look at the rows."""
    labels: set[str] = set()
    for table in found:
        for column in table.labels:
            sql = f"SELECT DISTINCT {column} FROM {table.source} WHERE {column} IS NOT NULL"
            labels.update(str(row[0]) for row in database.rows(sql))
    observer = frozenset(label for label in labels if is_observer(label, wanted.names))
    return Labels(own_labels(labels - observer, wanted.names), observer)


def _rows(database: Database, table: Table, wanted: Wanted, labels: Labels, deadline: Deadline) -> Rows:
    scope, parameters = _condition(table, wanted, labels)
    found = database.rows(
        f"SELECT {table.id} FROM {table.source} WHERE {scope} ORDER BY {table.id}", parameters
    )
    numbers = [row[0] for row in found if isinstance(row[0], int)]
    kept = numbers[-wanted.most :]
    ids: list[int] = []
    stamps: list[str] = []
    condition = f"{table.id} BETWEEN ? AND ? AND ({scope}) AND {table.real}"
    sql = f"SELECT {table.id}, {table.content} FROM {table.source} WHERE {condition} ORDER BY {table.id}"
    for start in range(0, len(kept), _PAGE):
        deadline.check()
        page = kept[start : start + _PAGE]
        for number, content in database.rows(sql, (page[0], page[-1], *parameters)):
            ids.append(number)
            stamps.append(f"{crc32(content):08x}:{len(content)}")
    return Rows(table, condition, tuple(parameters), ids, stamps, len(numbers) - len(kept))


def _condition(table: Table, wanted: Wanted, labels: Labels) -> tuple[str, list[Any]]:
    """SQL condition, and its parameters, for rows of the scope."""
    if not wanted.all_projects:
        return among(table.labels, labels.own)
    watched, parameters = among(table.labels[:1], labels.observer)
    return f"coalesce({watched}, 0) = 0", parameters


class Reader:
    """Reads listed rows when they are asked for, those that follow along with them.

    Lives as long as the entries of one listing; a row that is gone meanwhile is no longer found.
    """

    def __init__(self, path: Path, rows: Rows, deadline: Deadline) -> None:
        self.deadline = deadline  # of whoever asks now: a listing may be used again
        self._path = path
        self._rows = rows
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
            found = read(self._path, lambda database: self._read(database, ids), self.deadline)
            self._batch = dict(found)
        return self._batch.pop(number, None)  # listings are kept: a text that was handed over is not

    def _read(self, database: Database, ids: Sequence[int]) -> list[tuple[int, Row]]:
        rows, table = self._rows, self._rows.table
        columns = ", ".join((table.id, *table.columns))
        sql = f"SELECT {columns} FROM {table.source} WHERE {rows.condition}"
        found = database.rows(sql, (ids[0], ids[-1], *rows.parameters))
        return [(row[0], dict(zip(table.columns, row[1:], strict=True))) for row in found]
