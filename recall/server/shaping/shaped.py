"""What all results share: their two forms, and lines of other programs made safe and short."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from recall import clean
from recall.index import Row

_LINE = 400  # characters of a title
_LOOKED_AT = 1_600  # characters of a line, before its spaces are collapsed


class Shaped(NamedTuple):
    """Both forms of a result."""

    text: str
    structured: dict[str, Any]

    @property
    def size(self) -> int:
        """Characters of the longer form."""
        return max(len(self.text), len(as_json(self.structured)))


class Detail(NamedTuple):
    """How much is said of one provider, beside its state; `recall doctor` says all."""

    lines: int  # notes, facts or problems
    length: int  # characters of each, and of a reason or a next step


DETAILS = (Detail(8, 400), Detail(4, 200), Detail(2, 120), Detail(1, 60), Detail(0, 40))  # the most first


def as_json(structured: dict[str, Any]) -> str:
    """A structured result as a client shows it."""
    return json.dumps(structured, ensure_ascii=False)


def cut(text: str, length: int) -> str:
    """A text of at most so many characters; what is missing shows."""
    return text if len(text) <= length else text[: length - 1] + "…"


def safe(text: str, length: int = _LINE) -> str:
    """A line that did not come through the index: a path, a reason, another program's words."""
    rest = "…" if len(text) > _LOOKED_AT else ""
    return cut(clean.clean(" ".join(text[:_LOOKED_AT].split())).text + rest, length)


def few(lines: Sequence[str], detail: Detail = DETAILS[0]) -> tuple[str, ...]:
    """The first few lines, made safe; the others are counted."""
    shown = [safe(line, detail.length) for line in lines[: detail.lines]]
    rest = len(lines) - len(shown)
    if rest:
        shown.append(f"and {rest:,} more" if shown else f"{rest:,} not shown")
    return tuple(shown)


def short_title(row: Row) -> Row:
    """The same with a title, and a reason why it is withdrawn, of one short line."""
    return row._replace(title=cut(row.title, _LINE), withdrawn=cut(row.withdrawn, _LINE))
