"""The few steps of JSONPath that lead to results: keys, numbers and "each"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Path = tuple[str | int | None, ...]  # None: each element

_STEP = re.compile(r"\.?(?P<key>[^.\[\]'\s]+)|\[(?P<number>\d+)\]|\[(?P<each>\*)\]|\['(?P<quoted>[^']*)'\]")


def parse(text: str) -> Path:
    """`results[*]`, `data.items[0].body`, `['a.b']`, with or without `$` before; raises ValueError."""
    rest = text.strip().removeprefix("$")
    steps: list[str | int | None] = []
    at = 0
    while at < len(rest):
        step = _STEP.match(rest, at)
        if step is None:
            raise ValueError(f"{text!r} is no path: write keys with dots, [0] and [*], as in results[*].text")
        if step["number"] is not None:
            steps.append(int(step["number"]))
        else:
            steps.append(None if step["each"] else step["quoted"] if step["key"] is None else step["key"])
        at = step.end()
    return tuple(steps)


def find(value: Any, path: Path) -> Iterator[Any]:
    """Every value that a path leads to; none if it leads nowhere."""
    if not path:
        yield value
        return
    step, rest = path[0], path[1:]
    if step is None:
        for element in value if isinstance(value, list) else ():
            yield from find(element, rest)
    elif isinstance(step, int):
        if isinstance(value, list) and step < len(value):
            yield from find(value[step], rest)
    elif isinstance(value, dict) and step in value:
        yield from find(value[step], rest)


def first(value: Any, path: Path) -> Any:
    """The first value that a path leads to, or None."""
    return next(find(value, path), None)
