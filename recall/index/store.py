"""Reading and writing the index.

The full-text table keeps no text; what it was told is stored beside it as tokens, since deleting from a
contentless table needs the old tokens.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from recall.api import Problem
from recall.index import file
from recall.index.common import lifted
from recall.index.expression import expression
from recall.index.rows import CorpusCounts, Loaded, Match, Row

_CANDIDATES = 200  # per full-text pass; the merge looks at far fewer
_SCORED = 6_000  # memories that a pass of weight 1 may score: under 10 ms
_COLUMNS = ", ".join(Row._fields)
_MARKS = ", ".join("?" for _ in Row._fields)


class Index:
    """One scope's index file. Safe to share between threads; several processes may have it open."""

    def __init__(self, path: str) -> None:
        """Open or create the file at `path` (its folder must exist); raises IndexUnavailable."""
        self.path = path
        self._lock = threading.RLock()
        self._connection, self.rebuilt = file.open_or_remake(path)
        self.remade = 0  # times that it was found damaged and made anew since
        self._remembered: dict[tuple[str, Sequence[Any]], list[Any]] = {}
        self._remembered_of: tuple[int, ...] = ()  # the state of the file that `_remembered` is of

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    # -- what is known ----------------------------------------------------------------------------------------

    def stamps(self, provider: str) -> dict[str, str]:
        """Key -> stamp of every entry of a provider, vanished ones included."""
        return dict(self._unless_changed("SELECT key, stamp FROM entry WHERE provider = ?", (provider,)))

    def stores(self, provider: str) -> dict[str, str]:
        """Key -> store of every entry of a provider that has not vanished."""
        sql = "SELECT key, store FROM entry WHERE provider = ? AND vanished_at IS NULL"
        return dict(self._unless_changed(sql, (provider,)))

    def counts(self) -> dict[str, CorpusCounts]:
        """What the index holds of each provider."""
        # Of the entries alone: the memories' own rows hold their texts, and counting them would read all of it.
        held = self._unless_changed(
            "SELECT provider, sum(memories), sum(CASE WHEN vanished_at IS NULL THEN 0 ELSE memories END), "
            "max(newest) FROM entry GROUP BY provider"
        )
        read = dict(self._unless_changed("SELECT provider, read_at FROM corpus"))
        problems: dict[str, list[Problem]] = {}
        for provider, noted in self._unless_changed(
            "SELECT provider, problems FROM entry WHERE problems <> ''"
        ):
            problems.setdefault(provider, []).extend(_problems(noted))
        found = {provider: (count, gone, newest) for provider, count, gone, newest in held}
        return {
            provider: CorpusCounts(
                *found.get(provider, (0, 0, None)), read.get(provider), tuple(problems.get(provider, ()))
            )
            for provider in {*found, *read}
        }

    def get(self, uri: str) -> Match | None:
        """The memory at a uri."""
        rows = self._read(
            f"SELECT {_prefixed()}, e.vanished_at FROM memory m JOIN entry e ON e.id = m.entry WHERE m.uri = ?",
            (uri,),
        )
        return _match(rows[0][:-1], 0.0, rows[0][-1]) if rows else None

    def sample(self, provider: str, count: int) -> list[Row]:
        """Up to `count` present memories of a provider, spread evenly over its corpus."""
        ids = self._read(
            "SELECT m.id FROM memory m JOIN entry e ON e.id = m.entry "
            "WHERE m.provider = ? AND e.vanished_at IS NULL ORDER BY m.id",
            (provider,),
        )
        step = max(1, len(ids) / count) if count else 1
        chosen = [ids[int(position * step)][0] for position in range(min(count, len(ids)))]
        return [match.row for match in self._matches(dict.fromkeys(chosen, 0.0))]

    def size(self) -> int:
        """How many memories the index holds."""
        return int(self._unless_changed("SELECT count(*) FROM memory")[0][0])

    def document_frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many memories each term occurs."""
        found: dict[str, int] = {}
        for term in terms:
            rows = self._read("SELECT doc FROM vocabulary WHERE term = ?", (term,))
            found[term] = int(rows[0][0]) if rows else 0
        return found

    def search(
        self,
        passes: Sequence[tuple[float, Sequence[str]]],
        frequencies: Mapping[str, int],
        providers: Sequence[str],
        limit: int,
    ) -> tuple[list[Match], int]:
        """The best memories of `providers` by BM25, best first, and how many others were found.

        passes: (weight, phrases) pairs; a phrase is tokens separated by blanks. A memory's score is the weighted
            sum over the passes, since FTS5 itself cannot weigh single terms.
        frequencies: of every token in the phrases, from `document_frequencies`.
        """
        with self._snapshot():
            scores: dict[int, float] = {}
            size = self.size()
            where, parameters = self._provider_filter(providers)
            for weight, phrases in passes:
                match = expression(phrases, frequencies, size, _SCORED * weight)
                if not match:
                    continue
                sql = f"SELECT rowid, rank FROM fts WHERE fts MATCH ? {where} ORDER BY rank LIMIT ?"
                for identity, rank in self._read(sql, (match, *parameters, max(limit, _CANDIDATES))):
                    scores[identity] = scores.get(identity, 0.0) - weight * rank
            best = sorted(scores, key=lambda identity: (-scores[identity], identity))[:limit]
            found = self._matches({identity: scores[identity] for identity in best})
            return lifted(found, passes, frequencies, size), len(scores) - len(best)

    # -- what changes -----------------------------------------------------------------------------------------

    def store(self, provider: str, batch: Sequence[Loaded]) -> None:
        """Put entries as just read in place of what was stored of them."""
        with self._writing() as connection:
            for loaded in batch:
                self._store_one(connection, provider, loaded)

    def finish(self, provider: str, now: float) -> None:
        """Note that a provider was listed and read to its end."""
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO corpus VALUES (?, ?)", (provider, now))

    def forget(self, provider: str, keys: Iterable[str]) -> None:
        """Remove entries and their memories."""
        with self._writing() as connection:
            for key in keys:
                entry = _entry_id(connection, provider, key)
                if entry is not None:
                    _delete_memories(connection, entry)
                    connection.execute("DELETE FROM entry WHERE id = ?", (entry,))

    def distrust(self, provider: str) -> None:
        """Have every entry of a provider read again at the next look; until then what is stored still answers."""
        with self._writing() as connection:
            connection.execute("UPDATE entry SET stamp = '' WHERE provider = ?", (provider,))

    def mark_vanished(self, provider: str, keys: Iterable[str], now: float) -> None:
        """Keep entries, marked as no longer listed by their source."""
        with self._writing() as connection:
            connection.executemany(
                "UPDATE entry SET vanished_at = ? WHERE provider = ? AND key = ? AND vanished_at IS NULL",
                ((now, provider, key) for key in keys),
            )

    def unmark_vanished(self, provider: str, keys: Iterable[str]) -> None:
        """Note that entries are listed again."""
        with self._writing() as connection:
            connection.executemany(
                "UPDATE entry SET vanished_at = NULL WHERE provider = ? AND key = ?",
                ((provider, key) for key in keys),
            )

    def vanished(self, provider: str) -> dict[str, float]:
        """Key -> since when, of the entries marked vanished."""
        sql = "SELECT key, vanished_at FROM entry WHERE provider = ? AND vanished_at IS NOT NULL"
        return dict(self._unless_changed(sql, (provider,)))

    # -- inside -----------------------------------------------------------------------------------------------

    def _store_one(self, connection: sqlite3.Connection, provider: str, loaded: Loaded) -> None:
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
        said = ((uri, entry, why) for uri, why in loaded.withdraws)
        connection.executemany("INSERT INTO withdrawal VALUES (?, ?, ?)", said)
        dates = [date for row in loaded.rows if (date := row.updated or row.created) is not None]
        connection.execute(
            "UPDATE entry SET memories = ?, newest = ? WHERE id = ?",
            (len(loaded.rows), max(dates, default=None), entry),
        )

    def _provider_filter(self, providers: Sequence[str]) -> tuple[str, tuple[str, ...]]:
        held = {row[0] for row in self._read("SELECT provider FROM corpus")}
        if held <= set(providers):
            return "", ()
        marks = ", ".join("?" for _ in providers)
        return f"AND rowid IN (SELECT id FROM memory WHERE provider IN ({marks}))", tuple(providers)

    def _matches(self, scores: Mapping[int, float]) -> list[Match]:
        marks = ", ".join("?" for _ in scores)
        rows = self._read(
            f"SELECT {_prefixed()}, m.id, e.vanished_at FROM memory m JOIN entry e ON e.id = m.entry "
            f"WHERE m.id IN ({marks})",
            tuple(scores),
        )
        by_id = {row[-2]: _match(row[:-2], scores[row[-2]], row[-1]) for row in rows}
        return [by_id[identity] for identity in scores if identity in by_id]

    def _read(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            try:
                return self._connection.execute(sql, parameters).fetchall()
            except sqlite3.DatabaseError as error:
                self._remake_if_damaged(error)
                raise file.unavailable(self.path, error) from None

    def _unless_changed(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Rows about whole sources, asked at every look; kept until this or another process changes the file."""
        with self._lock:
            version = self._read("PRAGMA data_version")[0][0]
            state = (version, self._connection.total_changes, self.remade)
            if state != self._remembered_of:
                self._remembered, self._remembered_of = {}, state
            known = self._remembered.get((sql, parameters))
            if known is None:
                known = self._remembered[sql, parameters] = self._read(sql, parameters)
            return known

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """Reads of one state of the file: another process may replace memories between two reads."""
        with self._lock:
            self._read("BEGIN")
            connection = self._connection
            try:
                yield
            finally:
                if connection is self._connection and connection.in_transaction:
                    connection.execute("COMMIT")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    yield self._connection
                except BaseException:
                    self._connection.execute("ROLLBACK")
                    raise
                self._connection.execute("COMMIT")
            except sqlite3.DatabaseError as error:
                self._remake_if_damaged(error)
                raise file.unavailable(self.path, error) from None

    def _remake_if_damaged(self, error: sqlite3.DatabaseError) -> None:
        """A damaged index is made anew at once; `remade` tells the caller that asking again will work."""
        if file.is_damage(error):
            self._connection.close()
            file.remove(self.path)
            self._connection, _why = file.open_or_remake(self.path)
            self.rebuilt = "damaged"
            self.remade += 1


