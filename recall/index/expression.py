"""The full-text expression for a pass: every phrase while that is affordable, pairs of them in a large index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

_PAIRED = 8  # rarest phrases that are looked for in pairs


def expression(phrases: Sequence[str], frequencies: Mapping[str, int], size: int, limit: float) -> str:
    """A full-text expression that scores at most about `limit` memories; "" if none of the phrases occurs.

    Any phrase will do as long as that is affordable. In a large index, where it is not, a common phrase only
    counts together with another one: scoring a memory costs ten times finding it, and a memory that holds just
    one common word of a question is no answer to it.
    """
    rarity = {phrase: min(frequencies.get(token, 0) for token in phrase.split()) for phrase in phrases}
    rising = sorted((phrase for phrase in phrases if rarity[phrase]), key=rarity.__getitem__)
    alone = _while_affordable(((rarity[phrase], f'"{phrase}"') for phrase in rising), limit)
    if len(alone) == len(rising):
        return " OR ".join(alone)
    together = sorted(
        (rarity[one] * rarity[other] / size, f'("{one}" AND "{other}")')
        for one, other in combinations(rising[:_PAIRED], 2)
        if f'"{other}"' not in alone
    )
    pairs = _while_affordable(together, limit)
    return " OR ".join((*alone, *pairs)) if alone or pairs else f'"{rising[0]}"'


def _while_affordable(priced: Iterable[tuple[float, str]], limit: float) -> list[str]:
    kept: list[str] = []
    for price, expression in priced:
        limit -= price
        if limit < 0:
            break
        kept.append(expression)
    return kept
