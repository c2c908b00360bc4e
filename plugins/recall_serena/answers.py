"""What Serena's tools answer, in the shapes of its versions: names, texts, places in code, and failures among them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import dropwhile
from typing import Any, NamedTuple

from recall.errors import ProviderError, StoreAbsent, StoreBroken, StoreBusy
from recall.transport.mcp import Kind, Outcome, Tool
from recall.transport.said import first_line

_NAMES = ("memory_name", "memory_file_name")  # what reading calls its argument; before 1.0 the second
_GROUPS = ("memories", "read_only_memories")
# Before 1.6 what went wrong is an ordinary text. These are the beginnings of the texts of 0.1 to 2.1.
_FAILURE = re.compile(
    r"Error executing tool|Error: |Unknown tool: |Tool '[^']*' is not active"
    r"|Memory file .* not found, consider creating it"
)
_LONGEST_FAILURE = 4_000  # characters: a text that is longer is no message
GAP = "…"  # between two pieces of a file
_LINE = re.compile(r"(?:\.\.\.|  >)\s*(\d+):(.*)")


class Place(NamedTuple):
    """A piece of code that was found."""

    path: str  # below the project, with "/"
    line: int  # the first, from 1
    text: str
    symbol: str = ""  # its name path, if it is a definition
    kind: str = ""  # function, class, ...


def text_of(outcome: Outcome) -> str:
    """The text of an answer; raises the ProviderError that says why there is none."""
    if not outcome.ok:
        raise failure(outcome)
    texts, structured = outcome.value
    if texts or not isinstance(structured, dict):
        return "\n".join(texts)
    return str(structured.get("result", ""))


def failure(outcome: Outcome) -> ProviderError:
    """What became of a call that was not answered."""
    step = "ask again with a longer deadline; in `recall serve` it goes on starting, and is kept"
    if outcome.kind in (Kind.STARTING, Kind.LATE, Kind.SILENT):
        return StoreBusy(outcome.reason, step)
    if outcome.kind is Kind.NOT_STARTED:
        return StoreAbsent(outcome.reason, 'install Serena, correct `command`, or set mode = "files"')
    if outcome.kind is Kind.ENDED and " before it greeted" not in outcome.reason:
        return StoreBusy(outcome.reason, "ask again: it is started anew")
    return StoreBroken(outcome.reason)


def said_failure(text: str) -> str:
    """The failure that an answer tells though it calls itself a success, one line; "" for any other answer."""
    if len(text) <= _LONGEST_FAILURE and _FAILURE.match(text.lstrip()):
        return first_line(text)
    return ""


def listed(text: str) -> tuple[str, ...]:
    """The names of a listing: an object of groups, or a list before 1.0; raises StoreBroken for anything else."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise StoreBroken(f"its list of memories is none: {first_line(text)}") from None
    if isinstance(told, dict):
        told = [name for group in _GROUPS for name in told.get(group) or ()]
    if not isinstance(told, list):
        raise StoreBroken(f"its list of memories is none: {first_line(text)}")
    return tuple(dict.fromkeys(name for name in told if isinstance(name, str) and name))


def name_argument(tool: Tool) -> str:
    """What the tool that reads calls its argument."""
    known = (name for name in _NAMES if name in tool.arguments)
    return next(known, next(iter(tool.required), _NAMES[0]))


def symbols(text: str) -> Iterator[Place]:
    """The definitions of an answer of `find_symbol` that have a body; raises ValueError if it is none."""
    for found in _with_key(json.loads(text), "name_path"):
        body, where = found.get("body"), found.get("body_location") or found.get("location") or {}
        path = found.get("relative_path") or where.get("relative_path")
        line = where.get("start_line", where.get("line", 0))
        if isinstance(body, str) and isinstance(path, str) and isinstance(line, int):
            kind = str(found.get("kind", "")).lower()
            yield Place(path, line + 1, body, str(found["name_path"]), kind)


def _with_key(value: Any, key: str) -> Iterator[dict[str, Any]]:
    """The outermost objects that have a key, however they are grouped."""
    if isinstance(value, dict) and key in value:
        yield value
        return
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _with_key(inner, key)


def matches(text: str) -> Iterator[Place]:
    """The files of an answer of `search_for_pattern`, each with its lines; raises ValueError if it is none."""
    told = json.loads(text)
    if not isinstance(told, dict):
        raise ValueError("no object")
    for path, blocks in told.items():
        lines = [_lines(block) for block in blocks if isinstance(block, str)]
        if shown := [found for found in lines if found]:
            text = f"\n{GAP}\n".join("\n".join(line for _number, line in found) for found in shown)
            yield Place(path, shown[0][0][0] + 1, text)


def _lines(block: str) -> list[tuple[int, str]]:
    """Numbers, from 0, and texts of the lines of a block, from its first line that is not blank."""
    found = filter(None, map(_LINE.fullmatch, block.splitlines()))
    return list(dropwhile(lambda line: not line[1].strip(), ((int(line[1]), line[2]) for line in found)))
