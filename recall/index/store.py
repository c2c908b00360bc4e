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
from recall.index import entries, file
from recall.index.best import Best
from recall.index.common import lifted
from recall.index.expression import expression
from recall.index.file import IN_MEMORY
from recall.index.rows import CorpusCounts, Loaded, Match, Row
from recall.supersession import Said, Standing, standing

_CANDIDATES = 200  # per full-text pass; the merge looks at far fewer
_PATIENCE = (0.1, 60.0)  # seconds that a change waits for another process at least and at most
_SCORED = 6_000  # memories that a pass of weight 1 may score: under 10 ms


class Index:
    """One scope's index file. Safe to share between threads; several processes may have it open."""

    def __init__(self, path: str) -> None:
        """Open or create the file at `path` (its folder must exist); raises IndexUnavailable."""
        self.path = path
        self._lock = threading.RLock()
        self._connection, self.rebuilt = file.open_or_remake(path)
        self.remade = 0  # times that it was found unusable, and made anew or taken into memory, since
        self.lost = ""  # why its file is not used any more
        self._remembered: dict[tuple[str, Sequence[Any]], list[Any]] = {}
        self._remembered_of: tuple[int, ...] = ()  # the state of the file that `_remembered` is of
        self._standing: tuple[list[Any], Standing] = ([], standing(()))  # and the rows that it is made of

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def wait_for_locks(self, seconds: float) -> None:
        """How long a change waits for another process that is writing, within bounds."""
        patience = min(max(seconds, _PATIENCE[0]), _PATIENCE[1])
        self._read(f"PRAGMA busy_timeout = {int(patience * 1_000)}")

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
        for circle in self._stands().circles:
            problems.setdefault(_provider(circle[0]), []).append(_disputed(circle))
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
        return self._match(rows[0][:-1], 0.0, rows[0][-1]) if rows else None

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

    def latest(self, provider: str, count: int) -> list[Row]:
        """The memories of a provider's `count` latest entries, the latest first; those without a date last."""
        # By the entries' own column: to sort the memories, every one's text would be read.
        rows = self._read(
            f"SELECT {_prefixed()} FROM memory m JOIN entry e ON e.id = m.entry WHERE e.id IN "
            "(SELECT id FROM entry WHERE provider = ? AND vanished_at IS NULL ORDER BY newest DESC LIMIT ?) "
            "ORDER BY e.newest DESC, m.id",
            (provider, count),
        )
        return [Row(*values) for values in rows]

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
            best = Best(self._read)
            size = self.size()
            where, parameters = self._provider_filter(providers)
            for weight, phrases in passes:
                match = expression(phrases, frequencies, size, _SCORED * weight)
                if not match:
                    continue
                sql = f"SELECT rowid, -rank FROM fts WHERE fts MATCH ? {where} ORDER BY rank LIMIT ?"
                for identity, score in best.found(sql, (match, *parameters), max(limit, _CANDIDATES)):
                    scores[identity] = scores.get(identity, 0.0) + weight * score
            chosen = best.of(scores, limit)
            found = self._matches({identity: scores[identity] for identity in chosen})
            return lifted(found, passes, frequencies, size), len(scores) - len(chosen)

    # -- what changes -----------------------------------------------------------------------------------------

    def store(self, provider: str, batch: Sequence[Loaded]) -> None:
        """Put entries as just read in place of what was stored of them."""
        with self._writing() as connection:
            for loaded in batch:
                entries.put(connection, provider, loaded)

    def finish(self, provider: str, now: float) -> None:
        """Note that a provider was listed and read to its end."""
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO corpus VALUES (?, ?)", (provider, now))

    def forget(self, provider: str, keys: Iterable[str]) -> None:
        """Remove entries and their memories."""
        with self._writing() as connection:
            for key in keys:
                entries.remove(connection, provider, key)

    def distrust(self, provider: str) -> None:
        """Have every entry of a provider read again at the next look; until then what is stored still answers."""
        with self._writing() as connection:
            connection.execute("UPDATE entry SET stamp = '' WHERE provider = ?", (provider,))

    def hold_to(self, readings: Mapping[str, str]) -> None:
        """Distrust what was read of a provider by another reading than it has now; "" is none."""
        known = dict(self._unless_changed("SELECT key, value FROM meta"))
        for provider, reading in readings.items():
            if known.get(f"reading {provider}", "") != reading:
                with self._writing() as connection:
                    connection.execute("UPDATE entry SET stamp = '' WHERE provider = ?", (provider,))
                    connection.execute(
                        "INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"reading {provider}", reading)
                    )

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
        by_id = {row[-2]: self._match(row[:-2], scores[row[-2]], row[-1]) for row in rows}
        return [by_id[identity] for identity in scores if identity in by_id]

    def _match(self, values: Sequence[Any], score: float, vanished_at: float | None) -> Match:
        """A stored memory; how it stands is also for other memories to say."""
        row, found = Row(*values), self._stands()
        flags = (
            *row.flags.split(),
            *(f"amended-by:{_short(uri)}" for uri in found.amended.get(row.uri, ())),
            *(f"disputed-by:{_short(uri)}" for uri in found.disputed.get(row.uri, ())),
        )
        withdrawn = row.withdrawn or found.withdrawn.get(row.uri, "")
        return Match(row._replace(flags=" ".join(flags), withdrawn=withdrawn), score, vanished_at)

    def _stands(self) -> Standing:
        with self._lock:
            rows = self._unless_changed("SELECT about, by, why, in_part FROM said")
            if rows is not self._standing[0]:
                self._standing = rows, standing(Said(*row) for row in rows)
            return self._standing[1]

    def _read(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            try:
                return self._connection.execute(sql, parameters).fetchall()
            except sqlite3.DatabaseError as error:
                trouble = file.unavailable(self.path, error)
                self._replace_if_unusable(error)
                raise trouble from None

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
                    self._connection.execute("COMMIT")
                except BaseException:
                    if (
                        self._connection.in_transaction
                    ):  # after an error of the disk SQLite may have ended it itself
                        self._connection.execute("ROLLBACK")
                    raise
            except sqlite3.DatabaseError as error:
                trouble = file.unavailable(self.path, error)
                self._replace_if_unusable(error)
                raise trouble from None

    def _replace_if_unusable(self, error: sqlite3.DatabaseError) -> None:
        """A damaged index is made anew at once, one on a failing or full disk goes on in memory.

        `remade` tells the caller that asking again will work.
        """
        if file.is_damage(error):
            self._connection.close()
            file.remove(self.path)
            self._connection, _why = file.open_or_remake(self.path)
            self.rebuilt = "damaged"
            self.remade += 1
        elif file.is_trouble_of_the_disk(error) and self.path != IN_MEMORY:
            self.lost = f"{file.unavailable(self.path, error)}; it goes on in memory"
            unusable, self._connection = self._connection, file.in_memory(self._connection)
            unusable.close()
            self.path = IN_MEMORY
            self.remade += 1


def _problems(noted: str) -> Iterator[Problem]:
    return (Problem(where, reason, harmless=harmless) for where, reason, harmless in json.loads(noted))


def _disputed(circle: Sequence[str]) -> Problem:
    reason = "each is said to supersede another of them, in a circle: none is taken for withdrawn"
    return Problem(", ".join(map(_short, circle)), reason, harmless=True)


def _provider(uri: str) -> str:
    return uri.split("/", 3)[2]


def _short(uri: str) -> str:
    """A uri without its provider."""
    return uri.split("/", 3)[3]


def _prefixed() -> str:
    return ", ".join(f"m.{name}" for name in Row._fields)
