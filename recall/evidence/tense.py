"""Sentences of a memory, and which part of each speaks of what is no more. Pure.

"`a.py` was renamed to `b.py`" does not say that a.py is there. Three tenses:

- past: a word of `told` governs the name ("X was removed", "X를 삭제했다"), or a heading rules it: its absence is what
  the memory says;
- unclear: the sentence has such a word, and the name stands on the side that is given up; or a marker of `clauses`
  takes the name out of the present (denied, planned, supposed, reported): nothing follows;
- present: all else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from recall.evidence import clauses, outline, told
from recall.evidence.outline import Tense

_LONGEST = 1_000  # characters of a sentence
_END = re.compile(r"(?<=[.!?。])[)\"'`]*\s+(?=\S)|\n|(?<=[다요음됨함])\.\s+|;\s")
_GONE = re.compile(
    # What code does ("deletes rows") is told in the present; what was done to it in the past, or as an order.
    r"^\W*(?:remove|delete|drop|rename|move|replace)\b"
    r"|\b(?:(?:re)?moved|remov(?:al|ing)|delet(?:ed|ing|ion)|dropp(?:ed|ing)|renam(?:ed|ing)|replaced|superseded"
    r"|gone|(?:split|merged|folded) into|migrat(?:ed|ing|ion) (?:from|to|off|away)|no longer"
    r"|(?<!is )(?<!are )(?<!be )(?<!was )(?<!were )used to|formerly|previously|originally|once lived"
    r"|(?:does not|doesn't|never) exist(?:ed)?|(?:up|down)grad(?:ed|ing)|upgrade (?:from|to|of)"
    r"|(?:get|got|getting) rid of|stopp(?:ed|ing) using|(?:do not|don't|never) use|not used|unused|ripped out"
    r"|bumped|(?:changed|converted|swapped)\s+(?:\w+\s+){0,3}?_+\s+(?:\w+\s+){0,3}?(?:to|into|for|with)\s+(?:\w+\s+)?_+"
    r"|changed (?:from|to)|switched (?:from|to|over|away)"
    r"|(?:was|were|had been) (?:in|at|on|called|named|located|defined|handled|kept|set|pinned))\b"
    # An adjective speaks of its noun alone: "handles legacy orders" says nothing of the function.
    r"|\b(?:legacy|obsolete|deprecated|retired|former|old(?: name)?|there (?:is|was) no)\b[\s:]{1,3}_|_\s+was\s+`?\d"
    r"|_\s+(?:(?:is|are|was|were)\s+)?(?:now\s+)?(?:legacy|obsolete|deprecated|retired)\b(?!\s+[a-z])"
    r"|(?:삭제|제거|이동|개명|대체|교체|폐기|변경)\s*(?:했|됐|되었|됨|된|함|한|하였|완료|예정|$|[.,)\]:→])"
    r"|없앴|없애(?!면)|사라(?!지면|지지)|없어(?!지면|지지)|(?:쓰지|사용하지)\s*않|_\s*(?:[가-힣]{2,3})?[은는이가]\s*(?:이제\s*|더\s*이상\s*)?없(?:다|음)"
    r"|옮겼|옮긴|옮김|이름을?\s*(?:바꾸|바꿨|바꿈|변경)|이름 변경|바꿨|바꾼|바꿈|바뀌(?!면|지\s*않)"
    r"|더\s*이상|더는|예전에|과거에|이전에는|이전엔|원래"
    r"|(?:예전|옛|과거)\s*(?:이름|_)|[_\d]\s*(?:이었|였)다|존재하지\s*않|올렸|업그레이드|합쳤|나눴|쪼갰|_\s*대신|_\s*말고",
    re.IGNORECASE,
)
# "skips deleted events", "삭제된 주문은": which ones, not what was done.
_WHICH = re.compile(
    r"\b[a-z]+s\s+(?:deleted|removed|dropped|renamed|moved|replaced)\s+[a-z]+s\b(?!\s*_)"
    r"|(?:삭제|제거|이동|변경|교체|폐기)된\s+[가-힣]+(?:은|는|이|가|을|를|도|의)\s",
    re.IGNORECASE,
)
# Behind these stands what is there now. Korean verbs come last, so that its turns stand before them.
_TURN_ANYWHERE = re.compile(r"->|→|=>|⇒|➜|에서\s|대신\s|\bnow\b|이제")
_TURN_AFTER = re.compile(r"\b(?:to|into|by|with|in favou?r of|use|instead[,:])\b(?!\s+of)", re.IGNORECASE)
# Behind these stands what was given up.
_GIVEN_UP = re.compile(
    r"\b(?:instead of|rather than|(?:replac(?:es|ed|ing)|supersede[sd]?)(?!\s+(?:by|with)\b)|in place of"
    r"|formerly|previously)\b",
    re.IGNORECASE,
)
_NAMES = re.compile(
    # A statement is one name.
    r"`[^`\n]+`|\bfrom\s+[\w.]{1,99}+\s+import\s+[\w.*]{1,99}+|\bimport\s+\{[^{}\n]{1,99}\}\s+from\s+(?P<quote>[\"'])[^\"'\n]{1,99}(?P=quote)"
    r"|(?<![A-Za-z0-9가-힣@+._/\\-])(?:[A-Za-z0-9가-힣@+._-]++[/\\])*+[A-Za-z0-9가-힣@+_-]++"
    r"(?:\.[A-Za-z0-9가-힣@+_-]+)*?\.[a-z]{1,5}(?![A-Za-z0-9_./\\])|(?<![A-Za-z0-9@+./\\_-])[A-Za-z0-9@+./\\_-]*(?:[/\\_]|\w\.\w)[A-Za-z0-9@+./\\_-]*(?:\(\))?"
    r"|\b[A-Za-z]+[a-z][A-Z][A-Za-z0-9_]*(?:\(\))?|\b[A-Za-z][A-Za-z0-9_]+\(\)",
)
_CODE = re.compile(r"[`_/\d]|\.\w|[a-z][A-Z]")  # what could be a name
_ARROWS = ("->", "→", "=>", "⇒", "➜")


class Sentence(NamedTuple):
    """A sentence, and what rules it."""

    text: str
    fenced: bool = False  # sample code
    ruled: Tense = Tense.PRESENT
    columns: tuple[tuple[int, int, Tense], ...] = ()  # from, to: cells that are ruled otherwise


class Spoken(NamedTuple):
    """How a sentence speaks of what stands where."""

    ruled: Tense
    unclear: tuple[tuple[int, int], ...]  # from, to: what may be past, or is not asserted
    past: tuple[tuple[int, int], ...]  # from, to: names that are told as past
    columns: tuple[tuple[int, int, Tense], ...]

    def tense(self, place: int) -> Tense:
        """How it speaks of what stands at `place`."""
        tense = max([self.ruled, *(tense for start, end, tense in self.columns if start <= place < end)])
        if any(start <= place < end for start, end in self.unclear):
            told_past = any(start <= place < end for start, end in self.past)
            tense = max(tense, Tense.PAST if told_past else Tense.UNCLEAR)
        return tense


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text; a line of a list, a row of a table or a line of code is one."""
    for line in outline.lines(text):
        if line.fenced or (line.columns and len(line.text) <= _LONGEST):
            yield from (Sentence(part, line.fenced, line.ruled, line.columns) for part in _short(line.text))
        else:
            for whole in _END.split(line.text):
                yield from (Sentence(part, ruled=line.ruled) for part in _short(whole))


