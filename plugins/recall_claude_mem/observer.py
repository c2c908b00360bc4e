"""How claude-mem's observer is, by the file it writes after a failure and after a success: whether it stores anything.

The file is absent until its model has answered or failed once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from recall.api import utc_from_epoch
from recall.documents import one_line, shorten
from recall.errors import StoreBroken
from recall.files import read_text
from recall.frontmatter import load_json

_FILE = "observer-health.json"


def facts(data: Path, now: float) -> tuple[str, ...]:
    """Lines for doctor; now: epoch seconds."""
    try:
        told = load_json(read_text(data / _FILE).text)
    except (StoreBroken, OSError):
        return ()
    return tuple(_facts(told, now)) if isinstance(told, dict) else ()


def _facts(told: Mapping[str, Any], now: float) -> Iterator[str]:
    success, failure = utc_from_epoch(told.get("lastSuccessAt")), utc_from_epoch(told.get("lastErrorAt"))
    if success is not None:
        yield f"observer: last stored something {_shown(success)}"
    failures = told.get("consecutiveFailures")
    if isinstance(failures, int) and failures > 0 and _is_later(failure, success):
        provider, since = told.get("lastErrorProvider"), utc_from_epoch(told.get("failingSinceAt"))
        of = f" of {provider}" if isinstance(provider, str) and provider else ""
        began = f" since {_shown(since)}" if since is not None else ""
        said = shorten(one_line(str(told.get("lastErrorMessage") or "")))
        yield f"observer: failures{of} in a row{began}: {failures:,}{f', the last: {said}' if said else ''}"
    yield from _quota(told.get("quotaCooldown"), now)


def _quota(told: object, now: float) -> Iterator[str]:
    until = utc_from_epoch(told.get("until")) if isinstance(told, dict) else None
    if not isinstance(told, dict) or until is None or until.timestamp() <= now:
        return
    window = told.get("window")
    which = f", {window}" if isinstance(window, str) and window else ""
    provider = told.get("provider") or "its model"
    yield f"quota: {provider} is used up{which}; nothing is stored until {_shown(until)}"


def _is_later(moment: datetime | None, than: datetime | None) -> bool:
    return than is None or (moment is not None and moment > than)


def _shown(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
