"""How claude-mem's observer is, by the file it writes after a failure and after a success: whether it stores anything.

The file is absent until its model has answered or failed once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from recall.api import utc_from_epoch
from recall.documents import one_line, shorten
from recall.errors import StoreBroken
from recall.files import read_text
from recall.frontmatter import load_json
from recall.wording import ago, counted

_FILE = "observer-health.json"


def facts(data: Path, now: float) -> tuple[str, ...]:
    """Lines for doctor; now: epoch seconds."""
    try:
        told = load_json(read_text(data / _FILE).text)
    except (StoreBroken, OSError):
        return ()
    return tuple(_facts(told, now)) if isinstance(told, dict) else ()


def _facts(told: Mapping[str, Any], now: float) -> Iterator[str]:
    success, failure = _seconds(told.get("lastSuccessAt")), _seconds(told.get("lastErrorAt"))
    if success is not None:
        yield f"observer: last stored something {ago(now - success)}"
    failures = told.get("consecutiveFailures")
    if isinstance(failures, int) and failures > 0 and (success is None or (failure or 0) > success):
        since = _seconds(told.get("failingSinceAt"))
        began = f", the first {ago(now - since)}" if since is not None else ""
        said = shorten(one_line(str(told.get("lastErrorMessage") or "")))
        provider = told.get("lastErrorProvider")
        of = f" of {provider}" if isinstance(provider, str) and provider else ""
        yield f"observer: {counted(failures, 'failure')}{of} in a row{began}{f': {said}' if said else ''}"
    yield from _quota(told.get("quotaCooldown"), now)


def _quota(told: object, now: float) -> Iterator[str]:
    if not isinstance(told, dict):
        return
    until = utc_from_epoch(told.get("until"))
    if until is None or until.timestamp() <= now:
        return
    window = told.get("window")
    which = f", {window}" if isinstance(window, str) and window else ""
    provider = told.get("provider") or "its model"
    yield f"quota: {provider} is used up{which}; nothing is stored until {until:%Y-%m-%d %H:%M} UTC"


def _seconds(value: object) -> float | None:
    moment = utc_from_epoch(value)
    return moment.timestamp() if moment is not None else None
