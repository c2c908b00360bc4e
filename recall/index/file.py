"""The index file: its tables, opening it, and making it anew when it cannot be used."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from recall import tokens
from recall.errors import IndexUnavailable

# Of title, body and context. benchmarks/chats.py, 1,535 questions: a context at 0.5 lifts R@1 from .381 to .409 and
# R@10 from .706 to .759; at 1.0, or as part of the body, R@1 falls to .375 and .371.
_WEIGHTS = "2.0, 1.0, 0.5"
SCHEMA = 6  # raise it when the tables or the cleaning of texts change
_BUSY_MILLISECONDS = 2_000
_MMAP_BYTES = 256 << 20
_STALE_DAYS = 30.0
IN_MEMORY = ":memory:"  # SQLite's own name for a database without a file
_SUFFIXES = ("", "-wal", "-shm")
_TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE corpus (provider TEXT PRIMARY KEY, read_at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE entry (
    id INTEGER PRIMARY KEY, provider TEXT NOT NULL, key TEXT NOT NULL, stamp TEXT NOT NULL,
    store TEXT NOT NULL DEFAULT '', problems TEXT NOT NULL DEFAULT '', memories INTEGER NOT NULL DEFAULT 0,
    newest REAL, vanished_at REAL, UNIQUE (provider, key)
);
CREATE TABLE memory (
    id INTEGER PRIMARY KEY, entry INTEGER NOT NULL, provider TEXT NOT NULL, uri TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL, text TEXT NOT NULL, path TEXT NOT NULL, line INTEGER, project TEXT NOT NULL,
    created REAL, updated REAL, date_origin TEXT NOT NULL, kind TEXT NOT NULL, authority TEXT NOT NULL,
    extra TEXT NOT NULL, flags TEXT NOT NULL, title_tokens TEXT NOT NULL, body_tokens TEXT NOT NULL,
    context_tokens TEXT NOT NULL,
    withdrawn TEXT NOT NULL
);
CREATE TABLE said (
    entry INTEGER NOT NULL, about TEXT NOT NULL, by TEXT NOT NULL, why TEXT NOT NULL, in_part INTEGER NOT NULL
);
CREATE INDEX said_entry ON said (entry);
CREATE INDEX memory_entry ON memory (entry);
CREATE INDEX memory_provider ON memory (provider);
CREATE VIRTUAL TABLE fts USING fts5(
    title, body, context, content = '', tokenize = "unicode61 remove_diacritics 0 tokenchars '_'"
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fts, row);
INSERT INTO fts (fts, rank) VALUES ('rank', 'bm25({_WEIGHTS})');
"""


def open_or_remake(path: str) -> tuple[sqlite3.Connection, str]:
    """A connection to the index at `path`, and why it was made anew if it was there and could not be used.

    Raises IndexUnavailable.
    """
    remade = ""
    try:
        try:
            return _open(path), remade
        except _AnotherVersion:
            remade = "of another version"
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            remade = "damaged"
        remove(path)
        return _open(path), remade
    except (sqlite3.DatabaseError, OSError) as error:
        raise unavailable(path, error) from None


def remove(path: str) -> None:
    """Remove an index file and what SQLite keeps beside it."""
    for suffix in _SUFFIXES:
        try:
            os.unlink(path + suffix)
        except FileNotFoundError:
            pass


def remove_stale(folder: Path, now: float) -> None:
    """Remove indexes nobody asked for a month: of projects that are gone, of settings that were changed."""
    for path in folder.glob("*.db*"):
        try:
            if now - path.stat().st_mtime > _STALE_DAYS * 86_400:
                path.unlink()
        except OSError:
            continue


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether SQLite says that the file itself is at fault."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_trouble_of_the_disk(error: sqlite3.DatabaseError) -> bool:
    """Whether SQLite says that the disk is full, failing or not to be written to: waiting does not help."""
    lasting = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in lasting


def in_memory(index: sqlite3.Connection) -> sqlite3.Connection:
    """What an index holds as one in memory; an empty one if it cannot be read."""
    try:
        return connected(IN_MEMORY, 0, index.backup)
    except sqlite3.DatabaseError:
        return _open(IN_MEMORY)


def unavailable(path: str, error: Exception) -> IndexUnavailable:
    """The error for an index that cannot be used, with the file and the next step."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return IndexUnavailable(f"{path}: another process was writing the index all the time", "ask again")
    step = "set RECALL_CACHE_DIR to a folder you can write to, or make room there"
    return IndexUnavailable(f"{path}: the index cannot be used: {error}", step)


class _AnotherVersion(Exception):
    """A file was made by another version of recall."""


def connected(
    path: str, busy_milliseconds: int, prepare: Callable[[sqlite3.Connection], None]
) -> sqlite3.Connection:
    """A connection to one of recall's own files, which is made if it is not there; closed again if `prepare` fails."""
    if path != IN_MEMORY and not os.path.exists(path):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        connection.execute(f"PRAGMA busy_timeout = {busy_milliseconds}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def create_tables(
    connection: sqlite3.Connection, tables: str, version: int, *first: tuple[str, Sequence[Any]]
) -> None:
    """Create the tables of a new file and run the first statements on them; nothing where there are tables."""
    if connection.execute("PRAGMA user_version").fetchone()[0] != 0:
        return
    connection.execute("BEGIN IMMEDIATE")
    # Another process may have created the tables while this one waited for the lock.
    if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
        for statement in tables.split(";\n"):
            if statement.strip():
                connection.execute(statement)
        for sql, parameters in first:
            connection.execute(sql, parameters)
        connection.execute(f"PRAGMA user_version = {version}")
    connection.execute("COMMIT")


def _open(path: str) -> sqlite3.Connection:
    return connected(path, _BUSY_MILLISECONDS, _prepare)


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA mmap_size = {_MMAP_BYTES}")
    create_tables(connection, _TABLES, SCHEMA, ("INSERT INTO meta VALUES ('identity', ?)", (_identity(),)))
    made_with = connection.execute("SELECT value FROM meta WHERE key = 'identity'").fetchone()
    if made_with is None or made_with[0] != _identity():
        raise _AnotherVersion


def _identity() -> str:
    """What an index must have been made with to be used."""
    return f"{SCHEMA}.{tokens.VERSION}"
