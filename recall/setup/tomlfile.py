"""TOML: one value or one table set or taken out, every other character kept.

There is no writer of TOML in the standard library, but a parser: `put` offers edited texts, the likeliest first,
and whoever asks takes the first that parses to what was meant.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recall.errors import Unreadable
from recall.setup.statements import Statement, statements

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PLAIN = re.compile(r"\s*\[*([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)\]*\s*")


@dataclass(frozen=True, slots=True)
class Toml:
    """The language of Codex's settings."""

    # Codex keeps no history in it; the parser, which is written in Python, takes a second or two for this much.
    limit: int = 1 << 20

    def parse(self, text: str) -> Any:
        """The value of a text; floats stay text, so that nan equals itself. Raises Unreadable."""
        for _ in statements(text):  # refuses keys that are too deep for the parser
            pass
        try:
            return tomllib.loads(text, parse_float=str)
        except tomllib.TOMLDecodeError as error:
            raise Unreadable(str(error)[:1].lower() + str(error)[1:]) from None
        except ValueError:
            raise Unreadable("a number in it is too long to be read") from None
        except RecursionError:
            raise Unreadable("nested too deeply") from None

    def put(self, text: str, path: Sequence[str], value: Any) -> Iterator[str]:
        """Texts in which the value may be set at the path; a mapping becomes a table of its own."""
        newline = "\r\n" if "\r\n" in text else "\n"
        if isinstance(value, Mapping):
            yield _appended(text, path, value, newline)
            return
        yield from _replaced(text, path, value)
        yield from _inserted(text, path, value, newline)
        yield _appended(text, path[:-1], {path[-1]: value}, newline)

    def without(self, text: str, path: Sequence[str]) -> Iterator[str]:
        """The text without what is at the path: its tables with the comments inside, its assignments."""
        kept: list[str] = []
        between: list[str] = []  # blank lines and comments
        gone = False
        for one in _located(text):
            if one.path is None:
                between.append(one.said.text)
                continue
            goes = one.holds(path)
            if not (goes and gone):
                kept += _without_gap(between) if goes and one.said.header else between
            between = []
            kept += [] if goes else [one.said.text]
            gone = goes
        yield "".join([*kept, *between])


def table(path: Sequence[str], values: Mapping[str, Any]) -> str:
    """A table with its header."""
    lines = [f"[{'.'.join(map(_key, path))}]", *(_assignment(key, value) for key, value in values.items())]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class _Located:
    """A statement with the keys it is about, those of its table included; None: a blank line or a comment."""

    said: Statement
    start: int  # in the text
    path: tuple[str, ...] | None

    def holds(self, path: Sequence[str]) -> bool:
        """Whether it sets what is at a path, or something below it."""
        if self.path is None:
            return False
        if self.said.header or len(self.path) >= len(path):
            return self.path[: len(path)] == tuple(path)
        if self.path != tuple(path[: len(self.path)]):
            return False
        value = tomllib.loads(f"a = {self.said.value}")["a"]  # what is meant may be inside its value
        for key in path[len(self.path) :]:
            if not isinstance(value, dict) or key not in value:
                return False
            value = value[key]
        return True


def _located(text: str) -> Iterator[_Located]:
    """What a text that parses is made of."""
    header: tuple[str, ...] = ()
    start = 0
    for said in statements(text):
        path = None
        if said.header:
            path = header = _keys(said.text, "")
        elif said.key:
            path = header + _keys(said.key, " = 0")
        yield _Located(said, start, path)
        start += len(said.text)


def _keys(written: str, rest: str) -> tuple[str, ...]:
    """The keys of a header, or of an assignment if the rest is one."""
    if plain := _PLAIN.fullmatch(written):  # nearly all are, and the parser takes its time
        return tuple(plain[1].split("."))
    value = tomllib.loads(written + rest)
    keys = []
    while isinstance(value, dict) and value:
        ((key, value),) = value.items()
        keys.append(key)
    return tuple(keys)


def _appended(text: str, path: Sequence[str], values: Mapping[str, Any], newline: str) -> str:
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    return text + gap + table(path, values).replace("\n", newline)


def _replaced(text: str, path: Sequence[str], value: Any) -> Iterator[str]:
    """With the value of the assignment replaced; its comment stays."""
    for one in _located(text):
        if one.path == tuple(path) and not one.said.header:
            start = one.start + one.said.value_start
            yield text[:start] + _value(value) + text[start + len(one.said.value) :]
            return  # a second one does not parse


def _inserted(text: str, path: Sequence[str], value: Any, newline: str) -> Iterator[str]:
    """With a new assignment behind the header of the table."""
    for one in _located(text):
        if one.path == tuple(path[:-1]) and one.said.header:
            end = one.start + len(one.said.text)
            gap = "" if one.said.text.endswith("\n") else newline
            yield f"{text[:end]}{gap}{_assignment(path[-1], value)}{newline}{text[end:]}"
            return


def _without_gap(lines: list[str]) -> list[str]:
    """Without the blank lines at the end."""
    end = len(lines)
    while end and not lines[end - 1].strip(" \t\r\n"):
        end -= 1
    return lines[:end]


def _assignment(key: str, value: Any) -> str:
    return f"{_key(key)} = {_value(value)}"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    # JSON's strings, numbers and booleans are TOML's too, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
