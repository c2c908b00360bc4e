"""Texts cut to a budget around what was asked for."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from recall.answer import Hit
from recall.evidence.result import REASONS_SHOWN
from recall.ranked import Ranked

# Tokens a character takes in the tokenizers of today's models, on the high side: four ASCII characters share
# one token, a Hangul syllable or a Han character is about one by itself.
_ASCII_SHARE = 0.25
_OTHER_SHARE = 1.0
_ELLIPSIS = "…"
_SMALLEST_EXCERPT = 24  # tokens: about one line
_HIT_OVERHEAD = 30  # tokens of a hit's title, tag, date and uri
_MOST_RELATED = 3  # of each kind: copies, disagreeing, similar
_RELATED_OVERHEAD = 30  # tokens of a line that names another memory


def approximate_tokens(text: str) -> int:
    """About how many tokens a text takes."""
    plain = len(text.encode("ascii", "ignore"))
    return max(1, round(plain * _ASCII_SHARE + (len(text) - plain) * _OTHER_SHARE)) if text else 0


def cut(text: str, budget: int, needles: Iterable[str]) -> str:
    """The part of `text` of at most about `budget` tokens that holds most of `needles`, on whole lines if it can."""
    text = text.strip()
    if approximate_tokens(text) <= budget:
        return text
    lines = text.split("\n")
    wanted = [_folded(needle) for needle in needles]
    first = _best_start(lines, wanted, budget)
    kept: list[str] = []
    left = budget
    for line in lines[first:]:
        size = approximate_tokens(line) + 1
        if size > left:
            if not kept or left > budget // 2:  # a heading, then all there is in one long line
                kept.append(_cut_line(line, left, wanted))
            break
        kept.append(line)
        left -= size
    body = "\n".join(kept).strip()
    before = f"{_ELLIPSIS}\n" if first else ""
    after = f"\n{_ELLIPSIS}" if first + len(kept) < len(lines) else ""
    return before + body + after


def fit(shown: Sequence[Ranked], budget: int, needles: Sequence[str]) -> tuple[Hit, ...]:
    """Ranked memories with as much of their text as the budget allows, the first ones getting the larger share.

    Shorter than `shown` when there is no room for even a line of the last ones.
    """
    hits: list[Hit] = []
    left = budget
    for position, every in enumerate(shown):
        ranked = _few_related(every)
        unshown = len(every.members()) - len(ranked.members())
        left -= (
            _HIT_OVERHEAD
            + _of_evidence(ranked)
            + _RELATED_OVERHEAD * (len(ranked.also) + len(ranked.disagrees) + len(ranked.similar))
        )
        if hits and left < _SMALLEST_EXCERPT:
            break
        full = approximate_tokens(ranked.row.text)
        share = max(_SMALLEST_EXCERPT, 2 * left // (len(shown) - position + 1))
        text = cut(ranked.row.text, share, needles)
        size = approximate_tokens(text)
        left -= size
        hits.append(Hit(ranked, text, text == ranked.row.text.strip(), size, full, unshown))
    return tuple(hits)


def _of_evidence(ranked: Ranked) -> int:
    """Tokens of the lines that say what the repository says of it."""
    if ranked.evidence is None or not ranked.evidence.tried:
        return 0
    shown = ranked.evidence.telling()[:REASONS_SHOWN]
    return sum(approximate_tokens(one.reason + one.command) for one in shown)


def _few_related(ranked: Ranked) -> Ranked:
    """A memory with the first few of those that stand with it."""
    return ranked._replace(
        also=ranked.also[:_MOST_RELATED],
        disagrees=ranked.disagrees[:_MOST_RELATED],
        similar=ranked.similar[:_MOST_RELATED],
    )


def _best_start(lines: Sequence[str], wanted: Sequence[str], budget: int) -> int:
    """The line from which the budget's worth of lines holds most different needles; the earliest of equals.

    One pass with two ends: a memory may be a megabyte of short lines.
    """
    sizes = [approximate_tokens(line) + 1 for line in lines]
    found = [{number for number, needle in enumerate(wanted) if needle in _folded(line)} for line in lines]
    inside: Counter[int] = Counter()
    best, best_count, end, room = 0, -1, 0, budget
    for start, here in enumerate(found):
        # A line that does not fit counts where `cut` would show a part of it.
        while end < len(lines) and (sizes[end] <= room or room > budget // 2 or end <= start):
            room -= sizes[end]
            inside.update(found[end])
            end += 1
        count = sum(1 for number in inside.values() if number > 0)
        if count > best_count and (here or start == 0):
            best, best_count = start, count
        room += sizes[start]
        inside.subtract(here)
    # One line of context, so that a list item comes with what it is a list of.
    return best - 1 if best and sizes[best - 1] < budget // 4 else best


def _cut_line(line: str, budget: int, wanted: Sequence[str]) -> str:
    """A part of one long line, starting a little before the first needle."""
    folded = _folded(line)
    places = [folded.find(needle) for needle in wanted if needle and needle in folded]
    start = max(0, min(places) - min(40, budget // 3)) if places and len(folded) == len(line) else 0
    length = budget
    piece = line[start : start + length]
    while approximate_tokens(line[start : start + length * 2]) <= budget and start + length < len(line):
        length *= 2
        piece = line[start : start + length]
    return f"{_ELLIPSIS if start else ''}{piece.strip()}{_ELLIPSIS if start + length < len(line) else ''}"


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
