"""Serena's own code search, for the identifiers in a question."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from recall.api import Authority, Memory, Problem, Query, Scope
from recall.errors import StoreBroken
from recall.files import read_text
from recall.transport.said import first_line
from recall_serena import answers
from recall_serena.answers import Place
from recall_serena.asked import Text

_MOST_IDENTIFIERS = 4  # of one question
_MOST_FILES = 8  # with lines that hold one identifier
_LONGEST = 80  # characters of an identifier
_MOST_CHARACTERS = 60_000  # of one answer; a longer one says so instead
_AROUND = (1, 3)  # lines shown before and after a line that holds the identifier
_CANDIDATE = re.compile(r"`([^`\s]+)`|([A-Za-z_]\w*(?:(?:\.|::|->|#|/)[A-Za-z_]\w*)*)(\(\))?", re.ASCII)
_PART = re.compile(r"\.|::|->|#|/")
_SHAPED = re.compile(r"[a-z0-9][A-Z]|\w_\w|^_+[A-Za-z]\w|[A-Z]{2}[a-z]", re.ASCII)
_NAME = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->|#|/)[A-Za-z_]\w*)*", re.ASCII)
# Files that are no code; Serena's own folder holds memories.
_PROSE = (".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc", ".org", ".log", ".csv", ".ipynb")
_SERENA = ".serena/"


class Asked(NamedTuple):
    """One call for one identifier."""

    identifier: str
    tool: str
    arguments: Mapping[str, Any]


def identifiers(question: str) -> tuple[str, ...]:
    """Names of code in a question: in backticks, called(), with_underscores, inCamelCase, Of::Something."""
    found: dict[str, None] = {}
    for match in _CANDIDATE.finditer(question):
        quoted, plain, called = match.groups()
        name = (quoted or plain).removesuffix("()").strip("./#:")
        if len(name) < 3 or len(name) > _LONGEST or not _NAME.fullmatch(name):
            continue
        if quoted or called or "::" in name or "->" in name or _SHAPED.search(name):
            found[name] = None
    return tuple(found)[:_MOST_IDENTIFIERS]


def calls(names: tuple[str, ...], *, definitions: bool) -> list[Asked]:
    """What Serena is asked for them; definitions: language servers may be asked."""
    asked = []
    for name in names:
        pattern = "/".join(_PART.split(name))
        # The argument's older and newer name: what a tool lacks is left out.
        find = {"name_path_pattern": pattern, "name_path": pattern, "include_body": True}
        if definitions:
            asked.append(Asked(name, "find_symbol", {**find, "max_answer_chars": _MOST_CHARACTERS}))
        search = {
            "substring_pattern": rf"(?<!\w){re.escape(name)}(?!\w)",
            "context_lines_before": _AROUND[0],
            "context_lines_after": _AROUND[1],
            "max_answer_chars": _MOST_CHARACTERS,
        }
        asked.append(Asked(name, "search_for_pattern", search))
    return asked


def memories(
    asked: list[Asked], told: list[Text | None], scope: Scope, query: Query
) -> Iterator[Memory | Problem]:
    """What was found, definitions first, at most `query.limit`; with what was not understood or is too much."""
    places: dict[str, Memory] = {}
    shown: list[Place] = []
    for call, text in sorted(zip(asked, told, strict=True), key=lambda pair: pair[0].tool != "find_symbol"):
        if text is None:
            yield Problem(call.tool, "this Serena has no such tool", harmless=True)
        elif text.failure:
            yield Problem(call.tool, text.failure.removeprefix(f"{call.tool}: "), harmless=True)
        else:
            found, problem = _found(call, text.text)
            for place in found:
                if not any(_shows(other, place) for other in shown):
                    memory = _memory(call.identifier, place, scope)
                    places.setdefault(memory.id, memory)
                    shown.append(place)
            if problem:
                yield Problem(call.tool, f"{call.identifier}: {problem}", harmless=True)
    yield from list(places.values())[: query.limit]
    if len(places) > query.limit:
        yield Problem("code", f"{len(places) - query.limit} more places, not used", harmless=True)


def _shows(definition: Place, place: Place) -> bool:
    """Whether a definition holds all the lines of a place in its file."""
    if not definition.symbol or place.symbol or definition.path != place.path:
        return False
    lines = {line.strip() for line in definition.text.splitlines()} | {"", answers.GAP}
    return all(line.strip() in lines for line in place.text.splitlines())


def _found(call: Asked, text: str) -> tuple[list[Place], str]:
    """The places of an answer, and what is to be said of it."""
    try:
        found = list((answers.symbols if call.tool == "find_symbol" else answers.matches)(text))
    except (ValueError, RecursionError):
        return [], first_line(text) or "an empty answer"
    code = [place for place in found if _is_code(place.path)]
    if call.tool == "find_symbol" or len(code) <= _MOST_FILES:
        return code, ""
    return code[:_MOST_FILES], f"{len(code) - _MOST_FILES} more files hold it, not used"


def _is_code(path: str) -> bool:
    inside = not os.path.isabs(path) and ".." not in path.split("/")
    return inside and not path.startswith(_SERENA) and not path.lower().endswith(_PROSE)


def _memory(identifier: str, place: Place, scope: Scope) -> Memory:
    # A title weighs more: a definition's has the name, so that it comes before the lines that use it.
    title = f"{place.kind} {place.symbol} in {place.path}".strip() if place.symbol else place.path
    path = os.path.join(scope.root, place.path)
    return Memory(
        id=f"code/{place.path}:{place.symbol}" if place.symbol else f"code/{place.path}@{identifier}",
        text=place.text,
        title=title,
        path=path,
        line=place.line if place.symbol else _line(path, place),
        project=scope.names[0] if scope.names else "",
        kind="code",
        authority=Authority.CODE,
    )


def _line(path: str, place: Place) -> int:
    """Where a text begins: older versions number lines from 1, newer ones from 0, and the file tells which."""
    first = place.text.partition("\n")[0]
    try:
        lines = read_text(path).text.split("\n")
    except StoreBroken:
        return place.line
    near = (number for number in (place.line, place.line - 1) if 0 < number <= len(lines))
    return next((number for number in near if lines[number - 1] == first), place.line)
