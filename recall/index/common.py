"""The share of common terms in a score, which FTS5 drops.

FTS5 takes a term that half of the memories hold for worthless (its inverse document frequency would be negative,
and is set to nearly nothing). Among a handful of notes nearly every term is that common, and the ranking would be
left to chance. So a term is never worth less than a small, fixed amount.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from recall.index.rows import Match, Row

_LEAST = 0.25  # inverse document frequency below which a term does not fall
_SATURATION = 1.2  # BM25's k1, as in FTS5
_TITLE = 2.0  # weight of an occurrence in the title, as in the index
_LOOKED_AT = 20_000  # characters of a memory in which occurrences are counted


def lifted(
    matches: Sequence[Match],
    passes: Sequence[tuple[float, Sequence[str]]],
    frequencies: Mapping[str, int],
    size: int,
) -> list[Match]:
    """The matches with what their common terms are worth added, best first."""
    worth = [
        (phrase, weight * missing)
        for weight, phrases in passes
        for phrase in phrases
        if (missing := _LEAST - _idf(min(frequencies.get(token, 0) for token in phrase.split()), size)) > 0
    ]
    if not worth:
        return list(matches)
    raised = [match._replace(score=match.score + _share(match.row, worth)) for match in matches]
    return sorted(raised, key=lambda match: (-match.score, match.row.uri))


def _idf(frequency: int, size: int) -> float:
    """FTS5's inverse document frequency, not below zero; a term that never occurs needs no lifting."""
    if frequency == 0:
        return math.inf
    return max(0.0, math.log((size - frequency + 0.5) / (frequency + 0.5)))


def _share(row: Row, worth: Sequence[tuple[str, float]]) -> float:
    title, body = _spaced(row.title_tokens), _spaced(row.body_tokens)
    total = 0.0
    for phrase, value in worth:
        wanted = _spaced(phrase)
        count = _TITLE * title.count(wanted) + body.count(wanted)
        total += value * count * (_SATURATION + 1) / (count + _SATURATION)
    return total


def _spaced(tokens: str) -> str:
    """Tokens with blanks of their own on both sides, so that neighbours are counted both."""
    return f" {tokens[:_LOOKED_AT].replace(' ', '  ')} "
