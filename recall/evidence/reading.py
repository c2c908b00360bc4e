"""Reading the history into the store, as far as time allows.

Three steps, each newest first and each resumed where the last question had to stop: the list of commits, the paths
that each touched, the words that each took away. A new HEAD costs the commits that only one of the two has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from recall import files
from recall.api import Deadline
from recall.evidence import words
from recall.evidence.ancestry import children_first
from recall.evidence.store import Store, hashed
from recall.git import history as told
from recall.git.command import Git

T = TypeVar("T")

_MOST_COMMITS = 100_000  # newest ones that are looked at
_LISTED_AT_ONCE, _READ_AT_ONCE = 5_000, 2_000
_RUN_SECONDS = 5.0  # of one run of git: a commit that is not read in as many is passed by
_PATIENCE_SECONDS = 3.0  # that one commit may take, over several questions
_KEPT_AT_ONCE = 250  # commits of one transaction
_MOST_LINES = 100_000  # lines put in by one commit: above it, what it took away is not told
_MOST_WORDS = 20_000  # words taken away by one commit
_READ, _UNREAD = 1, 2
_DAMAGED = "git cannot read the history to its end, `git fsck` tells more"


class Progress:
    """How far the history has been read."""

    def __init__(self, store: Store, *, whole: bool = True) -> None:
        """`whole`: contents of files are there to be compared; not in a partial clone."""
        self._store = store
        self._whole = whole

    def knows_paths(self) -> bool:
        """Whether all commits' paths are known."""
        return self.listed() and not self.pending("paths")

    def knows_words(self) -> bool:
        """Whether all that was taken away is known."""
        return self.listed() and not (self._whole and self.pending("words"))

    def listed(self) -> bool:
        """Whether all commits are known."""
        return self._store.fact("listed") == "all"

    def unread(self) -> str:
        """Why not all is known: it is not read yet, or git cannot read it."""
        return _DAMAGED if self._store.fact("damaged") else "the history is not read yet"

    def pending(self, step: str, most: int = 1) -> list[str]:
        """Commits whose `step` is still to be read, newest first."""
        sql = f"SELECT sha FROM history WHERE {step} = 0 AND reached = 1 ORDER BY committed DESC LIMIT ?"
        return [str(sha) for (sha,) in self._store.rows(sql, (most,))]


class HistoryReader:
    """Brings the store up to a HEAD."""

    def __init__(self, store: Store, git: Git, *, whole: bool = True) -> None:
        """`whole`: contents of files are there to be compared; not in a partial clone."""
        self._store = store
        self._git = git
        self._whole = whole
        self._progress = Progress(store, whole=whole)

    def catch_up(self, head: str, deadline: Deadline) -> bool:
        """Bring what is kept up to `head`, as far as time allows; whether there was anything to do."""
        if self._store.fact("done") == head:
            return False
        if (
            self._listed(head, deadline)
            and self._step("paths", deadline)
            and (not self._whole or self._step("words", deadline))
        ):
            self._store.keep("done", head)
        return True

    def _listed(self, head: str, deadline: Deadline) -> bool:
        tip = self._store.fact("tip")
        if tip != head and not (tip and self._progress.listed() and self._moved(tip, head, deadline)):
            self._restart(head)
        while not self._progress.listed() and not deadline.expired():
            done = int(self._store.fact("listed") or 0)
            with told.commits(self._git, head, deadline, skip=done, most=_LISTED_AT_ONCE) as reading:
                found = list(reading.listed())
                result = reading.result
            if not result.ok:
                if not result.late:
                    self._store.keep("damaged", head)
                return False
            whole = len(found) < _LISTED_AT_ONCE or done + len(found) >= _MOST_COMMITS
            with self._store:
                self._reach(found, -done)
                self._store.keep("damaged", "")
                self._store.keep("listed", "all" if whole else str(done + len(found)))
        return self._progress.listed()

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
            came = [commit for commit in found if commit.side == ">"]
            # None of them was made before one that the old HEAD has.
            self._reach(
                came,
                int(self._store.one("SELECT max(place) FROM history WHERE reached = 1") or 0) + len(came),
            )
            self._store.keep("tip", new)
        return True

    def _reach(self, found: Sequence[told.Listed], place: int) -> None:
        """Keep commits, the first of which has a place among all, and the others those below it."""
        ordered = enumerate(children_first(found))
        self._store.many(
            "INSERT INTO history (sha, authored, committed, reached, place) VALUES (?, ?, ?, 1, ?) "
            "ON CONFLICT (sha) DO UPDATE SET reached = 1, place = excluded.place",
            [(commit.sha, commit.authored, commit.committed, place - number) for number, commit in ordered],
        )

    def _step(self, step: str, deadline: Deadline) -> bool:
        """Read what is not read yet of each commit; whether that was all."""
        read = self._read_paths if step == "paths" else self._read_words
        while pending := self._progress.pending(step, _READ_AT_ONCE):
            left = deadline.remaining()
            if not left:
                return False
            run = deadline.earlier(max(0.0, left - _RUN_SECONDS))
            done = read(pending, run)
            if done == len(pending):
                continue
            if not run.expired() or (
                not done and self._is_stuck(step, pending[0], left - deadline.remaining())
            ):
                # Git stopped at a commit that cannot be read, or not in any time that a question has: it is told as
                # unread, and not asked for again.
                self._store.run(f"UPDATE history SET {step} = {_UNREAD} WHERE sha = ?", (pending[done],))
        return True

    def _is_stuck(self, step: str, sha: str, seconds: float) -> bool:
        """Whether a commit has taken too long by now, counting earlier questions that got no further than it."""
        before, _, spent = self._store.fact(f"stuck {step}").partition(" ")
        total = seconds + (float(spent) if before == sha else 0.0)
        self._store.keep(f"stuck {step}", f"{sha} {total:.3f}")
        return total >= _PATIENCE_SECONDS

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
        removed += _code(file.removed, file.path)
        if len(added) <= _MOST_LINES:
            added += _code(file.added, file.path)
    if not removed or len(added) > _MOST_LINES:
        return frozenset()
    lost = frozenset(words.named_in(removed)) - frozenset(words.named_in(added))
    return lost if len(lost) <= _MOST_WORDS else frozenset()


def _code(lines: Iterable[bytes], path: str) -> list[str]:
    return [code for line in lines if (code := words.code_of(line.decode("utf-8", "replace"), path))]


def _parts(items: Iterator[T]) -> Iterator[list[T]]:
    part: list[T] = []
    for item in items:
        part.append(item)
        if len(part) == _KEPT_AT_ONCE:
            yield part
            part = []
    if part:
        yield part
