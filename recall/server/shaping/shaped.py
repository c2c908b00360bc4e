"""What all results share: their two forms, and lines of other programs made safe and short."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from recall import clean
from recall.index import Row
from recall.render.document import iso

_LINES = 8  # notes, facts or problems of one provider; `recall doctor` lists them all
_LINE = 400  # characters of a title, a reason, a note


class Shaped(NamedTuple):
    """Both forms of a result."""

    text: str
    structured: dict[str, Any]


def as_json(structured: dict[str, Any]) -> str:
    """A structured result as a client shows it."""
    return json.dumps(structured, ensure_ascii=False)


def safe(text: str) -> str:
    """A line that did not come through the index: a path, a reason, another program's words."""
    return clean.clean(" ".join(text[: 4 * _LINE].split())).text[:_LINE]


def few(lines: Sequence[str]) -> tuple[str, ...]:
    """The first few lines, made safe; the others are counted."""
    more = (f"and {len(lines) - _LINES:,} more",) if len(lines) > _LINES else ()
    return (*map(safe, lines[:_LINES]), *more)


def short_title(row: Row) -> Row:
    """The same with a title of one short line."""
    return row._replace(title=row.title[:_LINE]) if len(row.title) > _LINE else row


def date(updated: float | None, created: float | None) -> str:
    """The day a memory was written, as far as it is known; epoch seconds."""
    return (iso(updated if updated is not None else created) or "")[:10]


def place(path: str, line: int | None) -> str:
    """Where a memory lies, as editors understand it."""
    return f"{path}:{line}" if path and line is not None else path
