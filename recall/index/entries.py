"""One entry in the file: put there with its memories, taken away with them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from recall.api import Problem
from recall.index.rows import Loaded, Row

_COLUMNS = ", ".join(Row._fields)
_MARKS = ", ".join("?" for _ in Row._fields)


def put(connection: sqlite3.Connection, provider: str, loaded: Loaded) -> None:
    """An entry as just read in place of what was stored of it; one that failed leaves that as it is."""
    entry = _entry_id(connection, provider, loaded.key)
    if loaded.failed and entry is not None:
        connection.execute(
            "UPDATE entry SET problems = ?, stamp = '' WHERE id = ?", (_noted(loaded.problems), entry)
        )
        return
    if entry is None:
        cursor = connection.execute(
            "INSERT INTO entry (provider, key, store, stamp, problems) VALUES (?, ?, ?, ?, ?)",
            (
                provider,
                loaded.key,
                loaded.store,
                "" if loaded.failed else loaded.stamp,
                _noted(loaded.problems),
            ),
        )
        entry = cursor.lastrowid
    else:
        _delete_memories(connection, entry)
        connection.execute(
            "UPDATE entry SET store = ?, stamp = ?, problems = ?, vanished_at = NULL WHERE id = ?",
            (loaded.store, loaded.stamp, _noted(loaded.problems), entry),
        )
    for row in loaded.rows:
        _delete_moved(connection, row.uri)
        cursor = connection.execute(
            f"INSERT INTO memory (entry, {_COLUMNS}) VALUES (?, {_MARKS})", (entry, *row)
        )
        connection.execute(
            "INSERT INTO fts (rowid, title, body, context) VALUES (?, ?, ?, ?)",
            (cursor.lastrowid, row.title_tokens, row.body_tokens, row.context_tokens),
        )
    said = ((entry, *one) for one in loaded.said)
    connection.executemany("INSERT INTO said VALUES (?, ?, ?, ?, ?)", said)
    dates = [date for row in loaded.rows if (date := row.updated or row.created) is not None]
    connection.execute(
        "UPDATE entry SET memories = ?, newest = ? WHERE id = ?",
        (len(loaded.rows), max(dates, default=None), entry),
    )


def remove(connection: sqlite3.Connection, provider: str, key: str) -> None:
    """Take an entry and its memories away, if it is there."""
    entry = _entry_id(connection, provider, key)
    if entry is not None:
        _delete_memories(connection, entry)
        connection.execute("DELETE FROM entry WHERE id = ?", (entry,))


def _noted(problems: Sequence[Problem]) -> str:
    plain = [(problem.where, problem.reason, problem.harmless) for problem in problems]
    return json.dumps(plain) if plain else ""


def _entry_id(connection: sqlite3.Connection, provider: str, key: str) -> int | None:
    found = connection.execute(
        "SELECT id FROM entry WHERE provider = ? AND key = ?", (provider, key)
    ).fetchone()
    return None if found is None else int(found[0])


def _delete_memories(connection: sqlite3.Connection, entry: int) -> None:
    _delete_where(connection, "entry = ?", entry)
    connection.execute("DELETE FROM said WHERE entry = ?", (entry,))


def _delete_moved(connection: sqlite3.Connection, uri: str) -> None:
    """A memory that moved to another entry is that entry's from now on."""
    held = connection.execute("SELECT entry FROM memory WHERE uri = ?", (uri,)).fetchone()
    if held is not None:
        _delete_where(connection, "uri = ?", uri)
        connection.execute("UPDATE entry SET memories = memories - 1 WHERE id = ?", held)


def _delete_where(connection: sqlite3.Connection, condition: str, value: object) -> None:
    connection.execute(
        "INSERT INTO fts (fts, rowid, title, body, context) "
        f"SELECT 'delete', id, title_tokens, body_tokens, context_tokens FROM memory WHERE {condition}",
        (value,),
    )
    connection.execute(f"DELETE FROM memory WHERE {condition}", (value,))
