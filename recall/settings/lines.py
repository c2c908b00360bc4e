"""Which line of a TOML text each key is on; Python's TOML reader does not tell.

The text has been read as TOML before, so `key_lines` looks only for where statements begin: it skips over strings,
comments and values that span lines, and lets the TOML reader itself take the keys apart.
"""

from __future__ import annotations

import re
from typing import Any

from recall.settings.notation import KeyPath

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'  # a text block may end in up to two quotes of its own
    r"|'''.*?'{3,5}"
    r'|"(?!"")(?:\\.|[^"\\\n])*"'
    r"|'(?!'')[^'\n]*'"
    r"|\#[^\n]*"
    r"|[\[\]{}=\n]"
    r"|[^\"'\#\[\]{}=\n]+"
    r"|.",  # a quote that nothing closes: no TOML from here on
    re.DOTALL,
)


def key_lines(text: str) -> dict[KeyPath, int]:
    """The 1-based line of each table and key of a valid TOML text; tables of an array are told by number.

    What stands inside a value (an inline table, a list) has no line of its own: its key's line serves.
    """
    book = _Book()
    key, value_follows, depth, line, start = "", False, 0, 1, 1
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == "\n" and depth == 0:
            if key.strip().startswith("["):
                book.table(key.strip(), start)
            key, value_follows, start = "", False, line + 1
        elif token[0] == "#":
            pass
        elif value_follows:
            depth += (token in "[{") - (token in "]}")
        elif token == "=":
            book.key(key, start)
            value_follows = True
        else:
            key += token
        line += token.count("\n")
    if key.strip().startswith("[") and not value_follows:
        book.table(key.strip(), start)
    return book.lines


def deepest_key(text: str) -> int:
    """The most dots in a row of keys, in a text that may not be TOML.

    To be asked before the TOML reader is: the memory it takes grows with the square of a key's parts.
    """
    deepest = dots = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in ('"', "'"):
            break
        if token in "=\n[]{}":
            dots = 0
        elif token[0] not in "\"'#":
            for number, part in enumerate(token.split(",")):
                dots = part.count(".") + (0 if number else dots)
                deepest = max(deepest, dots)
    return deepest


class _Book:
    """Lines by full path, while tables open and arrays of tables grow."""

    def __init__(self) -> None:
        self.lines: dict[KeyPath, int] = {}
        self._here: KeyPath = ()
        self._sizes: dict[KeyPath, int] = {}

    def table(self, header: str, line: int) -> None:
        """`[a.b]` opens a table, `[[a.b]]` appends one."""
        if not header.startswith("[["):
            self._here = self._resolved(_parts(header[1:-1]))
            self._note(self._here, line)
            return
        *parents, name = _parts(header[2:-2])
        array: KeyPath = (*self._resolved(parents), name)
        self._note(array, line)
        number = self._sizes.get(array, 0)
        self._sizes[array] = number + 1
        self._here = (*array, number)
        self._note(self._here, line)

    def key(self, text: str, line: int) -> None:
        """`a.b = value`, below the open table."""
        self._note((*self._here, *_parts(text)), line)

    def _resolved(self, parts: list[str]) -> KeyPath:
        """A header's path; one that goes through an array of tables means its last table."""
        path: KeyPath = ()
        for part in parts:
            path = (*path, part)
            if path in self._sizes:
                path = (*path, self._sizes[path] - 1)
        return path

    def _note(self, path: KeyPath, line: int) -> None:
        for length in range(1, len(path) + 1):
            self.lines.setdefault(path[:length], line)


def _parts(key: str) -> list[str]:
    import tomllib

    found: Any = tomllib.loads(f"{key} = 0")
    parts: list[str] = []
    while isinstance(found, dict):
        part, found = next(iter(found.items()))
        parts.append(part)
    return parts
