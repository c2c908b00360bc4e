"""What is sent: texts with places for the question, and lists of NAME=VALUE."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from recall.api import Query, Scope

_PLACE = re.compile(r"\{(\w+)\}")


class Values(NamedTuple):
    """What can stand in a template, by name."""

    query: str  # the question as it was typed
    terms: str  # its key terms, most distinctive first
    limit: int  # most results
    project: str  # what the project is called
    root: str  # its folder
    home: str

    @classmethod
    def of(cls, query: Query, scope: Scope) -> Values:
        """The values for a question."""
        terms = " ".join(query.terms) or query.text
        name = scope.names[0] if scope.names else ""
        return cls(query.text, terms, query.limit, name, str(scope.root), str(scope.home))


def check(text: str) -> None:
    """Raise ValueError for a place that nothing fills."""
    for name in _PLACE.findall(text):
        if name not in Values._fields:
            known = ", ".join(f"{{{known}}}" for known in Values._fields)
            raise ValueError(f"nothing fills {{{name}}}; there are {known}")


def fill(text: str, values: Values, quote: Callable[[str], str] = str) -> str:
    """A template with its places filled; `quote` is applied to what fills them, and to nothing else."""
    told = values._asdict()
    return _PLACE.sub(lambda place: quote(str(told[place[1]])), text)


def pairs(lines: Iterable[str]) -> list[tuple[str, str]]:
    """NAME=VALUE as (NAME, VALUE); raises ValueError for a line that is none, without showing its value."""
    found = []
    for number, line in enumerate(lines, 1):
        name, equals, value = line.partition("=")
        if not (equals and name.strip()):
            raise ValueError(f"number {number} is not NAME=VALUE")
        found.append((name.strip(), value.strip()))
    return found


def arguments(lines: Iterable[str], values: Values) -> dict[str, Any]:
    """NAME=VALUE as arguments of a call.

    A value that is one place keeps that place's type. A value without a place is read as JSON if it is that
    (`10`, `true`, `["a"]`), else it is text.
    """
    return {name: _argument(value, values) for name, value in pairs(lines)}


def _argument(value: str, values: Values) -> Any:
    whole = _PLACE.fullmatch(value)
    if whole:
        return values._asdict()[whole[1]]
    if _PLACE.search(value):
        return fill(value, values)
    try:
        return json.loads(value)
    except ValueError:
        return value