def _noted(problems: Sequence[Problem]) -> str:
    plain = [(problem.where, problem.reason, problem.harmless) for problem in problems]
    return json.dumps(plain) if plain else ""


def _problems(noted: str) -> Iterator[Problem]:
    return (Problem(where, reason, harmless=harmless) for where, reason, harmless in json.loads(noted))


def _entry_id(connection: sqlite3.Connection, provider: str, key: str) -> int | None:
    found = connection.execute(
        "SELECT id FROM entry WHERE provider = ? AND key = ?", (provider, key)
    ).fetchone()
    return None if found is None else int(found[0])


def _delete_memories(connection: sqlite3.Connection, entry: int) -> None:
    _delete_where(connection, "entry = ?", entry)
    connection.execute("DELETE FROM withdrawal WHERE entry = ?", (entry,))


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


def _prefixed() -> str:
    """The columns of a row; why it no longer stands is also for other memories to say."""
    said = "(SELECT max(why) FROM withdrawal w WHERE w.uri = m.uri)"
    columns = {"withdrawn": f"coalesce(nullif(m.withdrawn, ''), {said}, '')"}
    return ", ".join(columns.get(name, f"m.{name}") for name in Row._fields)


def _match(values: Sequence[Any], score: float, vanished_at: float | None) -> Match:
    return Match(Row(*values), score, vanished_at)
