"""Where a project stands, in one bounded answer: the fast start of a session.

Git, the last checkpoint, the documents of the current state, and pointers into memories that the index knows
already. No other program than git is started and no other source is looked at: the slow question is `recall query`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from recall import files, policies
from recall.api import Deadline
from recall.context import budget, documents, pointers, saved, worktree
from recall.context.budget import Section
from recall.context.handle import Bound, Continuity, Handle
from recall.engine import Engine
from recall.fanout import Aside
from recall.git import heads
from recall.git.present import LATE, Present
from recall.git.repository import Condition
from recall.git.shown import safe
from recall.wording import why

DEADLINE = 4.0  # seconds for all of it; some 40 ms on a calm machine, and it is a session's first step
_DOCUMENTS_SHARE = 0.6  # of the deadline, that looking at the project's documents may take
_GIT_SHARE = 0.85  # of it, after which git is ended: what it said until then, the commit above all, is told
_JOURNAL_SHARE = 0.8  # of it, after which the journal is no more waited for: the rest needs time, too
_POINTERS = 6
_PLAIN_BRANCHES = frozenset({"", "main", "master", "trunk", "develop", "dev"})
_NO_WORD = re.compile(r"[/_.-]+")


class Bootstrap(NamedTuple):
    """How a project stands, what was decided, what is next. Moments are epoch seconds."""

    project: str
    present: Present | None  # None outside version control
    fingerprint: str  # of the work tree; "" if it is not known
    sections: tuple[Section, ...]
    handle: Handle | None  # None where none could be given out
    checkpoint: float | None  # when the last one was made
    journal_read: bool  # whether the checkpoints could be looked at
    changed: bool | None  # whether the work tree has changed since; None if that cannot be told
    notices: tuple[str, ...]
    seconds: float
    now: float


def bootstrap(
    engine: Engine,
    *,
    subject: str = "",
    tokens: int | None = None,
    size: budget.Size = budget.tokens,
    server: str = "",
    hand_out: bool = True,
    deadline: float = DEADLINE,
    clock: Callable[[], float] = time.monotonic,
) -> Bootstrap:
    """Look where the project stands.

    subject: what the session is about; without, the next steps, the branch and the last commits say it.
    tokens: the budget in units of `size`; None is the settings'.
    server: the running server's name, that a handle is bound to; "" for the command.
    hand_out: whether a context handle is given out.
    """
    began = clock()
    until = Deadline(began + deadline, clock)
    scope, now = engine.scope, engine.now()
    repository: Aside[tuple[Present | None, str]] = Aside()
    gits = Deadline(began + deadline * _GIT_SHARE, clock)
    cache = engine.places.cache
    looked = repository.begin(lambda: worktree.look(scope, cache, gits))  # while the documents are read
    journals: Aside[saved.Saved] = Aside()
    read = journals.begin(lambda: saved.read(scope, now))
    told = documents.look(engine, Deadline(began + deadline * _DOCUMENTS_SHARE, clock))
    journal = read(Deadline(began + deadline * _JOURNAL_SHARE, clock), saved.LATE)
    found = pointers.find(engine, _subjects(engine, subject, journal), _POINTERS, until.expired)
    ruled = tuple(policies.lines(engine, until))
    standing, mark = looked(until, (LATE, ""))
    handle, refused = _handed(engine, standing, mark, server, now) if hand_out else (None, "")
    sections = [
        Section("next", "Next steps", 0.16, journal.next_steps),
        Section("blockers", "Blockers", 0.08, journal.blockers),
        Section("constraints", "Constraints", 0.12, journal.constraints),
        Section("decisions", "Decisions", 0.22, (*journal.decisions, *documents.records(engine))),
        Section("state", "Current state", 0.26, (*journal.events, *documents.state(engine))),
        Section(
            "pointers", "Memories to open when they are needed", 0.1, tuple(_pointed(engine, found, now))
        ),
        Section("policy", "Policies (rules to follow, not memory)", 0.06, ruled),
    ]
    return Bootstrap(
        project=scope.names[0] if scope.names else "",
        present=standing,
        fingerprint=mark,
        sections=budget.fitted(sections, tokens or engine.settings.context.budget, size),
        handle=handle,
        checkpoint=journal.at,
        journal_read=journal.looked,
        changed=journal.changed(standing, mark),
        notices=tuple(filter(None, (*engine.notices(), *told, *journal.notices, refused))),
        seconds=clock() - began,
        now=now,
    )


def _handed(
    engine: Engine, standing: Present | None, mark: str, server: str, now: float
) -> tuple[Handle | None, str]:
    """A handle for the project as it stands; none, and why, where recall's state cannot be written."""
    if standing is not None and standing.state == Condition.LATE:
        return None, f"no context handle: {standing.reason}"  # one that is bound to nothing would never hold
    root, state = engine.scope.root, engine.places.state
    head, branch = (standing.head, standing.branch) if standing is not None else ("", "")
    try:
        return Continuity(state, root).issue(Bound(root, head, branch, mark), now, server), ""
    except OSError as error:
        return None, f"no context handle: {files.display_path(state)} cannot be written: {why(error)}"


def _pointed(engine: Engine, found: list[pointers.Pointer], now: float) -> Iterator[str]:
    yield from pointers.lines(found, now)
    yield from pointers.beyond(engine, len(found))


def _subjects(engine: Engine, subject: str, journal: saved.Saved) -> Iterator[str]:
    """What the session is about, as questions, the most telling first."""
    if subject.strip():
        yield subject
        return
    yield from journal.subjects
    # From files: git may still be comparing the work tree.
    branch = safe(heads.current(engine.scope.root).branch) if engine.scope.in_git else ""
    if branch.lower() not in _PLAIN_BRANCHES:
        yield _NO_WORD.sub(" ", branch)
    if "git" in engine.sources:
        yield from (row.title for row in engine.index.latest("git", pointers.QUESTIONS))
