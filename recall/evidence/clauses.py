"""Where a sentence asserts nothing of the present: its markers, and how far each reaches. Pure.

A phrase is looked for word by word, so that nothing has to be compiled for a sentence that has no name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from recall.evidence import english, korean

Span = tuple[int, int]

_WORD = re.compile(r"_+|[^\W\d_][^\W\d_]*(?:['’][^\W\d_]+)?|\d[\w.]*|[^\w\s]")
_KOREAN_PAST = re.compile(
    r"(?:했|았|었|였|렸|졌|왔|갔|됐|냈|겼|꿨|웠|봤|줬)(?:다|음|지만|는데|고|으나|습니다|어요|던)(?!\w)"
)
# What something was moved to is there; what it will be moved to, or was said to be, may not be.
_MOVED_TO = re.compile(
    r"(?<!_)(?P<target>_++)\s?(?:으로|로)\s+(?:(?:전부|모두|완전히|이미|다시)\s+)?(?:바꿨|바꾸고|바꿈|바뀌었|바뀜|옮겼|옮기고|옮김"
    r"|(?:대체|교체|변경|통합|이관|이전|전환|이동)\s?(?:했|하고|함|됐|되었|됨)|합쳤|합치고|갈아탔|넘어갔|넘겼)"
    r"(?!다가|다고|다는|다면|던|었|으면|지만|나|니|는지)"
)
_KOREAN_ENDS = re.compile(r"([,;|]\s)")
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]{0,400}+”|「[^」\n]{0,400}+」")
_STRUCK = re.compile(r"~~[^~\n]+~~")
_SIGNS = frozenset(",;:|–—?")
_RELATIVE = frozenset(("which", "who", "that", "how", "where", "why", "what"))
_AUXILIARIES = frozenset(("is", "are", "was", "were", "has", "have", "had"))
_MOST_BETWEEN = 4  # words that "*" stands for
_AND = frozenset(("and", "or", "nor"))


class _Word(NamedTuple):
    text: str
    start: int
    end: int


class _Phrase(NamedTuple):
    words: tuple[frozenset[str], ...]  # any of each
    reach: str  # the table it is from


def unasserted(masked: str, *, past: bool = True) -> Iterator[Span]:
    """Parts of a sentence that are denied, planned, supposed, reported or past; names masked by runs of "_".

    past: whether a verb of the past is enough, without another marker.
    """
    if masked.rstrip(" .)\"'`*_").endswith("?"):
        yield 0, len(masked)
        return
    for quoted in _QUOTED.finditer(masked):
        if quoted.group().count(" ") >= 2:  # what somebody said, not a string
            yield quoted.span()
    plain = (
        masked.lower().replace("’", "'") if masked.isascii() or len(masked.lower()) == len(masked) else masked
    )
    if _may_hold_markers({"_" if word[0] == "_" else word for word in _WORD.findall(plain)}):
        words = [_Word(found.group(), *found.span()) for found in _WORD.finditer(plain)]
        for clause in _clauses(words):
            yield from _of_clause(clause, len(masked), past)
    if not masked.isascii():
        yield from _korean(masked, past)


def _may_hold_markers(there: set[str]) -> bool:
    """Whether a sentence of these words may hold a marker: most do not, and that is found out cheaply."""
    if not there.isdisjoint(_set(english.CLASSES["past"])) or not there.isdisjoint(_set(english.PAST)):
        return True
    if not there.isdisjoint(_set(english.CLASSES["change"])) or any(word.endswith("ed") for word in there):
        return True
    phrases = _phrases()
    begun = (phrase for word in there if word in phrases for phrase in phrases[word])
    return any(not phrase.words[-1].isdisjoint(there) for phrase in begun)


def struck(text: str) -> Iterator[Span]:
    """What is struck out: `~~gone~~`."""
    return (found.span() for found in _STRUCK.finditer(text))


def _clauses(words: Sequence[_Word]) -> Iterator[Sequence[_Word]]:
    """The clauses of a sentence; a comma in a list of names, or in front of "which", ends none."""
    joints = _set(english.JOINTS)
    start = 0
    for at, word in enumerate(words):
        ends = word.text in _SIGNS or word.text in joints
        if word.text == "and":
            ends = at + 1 < len(words) and words[at + 1].text in _AUXILIARIES
        if word.text == ",":
            later = [follower.text for follower in words[at + 1 : at + 3]]
            listed = [text for text in later if text not in _AND][:1]
            ends = not (listed and (listed[0].startswith("_") or listed[0] in _RELATIVE))
        if ends:
            if at > start:
                yield words[start:at]
            start = at + 1
    if start < len(words):
        yield words[start:]


def _of_clause(clause: Sequence[_Word], whole: int, by_past: bool) -> Iterator[Span]:
    """What the English markers of one clause govern."""
    phrases, past = _phrases(), _set(english.CLASSES["past"])
    states, taken_back = _set(english.STATES), _set(english.TAKEN_BACK)
    first, last = clause[0].start, clause[-1].end
    there = {"_" if word.text.startswith("_") else word.text for word in clause}
    if by_past and _is_past(clause):
        yield first, last
    if clause[0].text in _set(english.CLASSES["change"]):  # an order
        yield clause[0].end, last
    for at, word in enumerate(clause):
        key = "_" if word.text.startswith("_") else word.text
        for phrase in phrases.get(key, ()):
            if phrase.words[-1].isdisjoint(there):  # most of them, and cheaply
                continue
            end = _match(phrase.words, clause, at)
            if not end:
                continue
            if phrase.reach == "BEHIND":
                until = (one.start for one in clause[end:] if one.text in taken_back)
                begin = clause[end - 1].start if "_" in phrase.words[-1] else clause[end - 1].end
                yield begin, next(until, last)
            elif phrase.reach == "BEFORE":
                yield _subject(clause, at), word.start
            else:
                yield (0, whole) if phrase.reach == "SENTENCE" else (first, last)
        if key == "_" and (follower := _after_name(clause, at)) is not None:
            simple = follower in past or (follower.endswith("ed") and follower not in states)
            simple &= not any(one.text in _set(english.CAME) for one in clause[at + 2 : at + 4])
            if simple:
                yield _list_of_names(clause, at), word.end


def _is_past(clause: Sequence[_Word]) -> bool:
    """Whether a clause has a verb of the past and none of the present."""
    present, past, states = _set(english.PRESENT), _set(english.PAST), _set(english.STATES)
    irregular, objects = _set(english.CLASSES["past"]), _set(english.OBJECTS)
    if any(word.text in present for word in clause):
        return False
    found = False
    for at, word in enumerate(clause):
        acts = word.text.endswith("s") and at > 0 and clause[at - 1].text.startswith("_")
        later = clause[at + 1].text if at + 1 < len(clause) else "."
        if acts or (word.text in _AUXILIARIES and later in _set(english.CAME)):
            return False
        regular = word.text.endswith("ed") and word.text not in states and at > 0
        found |= word.text in past or (word.text in irregular and later.startswith("_"))
        found |= regular and (later in objects or not later[0].isalpha())
    return found


def _subject(clause: Sequence[_Word], at: int) -> int:
    """Where the subject of a verb begins: the clause, or "that" behind something else than a name."""
    for place in range(at - 1, 0, -1):
        if clause[place].text in _RELATIVE and not clause[place - 1].text.startswith("_"):
            return clause[place].start
    return clause[0].start


def _list_of_names(clause: Sequence[_Word], at: int) -> int:
    """Where the list begins that ends with the name at a place."""
    while at and (clause[at - 1].text.startswith("_") or clause[at - 1].text in (*_AND, ",")):
        at -= 1
    return clause[at].start


def _after_name(clause: Sequence[_Word], at: int) -> str | None:
    between = _set(english.BETWEEN)
    return next((one.text for one in clause[at + 1 :] if one.text not in between and one.text != ")"), None)


def _match(phrase: Sequence[frozenset[str]], clause: Sequence[_Word], at: int) -> int:
    """Where a phrase that begins at a word ends; 0 if it does not stand there."""
    between = _set(english.BETWEEN)
    others = 0  # words of any kind that may still stand between
    for wanted in phrase:
        if "*" in wanted:
            others = _MOST_BETWEEN
            continue
        while at < len(clause):
            text = "_" if clause[at].text.startswith("_") else clause[at].text
            at += 1
            if text in wanted:
                break
            if text not in between:
                others -= 1
            if others < 0:
                return 0
        else:
            return 0
        others = 0
    return at


def _korean(masked: str, by_past: bool) -> Iterator[Span]:
    """Clauses whose Korean words are of the past, denied, planned."""
    if masked.rstrip(" .").endswith(tuple(korean.ASKED.split())):
        yield 0, len(masked)
        return
    for start, clause in _korean_clauses(masked):
        if _is_unasserted(clause, by_past):
            begin = start
            for first, last in _targets(clause):
                yield begin, start + first
                begin = start + last
            yield begin, start + len(clause)


def moved_to(masked: str) -> Iterator[Span]:
    """Names of a Korean sentence that something was moved to."""
    for start, clause in _korean_clauses(masked):
        yield from ((start + first, start + last) for first, last in _targets(clause))


def _korean_clauses(masked: str) -> Iterator[tuple[int, str]]:
    """The clauses with Korean words, and where each begins."""
    start = 0
    for clause in _KOREAN_ENDS.split(masked):
        if not clause.isascii():
            yield start, clause
        start += len(clause)


def _targets(clause: str) -> Iterator[Span]:
    """What something was moved to, where nothing else takes that out of the present."""
    if _MOVED_TO.search(clause) and not _is_unasserted(_MOVED_TO.sub(" ", clause)):
        yield from (found.span("target") for found in _MOVED_TO.finditer(clause))


def _is_unasserted(clause: str, by_past: bool = True) -> bool:
    joined = "".join(clause.split())
    for word in korean.NOT_PLANNED.split():
        joined = joined.replace(word, "")
    if any(marker in joined for marker in _set(korean.MARKERS)):
        return True
    past = _KOREAN_PAST.search(clause) if by_past else None
    return past is not None and not clause[: past.start()].rstrip("하되 ").endswith(
        tuple(korean.CAME.split())
    )


@cache
def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


@cache
def _phrases() -> dict[str, list[_Phrase]]:
    """The phrases by the words that they may begin with."""
    found: dict[str, list[_Phrase]] = {}
    tables = {name: getattr(english, name) for name in ("BEHIND", "BEFORE", "CLAUSE", "SENTENCE")}
    for reach, table in tables.items():
        for line in table.split(","):
            words = tuple(
                _set(english.CLASSES[word[1:-1]]) if word[0] == "{" else frozenset((word,))
                for word in line.split()
            )
            for word in words[0]:
                found.setdefault(word, []).append(_Phrase(words, reach))
    return found
