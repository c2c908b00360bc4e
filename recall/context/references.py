"""What names an entry or a next step: 12 or 12-7f3a, 12.1 or 12-7f3a.1."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from recall.checkpoints import Record
from recall.errors import NotFound, UsageError

_FORM = re.compile(r"(?P<seq>[1-9][0-9]{0,8})(?P<rest>-[0-9a-f]{4})?(?:\.(?P<step>[1-9][0-9]?))?")
_LIST = "`recall checkpoint list --all` shows the entries and their next steps"


class Named(NamedTuple):
    """What a reference means."""

    record: Record
    step: int | None = None  # from 1

    @property
    def id(self) -> str:
        """As an entry's `closes` holds it."""
        return self.record.id if self.step is None else f"{self.record.id}.{self.step}"


def named(text: str, records: Sequence[Record]) -> Named:
    """The entry or step that a reference means.

    Raises UsageError where it is none, and where a merged journal has several; NotFound where it leads nowhere.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} names no entry: 12 or 12-7f3a, of a next step 12.1", _LIST)
    name = match["seq"] + (match["rest"] or "")
    found = [one for one in records if name == one.id or (not match["rest"] and one.seq == int(match["seq"]))]
    if not found:
        raise NotFound(f"there is no entry {name}", _LIST)
    if len(found) > 1:
        raise UsageError(f"{name} is the number of several: {', '.join(one.id for one in found)}", _LIST)
    if match["step"] is None:
        return Named(found[0])
    step = int(match["step"])
    if step > len(found[0].next):
        raise NotFound(f"there is no next step {text}: entry {name} has {len(found[0].next)}", _LIST)
    return Named(found[0], step)


def entry_named(text: str, records: Sequence[Record]) -> Record:
    """The entry that a reference means, or that has the step it means; raises like `named`."""
    return named(text, records).record
