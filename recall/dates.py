"""Moments as other programs write them: an epoch in any unit, a text of ISO 8601."""

from __future__ import annotations

from datetime import UTC, datetime

# Later than any real date a store written so far can hold, early enough to tell a wrong unit from a date.
_LATEST_EPOCH_SECONDS = 4_102_444_800  # 2100-01-01
_EARLIEST_EPOCH_SECONDS = 946_684_800  # 2000-01-01


def utc_from_epoch(value: object) -> datetime | None:
    """A moment from an epoch in seconds, milliseconds, microseconds or nanoseconds, or None if it is no date.

    The unit is told by size: only one of the four lands between 2000 and 2100.
    """
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = float(value) if isinstance(value, int | float | str) else float("nan")
    except (ValueError, OverflowError):
        return None
    for _ in range(4):
        if _EARLIEST_EPOCH_SECONDS <= number < _LATEST_EPOCH_SECONDS:
            return datetime.fromtimestamp(number, UTC)
        number /= 1000
    return None


def utc_from_text(value: object) -> datetime | None:
    """A moment from ISO 8601 text with any number of fractional digits; a naive one counts as UTC."""
    if not isinstance(value, str) or len(value) > 64:
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (OverflowError, ValueError):
        return None
