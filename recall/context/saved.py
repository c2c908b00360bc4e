"""What the journal of checkpoints tells at the start of a session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from recall.api import Scope, utc_from_text
from recall.checkpoints import Record
from recall.checkpoints.closing import Standing, standing
from recall.context import journal
from recall.errors import ContextUnavailable
from recall.git.present import Present
from recall.git.shown import safe
from recall.wording import ago, one_line

_DECIDED = ("approved", "rejected", "decision", "abandoned")
_TOLD = ("milestone", "verification", "handoff")


class Saved(NamedTuple):
    """What stands by the journal, as lines, and the last checkpoint."""

    last: Record | None = None
    at: float | None = None  # epoch seconds
    next_steps: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()  # the latest first
    events: tuple[str, ...] = ()  # the last milestone, verification and hand-over
    subjects: tuple[str, ...] = ()  # what the session is likely about, in plain words
    notices: tuple[str, ...] = ()
    looked: bool = True  # whether the journal could be looked at; without, nothing is known of checkpoints

    def changed(self, present: Present | None, fingerprint: str) -> bool | None:
        """Whether the work tree has changed since the last checkpoint; None if that cannot be told."""
        if self.last is None or present is None or not (self.last.head and present.head):
            return None
        if self.last.head != present.head:
            return True
        known = self.last.fingerprint and fingerprint
        return self.last.fingerprint != fingerprint if known else None


def last(scope: Scope) -> Saved:
    """The last checkpoint alone, however long the journal is; a journal that cannot be read has none."""
    try:
        record = journal.last(scope.main_root)
    except ContextUnavailable as error:
        return Saved(notices=(str(error),), looked=False)
    moment = utc_from_text(record.at) if record is not None else None
    return Saved(last=record, at=moment.timestamp() if moment else None)


LATE = Saved(
    notices=("the journal of checkpoints was not read in time; `recall checkpoint verify` looks at it",),
    looked=False,
)


def read(scope: Scope, now: float) -> Saved:
    """Read the project's journal; what is wrong with it is a notice."""
    try:
        contents = journal.read(scope.main_root).contents
    except ContextUnavailable as error:
        return Saved(notices=(str(error),), looked=False)
    notices: tuple[str, ...] = ()
    if contents.damages:
        notices = (
            f"the journal of checkpoints is damaged: {contents.damage_words()}; `recall checkpoint verify`",
        )
    if not contents.records:
        return Saved(notices=notices)
    stands = standing(contents.records)
    last = contents.records[-1]
    moment = utc_from_text(last.at)
    return Saved(
        last=last,
        at=moment.timestamp() if moment else None,
        next_steps=tuple(
            f"{_said(step.text)} ({step.id})"
            for step in sorted(stands.next, key=lambda step: -step.record.seq)  # of one entry in its order
        ),
        blockers=tuple(_lines(reversed(stands.of("blocker")), now)),
        constraints=tuple(_lines(reversed(stands.of("constraint")), now)),
        decisions=tuple(_lines(reversed(stands.of(*_DECIDED)), now, with_kind=True)),
        events=tuple(_lines(_events(stands), now, with_kind=True)),
        subjects=(*(step.text for step in stands.next), *(one.text for one in stands.of("blocker"))),
        notices=notices,
    )


def _events(stands: Standing) -> Iterator[Record]:
    """Of milestones, verifications and hand-overs the last one tells the state; the latest first."""
    found = [record for kind in _TOLD if (record := stands.last(kind)) is not None]
    return iter(sorted(found, key=lambda record: -record.seq))


def _lines(records: Iterable[Record], now: float, *, with_kind: bool = False) -> Iterator[str]:
    for record in records:
        moment = utc_from_text(record.at)
        when = f", {ago(now - moment.timestamp())}" if moment else ""
        kind = f"{record.kind}: " if with_kind else ""
        why = f"; why: {_said(record.why)}" if record.why else ""
        yield f"{kind}{_said(record.text)}{why} ({record.id}{when})"


def _said(text: str) -> str:
    """A journal may hold lines of another's hand: one line each, without what could imitate a frame."""
    return one_line(safe(" ".join(text.split())))
