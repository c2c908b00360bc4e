"""The statements of a TOML text: where each begins and ends, found in one pass, without understanding them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from recall.errors import Unreadable

# Each alternative begins with characters of its own and gives nothing back, and a string without its end takes what
# is left: so nothing is read twice, whatever the text is. What is wrong in it is for the parser to say.
_TOKENS = re.compile(
    r'(?P<string>"""(?:[^"\\]++|\\[\s\S]?|"{1,2}(?!"))*+(?:"{3,5}|\Z)'
    r"|'''(?:[^']++|'{1,2}(?!'))*+(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]++|\\.)*+"?'
    r"|'[^'\n]*+'?)"
    r"|(?P<comment>\#[^\n]*+)"
    r"|(?P<open>[\[{])|(?P<close>[\]}])|(?P<end>\n)|(?P<equals>=)|(?P<comma>,)"
    r"|(?P<space>[ \t\r]++)"
    r"""|(?P<word>[^"'\#\[\]{}\n=, \t\r]++)"""
)
_DEEPEST = 32  # keys in one dotted key; the standard parser's time grows with their square


class Statement(NamedTuple):
    """A header, an assignment, or a line with neither; of an assignment the key and the value as they are written."""

    text: str  # with its line end
    header: bool = False
    key: str = ""
    value: str = ""
    value_start: int = 0  # in `text`


def statements(text: str) -> Iterator[Statement]:
    """What a text is made of, every character of it; if it parses, each part does by itself.

    Raises Unreadable for a key of too many parts.
    """
    start, equals, value_start, value_end = 0, -1, -1, -1  # of the statement that is being read
    depth = dots = 0
    first = ""

    def whole(end: int) -> Statement:
        said = text[start:end]
        if first == "[" or equals < 0:
            return Statement(said, header=first == "[")
        value = text[value_start:value_end] if value_start >= 0 else ""
        return Statement(said, False, text[start:equals], value, max(value_start - start, 0))

    for token in _TOKENS.finditer(text):
        kind = token.lastgroup
        if kind == "end" and depth <= 0:
            yield whole(token.end())
            start, equals, value_start, value_end = token.end(), -1, -1, -1
            depth = dots = 0
            first = ""
            continue
        if kind in ("space", "comment", "end"):
            continue
        first = first or token[0]
        if kind == "word":
            dots += token[0].count(".")
            if dots >= _DEEPEST:
                raise Unreadable("nested too deeply")
        elif kind != "string":
            depth += (kind == "open") - (kind == "close")
            dots = 0
        if equals >= 0:
            value_start = token.start() if value_start < 0 else value_start
            value_end = token.end()
        elif kind == "equals":
            equals = token.start()
    if start < len(text):
        yield whole(len(text))
