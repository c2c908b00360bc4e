"""Sentences of a memory, and which part of each speaks of what is no more. Pure.

"`a.py` was renamed to `b.py`" does not say that a.py is there. A name is told as past if it stands on the side of
the sentence that is given up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_LONGEST = 1_000  # characters of a sentence
_END = re.compile(r"(?<=[.!?。])[)\"'`]*\s+(?=\S)|\n|(?<=[다요음됨함])\.\s+|;\s")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_GONE = re.compile(
    # What code does ("deletes rows") is told in the present; what was done to it in the past, or as an order.
    r"^\W*(?:remove|delete|drop|rename|move|replace)\b"
    r"|\b(?:(?:re)?moved|remov(?:al|ing)|delet(?:ed|ing|ion)|dropp(?:ed|ing)|renam(?:ed|ing)|replaced"
    r"|retired?|gone|(?:split|merged|folded) into|migrat\w+|no longer|used to|formerly|previously|originally|once lived"
    r"|obsolete|deprecated|legacy|old name|there (?:is|was) no|(?:does not|doesn't|never) exist(?:ed)?"
    r"|(?:up|down)grad\w+|bumped|changed (?:from|to)|switched"
    r"|(?:was|were|had been) (?:in|at|on|called|named|located|defined|handled|kept|set|pinned))\b"
    r"|삭제|제거|없앴|없애|사라|없어|옮겼|옮긴|옮김|이동|이름을?\s*(?:바꾸|바꿨|변경)|개명|대체|교체|바꿨|바꾼|바뀌|변경했|변경됨|변경된"
    r"|폐기|더\s*이상|더는|예전|옛|과거|이전에는|이전엔|원래|였다|이었다|존재하지\s*않|올렸|업그레이드|합쳤|나눴|쪼갰|대신",
    re.IGNORECASE,
)
# Behind these stands what is there now. Korean verbs come last, so that its turns stand before them.
_TURN_ANYWHERE = re.compile(r"->|→|=>|⇒|➜|에서\s|대신\s|\bnow\b|이제")
_TURN_AFTER = re.compile(r"\b(?:to|into|by|with|in favou?r of|use|instead[,:])\b(?!\s+of)", re.IGNORECASE)
# Behind these stands what was given up.
_GIVEN_UP = re.compile(
    r"\b(?:instead of|rather than|replac(?:es|ed|ing)|supersedes?|in place of|formerly|previously)\b",
    re.IGNORECASE,
)
_NAMES = re.compile(
    r"`[^`\n]+`|(?<![A-Za-z0-9@+./\\_-])[A-Za-z0-9@+./\\_-]*(?:[/\\_]|\w\.\w)[A-Za-z0-9@+./\\_-]*"
)
_CODE = re.compile(r"[`_/\d]|\.\w|[a-z][A-Z]")  # what could be a name
_ARROWS = ("->", "→", "=>", "⇒", "➜")


class Sentence(NamedTuple):
    """A sentence, and where it speaks of the past."""

    text: str
    fenced: bool = False  # sample code
    past: tuple[tuple[int, int], ...] = ()  # from, to

    def is_past(self, place: int) -> bool:
        """Whether what stands at `place` is told as past."""
        return any(start <= place < end for start, end in self.past)


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text; a line of a list or of code is one."""
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        elif fenced:
            yield from (Sentence(part, fenced=True) for part in _short(line))
        else:
            yield from (
                Sentence(part, past=_past(part)) for whole in _END.split(line) for part in _short(whole)
            )


def _short(text: str | None) -> Iterator[str]:
    """A sentence in pieces: nobody writes longer ones, and looking at them would take longer than it is worth."""
    for start in range(0, len(text or ""), _LONGEST):
        if text and (piece := text[start : start + _LONGEST]).strip():
            yield piece


def _past(sentence: str) -> tuple[tuple[int, int], ...]:
    # A folder may be called "legacy", and a function "remove_old".
    text = _NAMES.sub(lambda found: "_" * len(found.group()), sentence)
    gone, given_up = _GONE.search(text), _GIVEN_UP.search(text)
    turns = [turn for turn in _TURN_ANYWHERE.finditer(text) if _CODE.search(text, 0, turn.start())]
    turns += _TURN_AFTER.finditer(text, gone.end()) if gone else ()
    turns = [turn for turn in turns if (gone or turn.group() in _ARROWS) and _CODE.search(text, turn.end())]
    turn = min(turns, key=lambda found: found.start(), default=None)
    if turn is not None:
        later = _GIVEN_UP.search(text, turn.end())
        return ((0, turn.start()), (later.end(), len(text))) if later else ((0, turn.start()),)
    if given_up is not None and not _GONE.search(text.replace(given_up.group(), "")):
        return ((given_up.end(), len(text)),)
    return ((0, len(text)),) if gone else ()
