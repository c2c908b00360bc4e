"""When a row was written: its columns hold epochs of every unit, text in the place of epochs, and nonsense."""

from __future__ import annotations

from datetime import datetime

from recall.api import utc_from_epoch, utc_from_text
from recall.documents import sane


def moment(epoch: object, text: object) -> datetime | None:
    """The first of two columns that holds a date on which a memory can have been written."""
    found = (utc_from_epoch(epoch), utc_from_text(epoch), utc_from_text(text), utc_from_epoch(text))
    return next((one for one in map(sane, found) if one is not None), None)
