"""What earlier looks teach the next one: who is left alone for a while, and which paths are not touched.

Nearly always there is nothing to be learned, and finding that out costs one look for a file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING

from recall.answer import Outcome
from recall.api import Deadline, State
from recall.fanout import Emit, Task
from recall.files import apart
from recall.settings import SuspensionSettings

if TYPE_CHECKING:
    from recall.suspension import Known, Suspended, Suspension

_PATIENCE = (
    0.3  # seconds that a path which once hung has to answer, and at most a quarter of the time that is left
)
_TRIED_AGAIN = 30.0  # seconds after which it is tried again; doctor tries at once


class Backoff:
    """The failures and the silent paths of one scope."""

    def __init__(self, path: Path, rules: SuspensionSettings) -> None:
        """path: the file they are written down in; rules: what failures lead to."""
        self._path = os.fspath(path)
        self._rules = rules
        self.avoided: tuple[str, ...] = ()  # paths that hung and do not answer yet

    def suspended(self, now: float, given: float = 0.0) -> Mapping[str, Suspended]:
        """Who is not asked at present, by name.

        now: epoch seconds; given: seconds that a look would have.
        """
        known = self._known()
        return {} if known is None else self._suspension().suspended(known, now, given)

    def lift(self, names: Sequence[str], now: float) -> None:
        """Ask these again from now on: they have just answered."""
        if names:
            self._suspension().note({}, names, now)

    def note(
        self, ended: Mapping[str, Outcome], read: Set[str], hung: Set[str], given: float, now: float
    ) -> None:
        """Write down who failed, and that who had failed has answered.

        ended: what became of the looks; read: names of those that read something, and so have not failed, however late
        they were. hung: paths at which a thread hangs. given: seconds that they had; now: epoch seconds.
        """
        failing = (State.BUSY, State.BROKEN)
        failed = [name for name, one in ended.items() if one.state in failing and name not in read]
        if not failed and not hung and not os.path.lexists(self._path):
            return
        from recall.suspension import Failure, Silent

        failures = {}
        for name in failed:
            outcome = ended[name]
            failures[name] = Failure(outcome.state.value, outcome.reason, given if outcome.late else 0.0)
        # Tried at the next look: that it hung once may be for the reader's own reasons.
        silent = {path: Silent(0.0, path) for path in hung}
        self._suspension().note(failures, ended.keys() - failures.keys(), now, silent)

    def look(self, deadline: Deadline, now: float, *, retry: bool) -> None:
        """Find out which of the paths that once hung answer again, by processes that can be killed.

        retry: try those too that were tried a moment ago.
        """
        known = self._known()
        if known is None or not known.silent:
            self.avoided = ()
            return
        due = [path for path, one in known.silent.items() if retry or not 0 <= now - one.tried < _TRIED_AGAIN]
        held = {one.avoid for path, one in known.silent.items() if path not in due}
        silent = self._try(due, deadline, now) if due else {}
        self.avoided = tuple({*silent.values(), *held})

    def careful(self, task: Task) -> Task:
        """The same work, touching no path that hung and does not answer yet."""
        paths = self.avoided
        if not paths:
            return task

        def avoiding(emit: Emit) -> None:
            with apart.avoiding(paths):
                task(emit)

        return avoiding

    def avoids(self, path: str) -> bool:
        """Whether a path is one of those that are not touched, or lies below one."""
        with apart.avoiding(self.avoided):
            return bool(path and apart.obstacle(path))

    def _try(self, paths: Iterable[str], deadline: Deadline, now: float) -> Mapping[str, str]:
        """Those that still do not answer, each with what is to be avoided for it; all of it is written down."""
        from recall.suspension import Silent

        silent = apart.unanswering(paths, Deadline.after(min(_PATIENCE, deadline.remaining() / 4)))
        found = {path: Silent(now, avoid) for path, avoid in silent.items()}
        self._suspension().note({}, (), now, found, set(paths) - silent.keys())
        return silent

    def _known(self) -> Known | None:
        """What is written down; None if there is no file."""
        return self._suspension().known() if os.path.lexists(self._path) else None

    def _suspension(self) -> Suspension:
        from recall.suspension import Suspension  # most looks find no failure

        return Suspension(Path(self._path), self._rules)
