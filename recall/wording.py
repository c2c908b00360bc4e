"""Counts, ages, errors of the system and near misses in words."""

from __future__ import annotations

from collections.abc import Iterable

_UNITS = (
    (86_400.0 * 365, "year"),
    (86_400.0 * 30, "month"),
    (86_400.0, "day"),
    (3_600.0, "hour"),
    (60.0, "minute"),
)


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


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that was probably meant, or ""."""
    from difflib import get_close_matches  # only ever needed on the way to an error

    close = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return close[0] if close else ""
