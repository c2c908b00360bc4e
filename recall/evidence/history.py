"""The history of HEAD as it is kept: which paths and words came and went, and when."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from recall.evidence.reading import Progress
from recall.evidence.store import Store, hashed

_MOST_LET_GO = 200  # deleted paths of one commit
_REMEMBERED = 4_096  # answers of each kind


class Event(NamedTuple):
    """A commit; dates are epoch seconds."""

    sha: str
    authored: int
    committed: int
    place: int = 0  # among the commits of its second: higher than that of all that it was made of

    @property
    def order(self) -> tuple[int, int]:
        """What is higher for what was made later."""
        return self.committed, self.place


class Past(NamedTuple):
    """A path as the history has it."""

    name: str
    raw: bytes | None  # as the file system has it, where that is not how it is shown
    first: Event  # the earliest commit that touched it
    last: Event  # the latest one
    gone: bool  # whether that one took it away
    went: Event | None = None  # the latest one that took it away, be it that a branch kept on changing it
    renamed_to: str = ""


class History:
    """Answers from the store. What was asked is remembered: make a new one when the store has changed."""

    def __init__(self, store: Store, progress: Progress) -> None:
        self._store = store
        remembered = lru_cache(_REMEMBERED)
        self.knows_paths = remembered(progress.knows_paths)
        self.knows_words = remembered(progress.knows_words)
        self.unread = remembered(progress.unread)
        self.named = remembered(self._named)
        self.dates = remembered(self._dates)
        self.taken_away = remembered(self._taken_away)
        self.let_go = remembered(self._let_go)
        self.left = remembered(self._left)
        self.let_path_go = remembered(self._let_path_go)
        self.took = remembered(self._took)
        self.commit = remembered(self._commit)
        self.files_called = remembered(self._files_called)

    def _named(self, path: str) -> list[Past]:
        """The paths there ever were that are `path` or end with it."""
        base = path.rstrip("/").rpartition("/")[2]
        rows = self._store.rows("SELECT id, name, raw FROM path WHERE base = ?", (base,))
        return [
            past
            for identity, name, raw in rows
            if (name == path or name.endswith("/" + path)) and (past := self._past(identity, name, raw))
        ]

    def below(self, folder: str, most: int) -> list[Past]:
        """Paths there ever were below a folder."""
        start = folder.rstrip("/") + "/"
        rows = self._store.rows(
            "SELECT id, name, raw FROM path WHERE name >= ? AND name < ? LIMIT ?",
            (start, start[:-1] + chr(ord("/") + 1), most),
        )
        return [past for identity, name, raw in rows if (past := self._past(identity, name, raw))]

    def _dates(self, name: str) -> list[Event]:
        """The commits that touched a path, newest first."""
        rows = self._store.rows(
            "SELECT sha, authored, committed, place FROM path JOIN touch ON touch.path = path.id "
            "JOIN history ON history.id = touch.entry WHERE name = ? AND reached = 1 ORDER BY committed DESC, "
            "place DESC",
            (name,),
        )
        return [Event(*row) for row in rows]

    def _taken_away(self, word: str, path: str = "") -> Event | None:
        """The latest commit that took a word away, from `path` if that is given."""
        inside = (
            "AND EXISTS (SELECT 1 FROM touch JOIN path ON path.id = touch.path "
            "WHERE touch.entry = history.id AND path.name = ?)"
        )
        rows = self._store.rows(
            "SELECT sha, authored, committed, place FROM gone JOIN history ON history.id = gone.entry "
            f"WHERE word = ? AND reached = 1 {inside if path else ''} ORDER BY committed DESC, place DESC LIMIT 1",
            (hashed(word), path) if path else (hashed(word),),
        )
        return Event(*rows[0]) if rows else None

    def _let_go(self, sha: str) -> list[str]:
        """The paths that a commit deleted, or made a link of."""
        rows = self._store.rows(
            "SELECT name FROM touch JOIN path ON path.id = touch.path JOIN history ON history.id = touch.entry "
            "WHERE sha = ? AND status IN ('D', 'T') LIMIT ?",
            (sha, _MOST_LET_GO),
        )
        return [str(name) for (name,) in rows]

    def _left(self, sha: str, most: int) -> list[str]:
        """Paths that a commit touched and did not take away."""
        rows = self._store.rows(
            "SELECT name FROM touch JOIN path ON path.id = touch.path JOIN history ON history.id = touch.entry "
            "WHERE sha = ? AND status NOT IN ('D', 'R') ORDER BY name LIMIT ?",
            (sha, most),
        )
        return [str(name) for (name,) in rows]

    def _let_path_go(self, sha: str, name: str) -> bool:
        """Whether a commit deleted or renamed a path."""
        sql = (
            "SELECT 1 FROM touch JOIN path ON path.id = touch.path JOIN history ON history.id = touch.entry "
            "WHERE sha = ? AND name = ? AND status IN ('D', 'R')"
        )
        return self._store.one(sql, (sha, name)) is not None

    def _took(self, sha: str, word: str) -> bool:
        """Whether a commit took a word away."""
        sql = "SELECT 1 FROM gone JOIN history ON history.id = gone.entry WHERE word = ? AND sha = ?"
        return self._store.one(sql, (hashed(word), sha)) is not None

    def _commit(self, start: str) -> Event | None:
        """The commit of HEAD's history whose id begins with `start`."""
        rows = self._store.rows(
            "SELECT sha, authored, committed, place FROM history WHERE sha >= ? AND sha < ? AND reached = 1 LIMIT 2",
            (start, start + "g"),
        )
        return Event(*rows[0]) if rows else None

    def _files_called(self, bases: Sequence[str], most: int) -> list[str]:
        """Paths there ever were whose last part is one of `bases`."""
        marks = ", ".join("?" * len(bases))
        rows = self._store.rows(
            f"SELECT name FROM path WHERE base IN ({marks}) ORDER BY length(name) LIMIT ?", (*bases, most)
        )
        return [str(name) for (name,) in rows]

    def _past(self, identity: int, name: str, raw: bytes | None) -> Past | None:
        rows = self._store.rows(
            "SELECT sha, authored, committed, place, status, other FROM touch JOIN history ON history.id = touch.entry "
            "WHERE path = ? AND reached = 1 ORDER BY committed DESC, place DESC",
            (identity,),
        )
        if not rows:
            return None
        away = [row for row in rows if row[4] in ("D", "R")]
        other = away[0][5] if away else None
        renamed = self._store.one("SELECT name FROM path WHERE id = ?", (other,)) if other else None
        return Past(
            name,
            raw,
            first=Event(*rows[-1][:4]),
            last=Event(*rows[0][:4]),
            gone=rows[0] in away,
            went=Event(*away[0][:4]) if away else None,
            renamed_to=renamed or "",
        )
