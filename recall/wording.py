"""Counts, ages, errors of the system and near misses in words."""

from __future__ import annotations

import re
from collections.abc import Iterable

_UNITS = (
    (86_400.0 * 365, "year"),
    (86_400.0 * 30, "month"),
    (86_400.0, "day"),
    (3_600.0, "hour"),
    (60.0, "minute"),
)
# What moves the cursor, ends a line or turns the direction of writing; a tab does no harm. Compiled at its first use.
_CONTROLS = "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"


def counted(number: int, one: str, many: str = "") -> str:
    """`1 memory`, `2,000 memories`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def ago(seconds: float) -> str:
    """`3 days ago`, `just now`."""
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{counted(int(seconds // size), unit)} ago"
    return "just now"


def why(error: Exception) -> str:
    """What went wrong with a file, a folder or an address, in the few words of the system."""
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()


def visible(text: str) -> str:
    """Text in which every character can be seen: a control, direction or zero-width character becomes its escape.

    For names and reasons, which come from file systems and other programs; a line end is a control character.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character == "\u3000" else _escaped(character)
        for character in text
    )


def one_line(text: str) -> str:
    """Text in which a control or direction character becomes its escape, a line end too.

    For a line that holds remembered text, whose spaces and new signs stay as they are.
    """
    return text if text.isprintable() else re.sub(_CONTROLS, lambda found: _escaped(found[0]), text)


def plain_lines(text: str) -> str:
    """Text of several lines, each as `one_line` leaves it."""
    return text if text.isprintable() else "\n".join(map(one_line, text.split("\n")))


def json_visible(document: str) -> str:
    """A JSON document that says the same, in which such characters are JSON's own escapes; line ends stay."""
    return re.sub(
        _CONTROLS, lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", document
    )


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that was probably meant, or ""."""
    from difflib import get_close_matches  # only ever needed on the way to an error

    close = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return close[0] if close else ""
