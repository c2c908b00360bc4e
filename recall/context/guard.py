"""Whether a call that changes something may go on: a check of continuity, and no sandbox."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from pathlib import Path

from recall.api import Deadline, Scope
from recall.context.handle import Bound, Continuity, Finding, Verdict
from recall.git import repository
from recall.git.repository import Condition
from recall.git.shown import safe

# The one command that gives out a handle where the tool is not to be had; nothing may be put behind it.
_BOOTSTRAP = re.compile(r"[ \t]+bootstrap(?:[ \t]+[\w./~=-]+)*")
_SHELLS = frozenset({"Bash", "shell", "exec_command", "run_shell_command"})  # a write tool runs no command
NOTHING_MORE = (
    "This checks that the session knows how the project stands, and nothing else; "
    "`context.guard = false` in recall's settings switches it off."
)


def is_guarded(tool: str, command: str, patterns: Iterable[str], program: str = "") -> bool:
    """Whether a tool needs a bootstrap before it.

    command: what a shell is to run, "" for other tools: `recall bootstrap` itself never needs one.
    program: the path of recall, which an agent needs where it is not on PATH.
    """
    if tool in _SHELLS and _is_bootstrap(command.strip(), program):
        return False
    return any(fnmatch.fnmatchcase(tool, pattern) for pattern in patterns)


def _is_bootstrap(command: str, program: str) -> bool:
    names = filter(None, ("recall", program))
    return any(
        command.startswith(name) and _BOOTSTRAP.fullmatch(command, len(name)) is not None for name in names
    )


def judged(
    scope: Scope,
    state: Path,
    *,
    handle: str = "",
    session: str = "",
    now: float,
    idle_seconds: float,
    deadline: Deadline,
) -> Verdict:
    """Whether a call in a project may go on; git is asked once.

    state: recall's own state folder. handle: the one to check; without, any of the session's counts.
    session: the client's id of it; without, any handle of the project that still holds counts.
    """
    bound = _bound(scope, deadline)
    if bound is None:
        return Verdict(Finding.UNKNOWN, "git did not answer in time, so how the project stands is not known")
    continuity = Continuity(state, scope.root)
    if handle:
        return continuity.check(handle, bound, now, idle_seconds)
    return continuity.check_session(session, bound, now, idle_seconds)


def _bound(scope: Scope, deadline: Deadline) -> Bound | None:
    """What a handle is bound to, in a bootstrap's own words; None if git did not answer in time."""
    if not scope.in_git:
        return Bound(scope.root, "", "")
    found = repository.find(scope.root, scope.home, scope.env, deadline)
    late = found.condition is Condition.LATE
    return None if late else Bound(scope.root, found.head, safe(found.branch))
