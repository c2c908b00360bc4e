"""Names of files as they are shown, stored and compared."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable

from recall.wording import visible


def unique(key: str, taken: set[str]) -> str:
    """The key, or the key with a number if it is taken, as by a name in another Unicode form; takes it.

    One document may ask for the same key ten thousands of times: the number is searched for in ever larger steps.
    """
    if key in taken:
        used, free = 1, 2
        while f"{key}~{free}" in taken:
            used, free = free, 2 * free
        while free - used > 1:
            middle = (used + free) // 2
            used, free = (middle, free) if f"{key}~{middle}" in taken else (used, middle)
        key = f"{key}~{free}"
    taken.add(key)
    return key


def display_path(path: str | os.PathLike[str]) -> str:
    """A path that can be printed, stored and compared: NFC, raw bytes as %XX, control characters escaped."""
    return displayed(os.fspath(path))


def lies_in(path: str, folders: Iterable[str]) -> bool:
    """Whether a path, as it is written and possibly on another system, is one of the folders or below one."""
    plain = _as_written(path)
    return any(plain == folder or plain.startswith(folder + "/") for folder in map(_as_written, folders))


def _as_written(path: str) -> str:
    plain = unicodedata.normalize("NFC", path).replace("\\", "/").rstrip("/")
    return plain[:1].lower() + plain[1:] if plain[1:2] == ":" else plain


def displayed(name: str) -> str:
    """One name, without its folders, as `display_path` shows it."""
    if name.isascii():
        return visible(name)
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        name = "".join(
            f"%{ord(character) - 0xDC00:02X}" if 0xDC80 <= ord(character) <= 0xDCFF else character
            for character in name
        )
    return visible(unicodedata.normalize("NFC", name))


def is_inside(path: str, real_folders: tuple[str, ...]) -> bool:
    """Whether a path really lies in one of the folders, links followed."""
    real = os.path.realpath(path)
    return any(real == folder or real.startswith(folder.rstrip(os.sep) + os.sep) for folder in real_folders)
