"""Checks the memories of an answer against the repository, within the time there is. One an engine."""

from __future__ import annotations

import math
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recall.api import Deadline, Scope
from recall.evidence import commits, words
from recall.evidence.absence import Absences
from recall.evidence.claims import LOOKED_AT, Claim, Claims, Kind, claims_of
from recall.evidence.commands import Commands
from recall.evidence.edits import Edits, Once, edits_of
from recall.evidence.facts import Fact
from recall.evidence.gather import Gatherer
from recall.evidence.history import History
from recall.evidence.lookup import Lookup, Moment
from recall.evidence.present import Present
from recall.evidence.proof import Proof, Verdicts, Witness, asked_of, stamp_of
from recall.evidence.reading import HistoryReader, Progress
from recall.evidence.result import Evidence, not_checked
from recall.evidence.store import Store, open_store
from recall.evidence.verdict import Written, judge
from recall.evidence.versions import Versions
from recall.git import heads, repository, worktree
from recall.git.commits import partial
from recall.git.repository import Repository
from recall.git.shown import safe
from recall.index import Row
from recall.index.file import is_damage

if TYPE_CHECKING:
    from recall.git.worktree import WorkTree

_CATCHING_UP = 0.6  # share of the time that reading the history may take
_CLAIMS_KEPT = 2_000  # memories whose claims are kept
_LATE = "out of time"
_SETTINGS = ("index", "config", "info/attributes", "info/exclude", "info/sparse-checkout")  # of a repository
_FILE_TIME = "file time"  # a date that says when a file was written, be it as a copy
LAST_COMMIT = "last commit"  # the origin of a date that the history tells of a memory's own file


