"""The history of HEAD as it is kept: which paths and words came and went, and when. It catches up as time allows.

Three steps, each newest first and each resumed where the last question had to stop: the list of commits, the paths
that each touched, the words that each took away. A new HEAD costs the commits that only one of the two has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from recall import files
from recall.api import Deadline
from recall.evidence import words
from recall.evidence.store import Store, hashed
from recall.git import history as told
from recall.git.command import Git

T = TypeVar("T")

_MOST_COMMITS = 100_000  # newest ones that are looked at
_LISTED_AT_ONCE, _READ_AT_ONCE = 5_000, 2_000
_KEPT_AT_ONCE = 250  # commits of one transaction
_MOST_LINES = 100_000  # lines put in by one commit: above it, what it took away is not told
_MOST_WORDS = 20_000  # words taken away by one commit
_READ, _UNREAD = 1, 2


class Event(NamedTuple):
    """A commit; dates are epoch seconds."""

    sha: str
    authored: int
    committed: int


class Past(NamedTuple):
    """A path as the history has it."""

    name: str
    raw: bytes | None  # as the file system has it, where that is not how it is shown
    first: Event  # the earliest commit that touched it
    last: Event  # the latest one
    gone: bool  # whether that one took it away
    renamed_to: str = ""


class History:
    """What is known of the history of one HEAD."""

    def __init__(self, store: Store, git: Git, *, whole: bool = True) -> None:
        """`whole`: contents of files are there to be compared; not in a partial clone."""
        self._store = store
        self._git = git
        self._whole = whole

    def catch_up(self, head: str, deadline: Deadline) -> None:
        """Bring what is kept up to `head`, as far as time allows."""
        if self._store.fact("done") == head:
            return
        if not (self._listed(head, deadline) and self._step("paths", deadline)):
            return
        if not self._whole or self._step("words", deadline):
            self._store.keep("done", head)

    def knows_paths(self) -> bool:
        """Whether all commits' paths are known."""
        return self._listing_done() and not self._pending("paths")

    def knows_words(self) -> bool:
        """Whether all that was taken away is known."""
        return self._listing_done() and not (self._whole and self._pending("words"))

    # -- questions ------------------------------------------------------------------------------------------

    def named(self, path: str) -> list[Past]:
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

    def dates(self, name: str) -> list[Event]:
        """The commits that touched a path, newest first."""
        rows = self._store.rows(
            "SELECT sha, authored, committed FROM path JOIN touch ON touch.path = path.id "
            "JOIN history ON history.id = touch.entry WHERE name = ? AND reached = 1 ORDER BY committed DESC, "
            "history.id",
            (name,),
        )
        return [Event(*row) for row in rows]

    def taken_away(self, word: str, path: str = "") -> Event | None:
        """The latest commit that took a word away, from `path` if that is given."""
        inside = (
            "AND EXISTS (SELECT 1 FROM touch JOIN path ON path.id = touch.path "
            "WHERE touch.entry = history.id AND path.name = ?)"
        )
        rows = self._store.rows(
            "SELECT sha, authored, committed FROM gone JOIN history ON history.id = gone.entry "
            f"WHERE word = ? AND reached = 1 {inside if path else ''} ORDER BY committed DESC, history.id LIMIT 1",
            (hashed(word), path) if path else (hashed(word),),
        )
        return Event(*rows[0]) if rows else None

    def commit(self, start: str) -> Event | None:
        """The commit of HEAD's history whose id begins with `start`."""
        rows = self._store.rows(
            "SELECT sha, authored, committed FROM history WHERE sha >= ? AND sha < ? AND reached = 1 LIMIT 2",
            (start, start + "g"),
        )
        return Event(*rows[0]) if rows else None

    def files_called(self, bases: Iterable[str], most: int) -> list[str]:
        """Paths there ever were whose last part is one of `bases`."""
        wanted = tuple(bases)
        marks = ", ".join("?" * len(wanted))
        rows = self._store.rows(
            f"SELECT name FROM path WHERE base IN ({marks}) ORDER BY length(name) LIMIT ?", (*wanted, most)
        )
        return [str(name) for (name,) in rows]

    def _past(self, identity: int, name: str, raw: bytes | None) -> Past | None:
        rows = self._store.rows(
            "SELECT sha, authored, committed, status, other FROM touch JOIN history ON history.id = touch.entry "
            "WHERE path = ? AND reached = 1 ORDER BY committed DESC, history.id",
            (identity,),
        )
        if not rows:
            return None
        status, other = rows[0][3:]
        renamed = self._store.one("SELECT name FROM path WHERE id = ?", (other,)) if status == "R" else None
        return Past(name, raw, Event(*rows[-1][:3]), Event(*rows[0][:3]), status in ("D", "R"), renamed or "")

    # -- catching up ----------------------------------------------------------------------------------------

    def _listing_done(self) -> bool:
        return self._store.fact("listed") == "all"

    def _listed(self, head: str, deadline: Deadline) -> bool:
        tip = self._store.fact("tip")
        if tip != head and not (tip and self._listing_done() and self._moved(tip, head, deadline)):
            self._restart(head)
        while not self._listing_done() and not deadline.expired():
            done = int(self._store.fact("listed") or 0)
            with told.commits(self._git, head, deadline, skip=done, most=_LISTED_AT_ONCE) as reading:
                found = list(reading.listed())
                result = reading.result
            if not result.ok:
                return False
            whole = len(found) < _LISTED_AT_ONCE or done + len(found) >= _MOST_COMMITS
            with self._store:
                self._reach(found)
                self._store.keep("listed", "all" if whole else str(done + len(found)))
        return self._listing_done()

    def _restart(self, head: str) -> None:
        with self._store:
            self._store.run("UPDATE history SET reached = 0 WHERE reached = 1")
            self._store.keep("tip", head)
            self._store.keep("listed", "0")

    def _moved(self, old: str, new: str, deadline: Deadline) -> bool:
        """Reach what only the new HEAD has, and leave what only the old one had."""
        with told.difference(self._git, old, new, deadline) as reading:
            found = list(reading.listed())
            if not reading.result.ok:
                return False
        with self._store:
            left = [(commit.sha,) for commit in found if commit.side == "<"]
            self._store.many("UPDATE history SET reached = 0 WHERE sha = ?", left)
            self._reach([commit for commit in found if commit.side == ">"])
            self._store.keep("tip", new)
        return True

    def _reach(self, found: Iterable[told.Listed]) -> None:
        self._store.many(
            "INSERT INTO history (sha, authored, committed, reached) VALUES (?, ?, ?, 1) "
            "ON CONFLICT (sha) DO UPDATE SET reached = 1",
            [(commit.sha, commit.authored, commit.committed) for commit in found],
        )

    def _pending(self, step: str, most: int = 1) -> list[str]:
        sql = f"SELECT sha FROM history WHERE {step} = 0 AND reached = 1 ORDER BY committed DESC LIMIT ?"
        return [str(sha) for (sha,) in self._store.rows(sql, (most,))]

    def _step(self, step: str, deadline: Deadline) -> bool:
        """Read what is not read yet of each commit; whether that was all."""
        while pending := self._pending(step, _READ_AT_ONCE):
            if deadline.expired():
                return False
            done = (
                self._read_paths(pending, deadline)
                if step == "paths"
                else self._read_words(pending, deadline)
            )
            if done < len(pending):
                if deadline.expired():
                    return False
                # Git stopped at a commit that it cannot read: it is told as unread, and not asked for again.
                self._store.run(f"UPDATE history SET {step} = {_UNREAD} WHERE sha = ?", (pending[done],))
        return True

    def _read_paths(self, shas: list[str], deadline: Deadline) -> int:
        done = 0
        with told.touched(self._git, shas, deadline, by_content=self._whole) as reading:
            for part in _parts(reading.changes()):
                with self._store:
                    for one in part:
                        self._keep_paths(one)
                done += len(part)
        return done

    def _keep_paths(self, one: told.Changes) -> None:
        entry = self._store.one("SELECT id FROM history WHERE sha = ?", (one.sha,))
        rows: list[tuple[int, int, str, int | None]] = []
        for change in one.changes:
            path = self._path(change.path)
            if change.old and change.status == "R":
                old = self._path(change.old)
                rows.append((old, entry, "R", path))
                rows.append((path, entry, "A", old))
            else:
                rows.append((path, entry, change.status, None))
        self._store.many("INSERT OR REPLACE INTO touch VALUES (?, ?, ?, ?)", rows)
        # A commit that only adds takes nothing away.
        only_adds = all(change.status in ("A", "C") for change in one.changes)
        read = f", words = {_READ}" if only_adds else ""
        self._store.run(f"UPDATE history SET paths = {_READ}{read} WHERE id = ?", (entry,))

    def _path(self, raw: str) -> int:
        name = files.display_path(raw)
        found = self._store.one("SELECT id FROM path WHERE name = ?", (name,))
        if found is None:
            kept = raw.encode("utf-8", "surrogateescape") if name != raw else None
            found = self._store.run(
                "INSERT INTO path (name, base, raw) VALUES (?, ?, ?)", (name, name.rpartition("/")[2], kept)
            ).lastrowid
        return int(found)

    def _read_words(self, shas: list[str], deadline: Deadline) -> int:
        done = 0
        with told.patched(self._git, shas, deadline) as reading:
            for part in _parts(_taken_away(reading)):
                with self._store:
                    for sha, taken in part:
                        entry = self._store.one("SELECT id FROM history WHERE sha = ?", (sha,))
                        rows = [(hashed(word), entry) for word in taken]
                        self._store.many("INSERT OR IGNORE INTO gone VALUES (?, ?)", rows)
                        self._store.run(f"UPDATE history SET words = {_READ} WHERE id = ?", (entry,))
                done += len(part)
        return done