def _short(text: str | None) -> Iterator[str]:
    """A sentence in pieces: nobody writes longer ones, and looking at them would take longer than it is worth."""
    for start in range(0, len(text or ""), _LONGEST):
        if text and (piece := text[start : start + _LONGEST]).strip():
            yield piece


def spoken(sentence: Sentence) -> Spoken:
    """How a sentence speaks of what stands where."""
    if sentence.fenced:
        return Spoken(sentence.ruled, (), (), sentence.columns)
    # A folder may be called "legacy", and a function "remove_old".
    text = _NAMES.sub(lambda found: "_" * len(found.group()), sentence.text)
    text = _WHICH.sub(lambda found: " " * len(found.group()), text)
    given_up, struck = (
        tuple(_without(_given_up(text), clauses.moved_to(text))),
        tuple(clauses.struck(sentence.text)),
    )
    past = (*(told.names_told_as_past(text) if given_up else ()), *struck)
    return Spoken(sentence.ruled, (*given_up, *struck, *clauses.unasserted(text)), past, sentence.columns)


def _without(spans: Iterable[clauses.Span], holes: Iterable[clauses.Span]) -> Iterator[clauses.Span]:
    """Spans without the parts of them that holes take; those come in their order."""
    holes = tuple(holes)
    for begin, end in spans:
        for first, last in holes:
            if begin <= first < end:
                yield begin, first
                begin = last
        yield begin, end


def _given_up(text: str) -> tuple[tuple[int, int], ...]:
    """The side of a sentence that is given up, if any."""
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
