"""What decisions are called by others: file, first word, number."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable

# Not the year of a date: 0012, ADR-12, d-4.
_NUMBER = re.compile(r"(?:[A-Za-z]{1,8}[-_ #]?)?(\d{1,5})(?!\d|[-.]\d\d[-.]\d\d)")
_REFERRED = re.compile(
    r"(?:\b[A-Za-z]{1,8}[-_ #]{0,2}|#|결정[ -]?)(\d{1,5})(?![\d-])|(?<![\d.-])(\d{1,5})(?![\d-])"
)
_DATE = re.compile(r"\d{4}[-./]\d{1,2}[-./]\d{1,2}")
_TARGET = re.compile(r"\]\(\s*<?([^)>#\s]+)")
_WORD = re.compile(r"[^\W_][\w.-]*+")
_NAMES = re.compile(r"[^\W_].*?[-\d_]|\d")  # how a word begins that may name a decision


class Names:
    """The decisions of one place by all that others may call them."""

    def __init__(self, named: Iterable[tuple[str, str, str]]) -> None:
        """named: (key, name, label) triples.

        name: a path below the place without ending, or a title's first word.
        label: what a reader is told, unless the name has a number.
        """
        self._words: dict[str, str] = {}
        self._numbers: dict[int, str | None] = {}
        self.labels: dict[str, str] = {}
        for key, name, label in named:
            word = name.rsplit("/", 1)[-1]
            self._words |= {_folded(name): key, _folded(word): key}
            number = _NUMBER.match(word)
            self.labels[key] = number[0] if number else label
            if number:  # two of one number: the number names neither
                known = self._numbers.get(int(number[1]), key)
                self._numbers[int(number[1])] = key if known == key else None

    def find(self, text: str, near: str = "") -> list[str]:
        """Keys of the decisions that a text refers to; its links are relative to the folder `near`."""
        links = [posixpath.normpath(posixpath.join(near, target)) for target in _TARGET.findall(text)]
        beside = (posixpath.basename(link) for link in links if not link.startswith("../.."))
        words = (*links, *beside, *(word for word in _WORD.findall(text) if _NAMES.match(word)))
        found = [key for word in words if (key := self._words.get(_folded(word).removesuffix(".md")))]
        if not found and not any(link.endswith(".md") for link in links):
            numbers = (int(first or second) for first, second in _REFERRED.findall(_DATE.sub(" ", text)))
            found = [key for number in numbers if (key := self._numbers.get(number))]
        return list(dict.fromkeys(found))


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
