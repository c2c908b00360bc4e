"""What of a journal still stands: superseded entries and finished work are gone from it, and counted. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recall.checkpoints.form import LATEST, Record


class Step(NamedTuple):
    """One next step."""

    id: str  # what closes it: "12-7f3a.1"
    text: str
    record: Record  # that named it


class Closed(NamedTuple):
    """An entry that no longer stands, and the one that says so."""

    record: Record
    by: Record


class Standing(NamedTuple):
    """Where a project stands by its journal; everything in the order it was written."""

    entries: tuple[Record, ...] = ()  # of every kind, that nothing closed
    next: tuple[Step, ...] = ()
    closed: tuple[Closed, ...] = ()
    done: int = 0  # next steps that are finished, replaced or closed

    def of(self, *kinds: str) -> tuple[Record, ...]:
        """The standing entries of some kinds."""
        return tuple(record for record in self.entries if record.kind in kinds)

    def last(self, kind: str) -> Record | None:
        """The last standing entry of a kind: of milestones, verifications and hand-overs the one that counts."""
        return next((record for record in reversed(self.entries) if record.kind == kind), None)


def standing(records: Sequence[Record]) -> Standing:
    """What stands after all records.

    A next step is finished when an entry closes it or the entry that named it, or when a later milestone or
    verification says the same words. The steps of a hand-over replace all earlier ones: it says what is left.
    """
    closing = {name: record for record in records for name in record.closes}
    entries = tuple(record for record in records if record.id not in closing)
    steps = _open_steps(records, closing)
    closed = tuple(Closed(record, closing[record.id]) for record in records if record.id in closing)
    return Standing(entries, steps, closed, sum(len(record.next) for record in records) - len(steps))


def _open_steps(records: Iterable[Record], closing: dict[str, Record]) -> tuple[Step, ...]:
    steps: dict[str, Step] = {}
    for record in records:
        if record.kind in LATEST:
            said = _words(record.text)
            steps = {name: step for name, step in steps.items() if _words(step.text) != said}
        if record.kind == "handoff" and record.next:
            steps = {}
        for number, text in enumerate(record.next, 1):
            step = Step(f"{record.id}.{number}", text, record)
            steps[step.id] = step
    return tuple(step for step in steps.values() if step.id not in closing and step.record.id not in closing)


def _words(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split()).rstrip(".!。")
