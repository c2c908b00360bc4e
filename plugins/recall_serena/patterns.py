"""Other people's regular expressions, applied without the risk of never coming back."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

_LONGEST = 500  # characters of one pattern
_BUDGET = 10**8  # name length to the power of the pattern's choices: some tenths of a second at worst
_UNBOUNDED = 99  # more choices than any budget allows

# Compiled at their first use: few projects have such patterns.
_ATOM = r"(?s)\\.|\[\^?\]?(?:\\.|[^\]\\])*\]"
_REPEAT = r"(?:[*+]|\{\d*+(?:,\d*+)?\}|(?<!\()\?)[?+]?"
_INNERMOST_GROUP = r"\((?:\?[^()|:=!>]*+[:=!>])?([^()]*+)\)(?=([*+{])?)"


class Patterns(NamedTuple):
    """Serena's `ignored_memory_patterns`: a memory whose whole name matches one of them is not served."""

    compiled: tuple[tuple[re.Pattern[str], int], ...] = ()  # with its number of choices
    refused: tuple[str, ...] = ()  # one reason each, for patterns that are not applied

    def hide(self, name: str) -> bool:
        """Whether the name (NFC) is ignored; a match that could take too long is not tried."""
        return any(
            len(name) ** choices <= _BUDGET and pattern.fullmatch(name) is not None
            for pattern, choices in self.compiled
        )

    def leave_undecided(self, name: str) -> bool:
        """Whether some pattern is too costly to be tried on this name."""
        return any(len(name) ** choices > _BUDGET for _, choices in self.compiled)


def compile_all(texts: Iterable[str]) -> Patterns:
    """Patterns from settings; those that cannot be applied are told, never raised."""
    compiled: list[tuple[re.Pattern[str], int]] = []
    refused: list[str] = []
    for text in texts:
        reason = _reason_to_refuse(text)
        if reason:
            refused.append(f"{reason}: {text[:60]}{'...' if len(text) > 60 else ''}")
        else:
            compiled.append((re.compile(unicodedata.normalize("NFC", text)), count_choices(text)))
    return Patterns(tuple(compiled), tuple(refused))


def _reason_to_refuse(text: str) -> str:
    if len(text) > _LONGEST:
        return f"ignore pattern longer than {_LONGEST} characters"
    try:
        re.compile(unicodedata.normalize("NFC", text))
    except (re.error, OverflowError, RecursionError):
        return "ignore pattern is not a regular expression"
    return "ignore pattern that may match for ever" if count_choices(text) >= _UNBOUNDED else ""


def count_choices(pattern: str) -> int:
    """At how many places a backtracking matcher has to choose, along the worst top-level alternative.

    A name of n characters then costs at most about n to the power of this. A repeated group that holds a
    choice itself costs two to the power of n, and counts as 99.
    """
    bare = re.sub(_ATOM, "x", pattern)
    while (group := re.search(_INNERMOST_GROUP, bare)) is not None:
        body, repeated = group.groups()
        choices = len(re.findall(_REPEAT, body)) + body.count("|")
        if choices and repeated:
            return _UNBOUNDED
        bare = bare[: group.start()] + "x?" * choices + "x" + bare[group.end() :]
    return max(len(re.findall(_REPEAT, branch)) for branch in bare.split("|"))
