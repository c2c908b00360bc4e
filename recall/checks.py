"""Checking memories against the repository: whether they are, which of them, and for how long."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recall import merge
from recall.api import Deadline, Scope
from recall.asking import GIT, Asked
from recall.evidence.guard import GuardedChecker, Tell
from recall.evidence.result import Evidence, not_checked
from recall.index import Match, Row
from recall.settings import EvidenceSettings

if TYPE_CHECKING:
    from recall.git.present import Present

_CHECKED, _CHECKED_PER_LIMIT = 24, 3  # best candidates that are checked: at least, and per memory asked for
_SHARE = 0.8  # of what is left of the deadline, that checking memories may take


class Checks:
    """One engine's checks. What does the work is imported, and its cache opened, at the first one."""

    def __init__(
        self,
        scope: Scope,
        settings: Callable[[], EvidenceSettings],
        sources: Collection[str],
        make_cache: Callable[[], Path],
        clock: Callable[[], float],
        now: Callable[[], float],
    ) -> None:
        self._scope = scope
        self._settings = settings
        self._sources = sources
        self._clock = clock
        self._checker = GuardedChecker(scope, make_cache, clock=clock, now=now)

    def close(self) -> None:
        """Close the cache."""
        self._checker.close()

    def read_history(self, deadline: Deadline) -> str:
        """Read what memories are checked against, so that questions need not; what is left to say, or ""."""
        return "" if self._why_not() else self._checker.read_history(deadline)

    def of(self, row: Row, most: float = math.inf) -> Evidence:
        """What the repository says of one memory, found out in at most so many seconds."""
        deadline = Deadline.after(min(self._settings().max_seconds, most), self._clock)
        return self._check([row], deadline)[row.uri]

    def checking(
        self,
        asked: Asked,
        deadline: Deadline,
        present: Present | None,
        commit: Callable[[str], Match | None],
        tell: Tell,
    ) -> merge.Checking:
        """How candidates are checked within what is left of the deadline.

        present: how the repository stands, if it has been looked at.
        commit: a commit's memory by its uri.
        tell: is given a line where checking failed.
        """
        seconds = min(self._settings().max_seconds, deadline.remaining() * _SHARE)
        until = Deadline.after(seconds, self._clock)

        def asked_for(uri: str) -> Match | None:
            return commit(uri) if not asked.providers or GIT in asked.providers else None

        return merge.Checking(
            most=max(_CHECKED, _CHECKED_PER_LIMIT * asked.limit),
            check=lambda rows: self._check(rows, until, present, tell),
            commit=asked_for,
            only_current=asked.only_current,
        )

    def _check(
        self, rows: Sequence[Row], deadline: Deadline, present: Present | None = None, tell: Tell = str
    ) -> Mapping[str, Evidence]:
        if why_not := self._why_not():
            return {row.uri: not_checked(why_not, tried=False) for row in rows}
        return self._checker.check(rows, deadline, present.tree if present else None, tell)

    def _why_not(self) -> str:
        """Why no memory is checked; "" if they are."""
        if not self._scope.in_git:
            return "not in a Git repository"
        if not self._settings().enabled:
            return "switched off by evidence.enabled"
        return "" if GIT in self._sources else "the source git is switched off"
