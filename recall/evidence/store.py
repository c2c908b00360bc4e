"""The file in which one work tree's history is kept between questions. It is a cache: it may be deleted at any time.

Lines of code can hold secrets, so what they name is kept as a hash and never as it stands.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from recall.errors import IndexUnavailable
from recall.index.file import (
    IN_MEMORY,
    connected,
    create_tables,
    is_damage,
    remove,
    remove_stale,
)

SCHEMA = 5  # raise it when the tables change, or what a line of code is taken to name
_BUSY_MILLISECONDS = 100
_TABLES = """
CREATE TABLE fact (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE history (
    id INTEGER PRIMARY KEY, sha TEXT NOT NULL UNIQUE, authored INTEGER NOT NULL, committed INTEGER NOT NULL,
    reached INTEGER NOT NULL, place INTEGER NOT NULL, paths INTEGER NOT NULL DEFAULT 0,
    words INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX history_paths ON history (paths, reached, committed);
CREATE INDEX history_words ON history (words, reached, committed);
CREATE TABLE path (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, base TEXT NOT NULL, raw BLOB);
CREATE INDEX path_base ON path (base);
CREATE TABLE touch (
    path INTEGER NOT NULL, entry INTEGER NOT NULL, status TEXT NOT NULL, other INTEGER,
    PRIMARY KEY (path, entry)
) WITHOUT ROWID;
CREATE INDEX touch_entry ON touch (entry);
CREATE TABLE gone (word INTEGER NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (word, entry)) WITHOUT ROWID;
CREATE TABLE seen (
    word INTEGER PRIMARY KEY, path TEXT NOT NULL, line INTEGER NOT NULL, option TEXT NOT NULL, stamp TEXT NOT NULL
);
CREATE TABLE absent (
    word INTEGER PRIMARY KEY, pattern INTEGER NOT NULL, state TEXT NOT NULL, at REAL NOT NULL, others TEXT NOT NULL,
    path TEXT, line INTEGER, option TEXT NOT NULL, in_tests INTEGER NOT NULL
);
CREATE INDEX absent_pattern ON absent (pattern);
"""


class Store:
    """One work tree's cache file; in memory where no file can be used."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._connection = _open_or_remake(path)
        except (sqlite3.Error, OSError):
            self._connection = _open(IN_MEMORY)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return self._connection.execute(sql, parameters).fetchall()

    def one(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """The first column of the first row, or None."""
        row = self._connection.execute(sql, parameters).fetchone()
        return None if row is None else row[0]

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Change something."""
        return self._connection.execute(sql, parameters)

    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Change something for each row."""
        self._connection.executemany(sql, rows)

    def fact(self, key: str) -> str:
        """A single value that was kept, or ""."""
        return str(self.one("SELECT value FROM fact WHERE key = ?", (key,)) or "")

    def keep(self, key: str, value: str) -> None:
        """Keep a single value."""
        self.run(
            "INSERT INTO fact VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", (key, value)
        )

    def __enter__(self) -> Store:
        """All changes within the block, or none of them."""
        self._connection.execute("BEGIN IMMEDIATE")
        return self

    def __exit__(self, kind: object, *_rest: object) -> None:
        try:
            if kind is None:
                self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:  # not after an error of the disk that ended it
                self._connection.execute("ROLLBACK")

    def drop(self) -> None:
        """Start anew: the file is damaged."""
        self.close()
        try:
            remove(self.path)
            self._connection = _open_or_remake(self.path)
        except (sqlite3.Error, OSError):
            self._connection = _open(IN_MEMORY)


def open_store(cache: Callable[[], Path], top: Path, now: float) -> Store:
    """The store of the work tree at `top`; `cache` makes recall's cache folder, `now` is epoch seconds."""
    name = hashlib.sha256(os.fsencode(os.path.realpath(top))).hexdigest()[:24]
    try:
        place = cache() / "evidence"
        place.mkdir(mode=0o700, exist_ok=True)
        path = place / f"{name}.db"
        if not path.exists():
            remove_stale(place, now)
    except (OSError, IndexUnavailable):
        return Store(IN_MEMORY)
    return Store(os.fspath(path))


def hashed(word: str) -> int:
    """A word's 63 bits: short, and it does not give away what it was made of."""
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def _open_or_remake(path: str) -> sqlite3.Connection:
    try:
        return _open(path)
    except _AnotherVersion:
        pass
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
    remove(path)
    return _open(path)


class _AnotherVersion(Exception):
    """The file was made by another version of recall."""


def _open(path: str) -> sqlite3.Connection:
    return connected(path, _BUSY_MILLISECONDS, _prepare)


def _prepare(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA user_version").fetchone()[0] not in (0, SCHEMA):
        raise _AnotherVersion
    create_tables(connection, _TABLES, SCHEMA)
