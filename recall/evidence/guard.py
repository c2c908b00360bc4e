"""No failure of a check takes the answer with it: memories are then not checked, and the failure is told."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from recall.api import Deadline, Scope
from recall.evidence.result import Evidence, not_checked
from recall.index import Row

if TYPE_CHECKING:
    from recall.evidence.checker import Checker
    from recall.git.worktree import WorkTree

T = TypeVar("T")

Tell = Callable[[str], object]


class GuardedChecker:
    """A `Checker` that is made at its first use, and whose mistakes are told instead of raised."""

    def __init__(
        self,
        scope: Scope,
        cache: Callable[[], Path],
        *,
        clock: Callable[[], float],
        now: Callable[[], float],
    ) -> None:
        """`cache`: makes recall's cache folder; `clock` is monotonic, `now` is epoch seconds."""
        self._scope = scope
        self._cache = cache
        self._clock = clock
        self._now = now
        self._made: Checker | None = None

    def close(self) -> None:
        """Close the cache; a later check opens it again."""
        if self._made is not None:
            self._made.close()
            self._made = None

    def check(
        self, rows: Sequence[Row], deadline: Deadline, tree: WorkTree | None = None, tell: Tell = str
    ) -> Mapping[str, Evidence]:
        """Evidence by uri, for every row; `tell` is given a line where the check failed."""
        failed: list[str] = []
        found = guarded(lambda: self._checker().check(rows, deadline, tree), failed.append)
        if found is not None:
            return found
        tell(f"no memory was checked against the repository: {failed[0]}")
        return {row.uri: not_checked(failed[0]) for row in rows}

    def read_history(self, deadline: Deadline) -> str:
        """Read the history so that questions need not; what is left to say, or ""."""
        failed: list[str] = []
        left = guarded(lambda: self._checker().read_history(deadline), failed.append)
        return failed[0] if left is None else left

    def _checker(self) -> Checker:
        if self._made is None:
            from recall.evidence.checker import Checker

            self._made = Checker(self._scope, self._cache, clock=self._clock, now=self._now)
        return self._made


def guarded(work: Callable[[], T], tell: Tell) -> T | None:
    """What the work returns; None if it fails, and `tell` is given the mistake and its place on one line."""
    try:
        return work()
    except Exception as error:
        tell(_said(error))
        return None


def _said(error: Exception) -> str:
    from recall import failures

    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f", {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""
    return f"a mistake of recall ({type(error).__name__}: {failures.said(error)}{place})"
