"""The table of guards: `guards.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[2]
_TABLE = Path(__file__).with_name("guards.toml")


class Guard(NamedTuple):
    """A piece of code that keeps a promise, and the tests that miss it."""

    name: str
    file: str
    edits: tuple[tuple[str, str], ...]  # the text that is the guard, and what stands there without it
    tests: tuple[str, ...]  # at least one of them must fail without it

    def moved(self, root: Path) -> str:
        """Which of its texts does not stand in the file exactly once; "" if all do."""
        source = (root / self.file).read_text(encoding="utf-8")
        return next((text for text, _instead in self.edits if source.count(text) != 1), "")

    def without(self, source: str) -> str:
        """The file's text without the guard."""
        for text, instead in self.edits:
            source = source.replace(text, instead)
        return source


def guards() -> list[Guard]:
    """All of them."""
    rows = tomllib.loads(_TABLE.read_text(encoding="utf-8"))["guard"]
    return [Guard(row["name"], row["file"], _edits(row), tuple(row["tests"])) for row in rows]


def _edits(row: dict[str, object]) -> tuple[tuple[str, str], ...]:
    text, instead = row["text"], row["instead"]
    if isinstance(text, list) and isinstance(instead, list):
        return tuple(zip(text, instead, strict=True))
    return ((str(text), str(instead)),)