class Checker:
    """Checks memories of one scope; what it learns of the repository is kept for the next question."""

    def __init__(
        self,
        scope: Scope,
        cache: Callable[[], Path],
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`cache`: makes recall's cache folder; `clock` is monotonic, `now` is epoch seconds."""
        self._scope = scope
        self._cache = cache
        self._clock = clock
        self._now = now
        self._claims: dict[tuple[str, int], Claims] = {}
        self._opened: _Opened | None = None
        self._found: tuple[heads.Mark, Repository] | None = None
        self._verdicts = Verdicts()

    def close(self) -> None:
        """Close the cache."""
        if self._opened is not None:
            self._opened.store.close()
            self._opened = None
            self._verdicts.clear()

    def read_history(self, deadline: Deadline) -> str:
        """Read the history so that questions need not; what is left to say, or ""."""
        try:
            found = self._repository(deadline)
            if reason := _unusable(found):
                return safe(reason)
            opened = self._open(found)
            opened.catch_up(found.head, deadline)
            return "" if opened.history.knows_words() else "not all of it was read in time"
        except sqlite3.Error as trouble:
            return str(trouble)

    def check(
        self, rows: Sequence[Row], deadline: Deadline, tree: WorkTree | None = None
    ) -> dict[str, Evidence]:
        """Evidence by uri, for every row.

        tree: what differs from the last commit, if it has been looked at.
        """
        mine = [row for row in rows if self._is_of_project(row)]
        others = {row.uri: not_checked("it belongs to another project") for row in rows}
        looked = edits_of(tree) if tree is not None else None
        asked, mark, now = asked_of(mine), heads.mark(self._scope.root), self._now()
        if (known := self._verdicts.get(asked, mark, looked, now)) is not None:
            return others | known
        try:
            found, proof = self._checked(mine, deadline, tree, mark, now)
            if proof is not None:
                self._verdicts.keep(asked, proof, found)
            return others | found
        except sqlite3.Error as trouble:
            if isinstance(trouble, sqlite3.DatabaseError) and is_damage(trouble) and self._opened is not None:
                self._opened.store.drop()
                self.close()
            reason = (
                "recall's own cache of the history is in use" if "locked" in str(trouble) else str(trouble)
            )
            return others | _all(mine, reason)

    # -- inside -----------------------------------------------------------------------------------------------

    def _is_of_project(self, row: Row) -> bool:
        return not (self._scope.all_projects and row.project and row.project not in self._scope.names)

    def _checked(
        self,
        rows: Sequence[Row],
        deadline: Deadline,
        tree: WorkTree | None,
        mark: heads.Mark | None,
        now: float,
    ) -> tuple[dict[str, Evidence], Proof | None]:
        """Evidence by uri, and what it rests on, if that can be proved to be the same later."""
        claims: dict[str, Claims] = {}
        for row in rows:
            if deadline.expired():
                return _all(rows, _LATE), None
            claims[row.uri] = self._claims_of(row)
        if not any(claims[row.uri].claims or self._by_file(row) or commits.sha_of(row) for row in rows):
            return {row.uri: judge((), Written(None)) for row in rows}, None
        found = self._repository(deadline, mark)
        if reason := _unusable(found):
            return _all(rows, reason), None
        opened = self._open(found)
        began, left = self._clock(), deadline.remaining()
        opened.catch_up(found.head, Deadline(began + left * _CATCHING_UP, self._clock))
        witness = opened.watch()
        own = {path for row in rows if (path := self._inside(row, found.top))}
        agents = [name for name in sorted(words.OF_AGENTS) if opened.holds(name)]
        shas = {row.uri: sha for row in rows if (sha := commits.sha_of(row))}
        made = {uri: commits.found(opened.history, sha) for uri, sha in shas.items()}
        every = [claim for one in claims.values() for claim in one.claims]
        every += [claim for one in made.values() if one is not None for claim in one.left]
        changed = Once(lambda: _changed(found, tree, deadline))
        facts = opened.gatherer.facts(every, _moment(found), own, changed, deadline)
        written = {row.uri: self._written(row, found.top, opened.history, changed) for row in rows}
        oldest = min((one.at for one in written.values() if one.at is not None), default=math.inf)
        facts = {claim: _with_edit(fact, oldest, changed) for claim, fact in facts.items()}
        judged: dict[str, Evidence] = {}
        for row in rows:
            inside = self._inside(row, found.top)
            left_out = [*agents, *([inside] if inside and not words.is_for_agents(inside) else [])]
            show = Commands.of(found.top, self._scope.home, left_out)
            if row.uri in shas:
                judged[row.uri] = commits.judged(claims[row.uri], facts, made[row.uri], opened.history, show)
            else:
                judged[row.uri] = _judged(row, claims[row.uri], facts, written[row.uri], inside, show)
        sure = mark is not None and opened.history.knows_words() and opened.holds_all(changed.known)
        return judged, Proof(mark, witness.stamps, changed.known, now) if mark and sure else None

    def _claims_of(self, row: Row) -> Claims:
        key = (row.uri, hash(row.text))
        if key not in self._claims:
            if len(self._claims) >= _CLAIMS_KEPT:
                self._claims.clear()
            roots = [os.fspath(root) for root in self._scope.roots]
            text = commits.message_of(row) if commits.sha_of(row) else row.text
            self._claims[key] = claims_of(f"{row.title}\n{text}", roots)
        return self._claims[key]

    def _repository(self, deadline: Deadline, mark: heads.Mark | None = None) -> Repository:
        mark = mark or heads.mark(self._scope.root)
        if mark is not None and self._found is not None and self._found[0] == mark:
            return self._found[1]
        found = repository.find(self._scope.root, self._scope.home, self._scope.env, deadline)
        self._found = (mark, found) if mark is not None and found.ready else None
        return found

    def _open(self, found: Repository) -> _Opened:
        if self._opened is None or self._opened.top != found.top:
            self.close()
            store = open_store(self._cache, found.top, self._now())
            self._opened = _Opened(found, store, whole=not partial(found), now=self._now)
        return self._opened

    def _inside(self, row: Row, top: Path) -> str:
        """A memory's own file, below the top of the work tree; "" if it is elsewhere."""
        for root in dict.fromkeys((os.fspath(top), *map(os.fspath, self._scope.roots))):
            if row.path.startswith(root + "/"):
                return row.path[len(root) + 1 :]
        return ""

    def _by_file(self, row: Row) -> bool:
        """Whether a memory is dated by the time of a file that the repository may hold."""
        return row.date_origin == _FILE_TIME and self._inside(row, self._scope.root) != ""

    def _written(self, row: Row, top: Path, history: History, changed: Callable[[], Edits]) -> Written:
        at = row.dated
        if row.date_origin != _FILE_TIME:
            return Written(at)
        # Of a file that the repository holds, the last commit that changed it tells more than its own date.
        path = self._inside(row, top)
        touches = history.dates(path) if path else ()
        if touches and (at is None or touches[0].authored < at):
            edits = changed() if at is not None else Edits()
            if path in edits.paths:
                return Written(at)  # it was written on since
            if edits.lists_changed:
                return Written(touches[0].authored, origin=LAST_COMMIT, commit=touches[0])
        return Written(at, sure=False)


class _Opened:
    """What was opened for one work tree."""

    def __init__(self, found: Repository, store: Store, *, whole: bool, now: Callable[[], float]) -> None:
        self.top = found.top
        self.store = store
        self._git = found.git
        self._git_dirs = dict.fromkeys(filter(None, (found.git_dir, found.common_dir)))
        self._progress = Progress(store, whole=whole)
        self._reader = HistoryReader(store, found.git, whole=whole)
        self._present = Present(found.top, found.git, store, now)
        self._absences = Absences(found.git, store, self._present.text, now)
        self._versions = Versions(found.git, self._present)
        self._history: History | None = None

    @property
    def history(self) -> History:
        """The history as far as it has been read."""
        if self._history is None:
            self._history = History(self.store, self._progress)
        return self._history

    @property
    def gatherer(self) -> Gatherer:
        """What finds out facts."""
        lookup = Lookup(self._git, self._present, self._absences, self.history)
        return Gatherer(self._git, self._present, lookup, self.history, self._versions)

    def watch(self) -> Witness:
        """Note from now on what is looked at, the index and the repository's settings first."""
        self._present.witness = witness = Witness()
        for path in [os.fsencode(folder / name) for folder in self._git_dirs for name in _SETTINGS]:
            witness.stamps[path] = stamp_of(path)
        return witness

    def holds(self, path: str) -> bool:
        """Whether something is there."""
        return self._present.stat(path) is not None

    def holds_all(self, edits: Edits | None) -> bool:
        """Whether every file that differs is there under the name it is shown by, so that it has a stamp."""
        return edits is None or all(map(self.holds, edits.paths))

    def catch_up(self, head: str, deadline: Deadline) -> None:
        """Read on in the history."""
        if self._reader.catch_up(head, deadline):
            self._history = None


def _judged(
    row: Row, claims: Claims, facts: Mapping[Claim, Fact], written: Written, own: str, show: Commands
) -> Evidence:
    """The verdict on a memory; that its own file is there, at `own`, says nothing of it."""
    pairs = [(claim, facts[claim]) for claim in claims.claims]
    checked = [pair for pair in pairs if not own or pair[0].kind is not Kind.PATH or pair[1].place != own]
    found = judge(checked, written, claims.more, show)
    if len(row.text) > LOOKED_AT and not found.reason:
        return found._replace(reason=f"only its first {LOOKED_AT:,} characters were looked at")
    return found


def _unusable(found: Repository) -> str:
    """Why nothing can be checked in a repository; "" if it can be."""
    if not found.ready:
        return f"{found.condition}: {found.reason}" if found.reason else found.condition.value
    if found.bare or found.elsewhere or found.git_dir is None:
        return "the repository has no work tree here"
    if worktree.splits_index(found.git_dir):
        return "the index is split, and git cannot read such a one without touching it"
    return ""


def _moment(found: Repository) -> Moment:
    """HEAD, and the index by its file's status."""
    try:
        index = os.stat((found.git_dir or found.top) / "index")
        state = f"{found.head}:{index.st_mtime_ns}:{index.st_size}:{index.st_ino}"
    except OSError:
        state = found.head
    return Moment(found.head, state)


def _changed(found: Repository, tree: WorkTree | None, deadline: Deadline) -> Edits:
    """What differs from the last commit."""
    if tree is None or not tree.looked:
        tree = worktree.look(found, deadline)
    return edits_of(tree)


def _with_edit(fact: Fact, oldest: float, changed: Callable[[], Edits]) -> Fact:
    """The fact that a file is there, with whether it was edited, where that can matter: it is younger than a memory."""
    if fact.edited or fact.modified is None or fact.modified <= oldest:
        return fact
    edits = changed()
    if fact.place in edits.paths:
        return fact._replace(edited=True)
    # A file that was never committed is no file that was changed since.
    listed = edits.lists_changed if fact.touches else edits.lists_untracked
    return fact if listed else fact._replace(edited=None, reason=edits.reason)


def _all(rows: Iterable[Row], reason: str) -> dict[str, Evidence]:
    return {row.uri: not_checked(safe(reason)) for row in rows}
