"""TOML: one value or one table set or taken out, every other character kept.

There is no writer of TOML in the standard library, but a parser: `put` offers edited texts, the likeliest first,
and whoever asks takes the first that parses to what was meant.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from recall.setup.errors import Unreadable
from recall.setup.nesting import holds, nested

_REST = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_CLOSER = re.compile(r"\"{3}|'{3}|[\]}]")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST_VALUE = 4_000  # characters; an entry's arguments are a few dozen


def parse(text: str) -> Any:
    """The value of a text; floats stay text, so that nan equals itself. Raises Unreadable."""
    try:
        return tomllib.loads(text, parse_float=str)
    except tomllib.TOMLDecodeError as error:
        raise Unreadable(str(error)[:1].lower() + str(error)[1:]) from None
    except ValueError:
        raise Unreadable("a number in it is too long to be read") from None
    except RecursionError:
        raise Unreadable("nested too deeply") from None


def put(text: str, path: Sequence[str], value: Any) -> Iterator[str]:
    """Texts in which the value may be set at the path; a mapping becomes a table of its own."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if isinstance(value, Mapping):
        yield _appended(text, path, value, newline)
        return
    yield from _replaced(text, path[-1], value)
    yield from _inserted(text, path, value, newline)
    yield _appended(text, path[:-1], {path[-1]: value}, newline)


def without(text: str, path: Sequence[str]) -> Iterator[str]:
    """The text without what is at the path: its tables with the comments inside, its assignments."""
    kept: list[str] = []
    between: list[str] = []  # blank lines and comments
    header: list[str] = []
    gone = False
    for piece in _statements(text):
        if piece.value is None:
            between.append(piece.text)
            continue
        header = _keys(piece.value) if piece.header else header
        goes = holds(piece.value if piece.header else nested(header, piece.value), path)
        if not (goes and gone):
            kept += _without_gap(between) if goes and piece.header else between
        between = []
        kept += [] if goes else [piece.text]
        gone = goes
    yield "".join([*kept, *between])


def table(path: Sequence[str], values: Mapping[str, Any]) -> str:
    """A table with its header."""
    lines = [f"[{'.'.join(map(_key, path))}]", *(_assignment(key, value) for key, value in values.items())]
    return "\n".join(lines) + "\n"


def _appended(text: str, path: Sequence[str], values: Mapping[str, Any], newline: str) -> str:
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    return text + gap + table(path, values).replace("\n", newline)


def _replaced(text: str, key: str, value: Any) -> Iterator[str]:
    """With the value of each assignment to something that ends in `key` replaced; its comment stays."""
    for line in re.finditer(rf"^[^\n#=]*{re.escape(key)}[\"' \t]*=[ \t]*", text, re.MULTILINE):
        end = _end_of_value(text, line.start(), line.end())
        if end is not None:
            yield text[: line.end()] + _value(value) + text[end:]


def _end_of_value(text: str, start: int, value: int) -> int | None:
    """Where the assignment's value ends: the first place where it parses and only a comment follows."""
    for end in range(value + 1, min(len(text), value + _LONGEST_VALUE) + 1):
        if _REST.match(text, end) and _parses(text[start:end]):
            return end
    return None


def _inserted(text: str, path: Sequence[str], value: Any, newline: str) -> Iterator[str]:
    """With a new assignment behind each header of the table."""
    for line in re.finditer(r"^[ \t]*\[[^\n]*(?:\n|\Z)", text, re.MULTILINE):
        if _parses(line[0]) and tomllib.loads(line[0]) == nested(path[:-1], {}):
            gap = "" if line[0].endswith("\n") else newline
            yield f"{text[: line.end()]}{gap}{_assignment(path[-1], value)}{newline}{text[line.end() :]}"


class _Statement(NamedTuple):
    text: str  # with its line end
    value: Any = None  # what it says by itself; None: a blank line or a comment
    header: bool = False


def _statements(text: str) -> Iterator[_Statement]:
    """What a text that parses is made of, line by line; an assignment may have several."""
    lines = iter(_LINES.findall(text))
    for line in lines:
        if not line.strip(" \t\r\n") or line.lstrip(" \t").startswith("#"):
            yield _Statement(line)
            continue
        found = line
        while not _parses(found):
            found += _up_to_a_closer(lines)
        yield _Statement(found, tomllib.loads(found), found.lstrip(" \t").startswith("["))


def _up_to_a_closer(lines: Iterator[str]) -> str:
    """The lines up to one that may end a value: to try each of a long text would take for ever."""
    found = []
    for line in lines:
        found.append(line)
        if _CLOSER.search(line):
            break
    if not found:
        raise Unreadable("it is written in a way that cannot be changed safely")
    return "".join(found)


def _keys(header: Any) -> list[str]:
    """The keys of a header, which is read as tables with one key each."""
    keys = []
    while isinstance(header, dict) and header:
        ((key, header),) = header.items()
        keys.append(key)
    return keys


def _without_gap(lines: list[str]) -> list[str]:
    """Without the blank lines at the end."""
    end = len(lines)
    while end and not lines[end - 1].strip(" \t\r\n"):
        end -= 1
    return lines[:end]


def _parses(text: str) -> bool:
    try:
        tomllib.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _assignment(key: str, value: Any) -> str:
    return f"{_key(key)} = {_value(value)}"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    # JSON's strings, numbers and booleans are TOML's too, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
