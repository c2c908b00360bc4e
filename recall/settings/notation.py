"""How keys, values and mistakes are written: one printable line each, whatever the input held."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any

from recall.wording import nearest

KeyPath = tuple[str | int, ...]

MOST_LINES = 50  # of one set of mistakes; the rest is counted
_LONGEST_VALUE = 60  # characters of a wrong value that are shown
_LONGEST_PART = 400  # characters of a key or of what is wrong with it
_LONGEST_NAME = 64  # names longer than this are no slip of the finger: nothing near is looked for


def dotted(path: KeyPath) -> str:
    """A key path as one writes it: `providers.markdown.folders[0].path`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + (part if _is_bare(part) else quoted(part))
    return text


def _is_bare(key: str) -> bool:
    return key.isascii() and key.replace("-", "").replace("_", "").isalnum()


def quoted(text: str) -> str:
    """Text as a TOML string in which nothing is invisible."""
    return '"' + printable(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def printable(text: str) -> str:
    """Text on one line: control, bidirectional and zero-width characters are shown as escapes."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escape(character) for character in text)


def _escape(character: str) -> str:
    if character in "\n\t\r":
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}[character]
    code = ord(character)
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def toml(value: Any) -> str:
    """A value as TOML writes it; what is None in a table is left out."""
    if isinstance(value, str):
        return quoted(str(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, dict):
        pairs = ", ".join(
            f"{dotted((key,))} = {toml(item)}" for key, item in value.items() if item is not None
        )
        return "{ " + pairs + " }" if pairs else "{}"
    return str(value)


def briefly(value: Any) -> str:
    """A wrong value in an error line: short, and never the inside of a table."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str) and len(value) > _LONGEST_VALUE:
        return quoted(value[:_LONGEST_VALUE]) + "…"
    try:
        text = toml(value)
    except ValueError:  # an integer of more digits than Python turns into text
        return "a very large number"
    return text if len(text) <= 2 * _LONGEST_VALUE else text[:_LONGEST_VALUE] + "…"


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """`(did you mean "limit"?)` with a space before it, or nothing."""
    near = nearest(name, names) if len(name) <= _LONGEST_NAME else ""
    return f' (did you mean "{near}"?)' if near else ""


def problem(place: str, *parts: str) -> str:
    """One line: where, what, what is wrong; a part longer than anybody reads is cut."""
    short = [part if len(part) <= _LONGEST_PART else part[:_LONGEST_PART] + "…" for part in parts if part]
    return printable(": ".join([place, *short] if place else short))


def capped(lines: list[str]) -> list[str]:
    """At most MOST_LINES lines and the number of those left out."""
    if len(lines) <= MOST_LINES:
        return lines
    return [*lines[:MOST_LINES], f"and {len(lines) - MOST_LINES:,} more"]