def _taken_away(reading: told.Reading) -> Iterator[tuple[str, frozenset[str]]]:
    """Each commit's words that it took away and put nowhere else, once all of the commit has been read."""
    waiting: tuple[str, frozenset[str]] | None = None
    for sha, patch in reading.patches():
        if waiting is not None:
            yield waiting
        waiting = sha, _net(patch)
    if waiting is not None and reading.result.ok:
        yield waiting


def _net(patch: Iterable[told.Lines]) -> frozenset[str]:
    removed: list[str] = []
    added: list[str] = []
    for file in patch:
        if words.is_prose(file.path) or words.is_bulky(file.path):
            continue
        removed += _code(file.removed)
        if len(added) <= _MOST_LINES:
            added += _code(file.added)
    if not removed or len(added) > _MOST_LINES:
        return frozenset()
    lost = frozenset(words.named_in(removed)) - frozenset(words.named_in(added))
    return lost if len(lost) <= _MOST_WORDS else frozenset()


def _code(lines: Iterable[bytes]) -> list[str]:
    return [code for line in lines if (code := words.code_of(line.decode("utf-8", "replace")))]


def _parts(items: Iterator[T]) -> Iterator[list[T]]:
    part: list[T] = []
    for item in items:
        part.append(item)
        if len(part) == _KEPT_AT_ONCE:
            yield part
            part = []
    if part:
        yield part
