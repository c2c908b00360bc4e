"""Which ranked memories speak of the same thing, and how they stand to each other. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from recall.api import Authority
from recall.evidence.result import COMMITS, Verdict
from recall.index import Row
from recall.ranked import Ranked

SAME = 0.70  # share of a memory that another one holds, at or above which it is the same, unless facts differ
SIMILAR = 0.50  # containment at or above which they speak of the same thing
SIMILAR_LONG = 0.65  # the same for long texts, which share half of their words by chance
_BEGINNING = 600  # tokens of a text that are compared with another's
_LONG = 50  # tokens
_SMALLEST = 6  # tokens; below, only equal texts are the same: a two-word note is contained in everything
_POOL_FOR_COMMON = 8  # candidates from which on it can be said what is common among them
_COMMON_SHARE = 0.25  # of the candidates,
_COMMON_LEAST = 6  # and more of them than one memory has copies: it may be in every source
_COMPARED = 24  # best candidates that are compared with each other
_WHOLE_SUBJECT = 0.8  # of the question, held by both: then even other words speak of the same thing
_SAME_SHARE = (
    0.1  # by which their coverage may differ: who lacks a word of the question speaks of a neighbour
)
_SUBJECT_WORDS = 2  # that a question has at least for that: one word is a topic, no fact
_SHORT = 60  # tokens of a memory at most for that: a page speaks of many things
# Kinds that tell of something that was done once: two of them are two events, not two versions of a fact.
_EVENTS = frozenset({"commit", "merge"})
# Compiled at their first use: few questions compare two notes.
# What two notes can state differently: numbers and identifiers. Dates are not among them, since every copy of a
# note carries its own.
_NO_FACT = (
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}\S*)?"  # a date
    r"|(?<![\w./-])/*+(?:[\w.-]++/++)+[\w.-]*\.[A-Za-z]\w{0,7}\b"  # a file: where, and not what
)
# Bounded: a text may be one word of a hundred thousand letters.
_FACT = r"[A-Za-z][A-Za-z0-9]{0,63}+(?:_[A-Za-z0-9]{1,64}+){1,32}+|[a-z]{1,64}+[A-Z]\w*+|\d+(?:[.,:]\d+)*"
_FACTS_WITHIN = 8_000  # characters
_NEAR = 40  # characters before a fact in which its word is looked for
_WORD_BEFORE = re.compile(r"([^\W\d_]{1,40}+)[^\w.;!?\n]{0,40}+$")  # within so many
_UNIT = re.compile(r"[ ]?([^\W\d_]+)")
_NO_SUBJECT = frozenset(  # words before a fact that do not say what it is of
    "a an and as at be by for from in is it not now of on or over per than the then to until up was with".split()
)


class Candidate(NamedTuple):
    """A ranked memory, and the tokens by which it is compared."""

    ranked: Ranked
    tokens: frozenset[str]

    @classmethod
    def of(cls, ranked: Ranked) -> Candidate:
        """With the beginning of its text."""
        return cls(ranked, frozenset(ranked.row.body_tokens.split(" ", _BEGINNING)[:_BEGINNING]))


_Group = list[Candidate]  # best first


def grouped(ranked: Sequence[Ranked], subject_words: int, overtaken: Mapping[str, str]) -> tuple[Ranked, ...]:
    """Memories, best first, with those under them that speak of the same thing.

    subject_words: how many words the question is about; with two it asks for something that can differ.
    overtaken: uri of what the repository contradicts -> uri of the commit that made it so.
    """
    groups = _groups([Candidate.of(one) for one in ranked], subject_words >= _SUBJECT_WORDS)
    return tuple(map(_assembled, _led_by_commits(groups, overtaken)))


def containment(first: frozenset[str], second: frozenset[str]) -> float:
    """How much of the smaller one is in the other, 0..1."""
    smaller = min(len(first), len(second))
    if smaller < _SMALLEST:
        return 1.0 if first == second and first else 0.0
    return len(first & second) / smaller


def facts_differ(first: str, second: str) -> bool:
    """Whether two texts state different numbers or identifiers for the same thing.

    What stands at a word of both (port 8080, port 8443) tells, and further facts do not: who agrees on the port is
    not contradicted by a version. Without such a word, they differ if each states what the other does not.
    """
    ours, theirs = _facts(first), _facts(second)
    shared = [ours[word] & theirs[word] for word in ours.keys() & theirs.keys() - {""}]
    if shared:
        return not all(shared)
    mine, its = (set().union(*facts.values()) for facts in (ours, theirs))
    return bool(mine - its) and bool(its - mine)


def _facts(text: str) -> dict[str, set[str]]:
    """Numbers and identifiers by the word before them, and by their unit; of the beginning of a text."""
    text = re.sub(_NO_FACT, " ", text[:_FACTS_WITHIN])
    found: dict[str, set[str]] = {}
    for match in re.finditer(_FACT, text):
        before = _WORD_BEFORE.search(text, max(0, match.start() - _NEAR), match.start())
        unit = _UNIT.match(text, match.end()) if match[0][0].isdigit() else None
        words = [_stem(before[1], 2) if before else "", "#" + _stem(unit[1], 1) if unit else ""]
        for word in [word for word in words if word.strip("#")] or [""]:
            found.setdefault(word, set()).add(match[0])
    return found


def _stem(word: str, syllables: int) -> str:
    """A word without what Korean particles add to it; nothing for a word that says nothing of what follows it."""
    word = word.lower()
    return word[:syllables] if "가" <= word[0] <= "힣" else "" if word in _NO_SUBJECT else word


def _groups(candidates: Sequence[Candidate], is_fact: bool) -> list[_Group]:
    """Memories with those that speak of the same thing, by their words or by what was asked of them.

    is_fact: whether the question asks for something that two memories can state differently.
    """
    common = _common([one.tokens for one in candidates[:_COMPARED]])
    groups: list[_Group] = []
    for position, one in enumerate(candidates):
        homes = groups if position < _COMPARED else []
        home = next((group for group in homes if _belong(one, group[0], common, is_fact)), None)
        if home is None:
            groups.append([one])
        else:
            home.append(one)
    return groups


def _belong(one: Candidate, first: Candidate, common: frozenset[str], is_fact: bool) -> bool:
    return _comparable(one.ranked.row, first.ranked.row) and (
        _alike(one.tokens, first.tokens, common) or (is_fact and _answers_otherwise(one, first))
    )


def _led_by_commits(groups: list[_Group], overtaken: Mapping[str, str]) -> list[_Group]:
    """With what is contradicted put to the commit that says otherwise, in the better one's place."""
    while (pair := next(_wrong_and_right(groups, overtaken), None)) is not None:
        wrong, right = pair
        rest = [group for number, group in enumerate(groups) if number not in pair]
        rest.insert(min(pair), [*groups[right], *groups[wrong]])
        groups = rest
    return groups


def _wrong_and_right(groups: Sequence[_Group], overtaken: Mapping[str, str]) -> Iterator[tuple[int, int]]:
    """Places of groups that are contradicted as a whole, each with that of the commit that says otherwise."""
    places = {one.ranked.row.uri: place for place, group in enumerate(groups) for one in group}
    for wrong, group in enumerate(groups):
        if all(one.ranked.contradicted for one in group):
            rights = (places.get(overtaken.get(one.ranked.row.uri, "")) for one in group)
            yield from ((wrong, right) for right in rights if right is not None and right != wrong)


def _comparable(row: Row, other: Row) -> bool:
    """Whether they can be versions of one thing; of events only the same one, as of a commit picked twice."""
    return row.title == other.title or not (row.kind in _EVENTS and other.kind in _EVENTS)


def _alike(tokens: frozenset[str], other: frozenset[str], common: frozenset[str]) -> bool:
    """Whether they are alike as a whole, and without what all candidates share."""
    least = SIMILAR if min(len(tokens), len(other)) < _LONG else SIMILAR_LONG
    return containment(tokens, other) >= least and containment(tokens - common, other - common) >= least


def _answers_otherwise(one: Candidate, other: Candidate) -> bool:
    """Whether both answer the whole question, briefly, with other numbers or identifiers."""
    mine, its = one.ranked.factors.coverage, other.ranked.factors.coverage
    return (
        min(mine, its) >= _WHOLE_SUBJECT
        and abs(mine - its) <= _SAME_SHARE
        and max(len(one.tokens), len(other.tokens)) <= _SHORT
        and facts_differ(one.ranked.row.text, other.ranked.row.text)
    )


def _common(pool: Sequence[frozenset[str]]) -> frozenset[str]:
    """Tokens of a large part of the candidates: the question's own and the trade's, which make nothing alike."""
    if len(pool) < _POOL_FOR_COMMON:
        return frozenset()
    counts = Counter(token for tokens in pool for token in tokens)
    least = max(_COMMON_LEAST, _COMMON_SHARE * len(pool))
    return frozenset(token for token, count in counts.items() if count > least)


def _assembled(group: _Group) -> Ranked:
    """The group under its most authoritative, then newest member that stands; it keeps its best member's place.

    What its source has withdrawn, or the repository contradicts, leads nothing that stands. A commit whose files were
    changed since is history: it leads nothing that the repository as it is now confirms.
    """
    lead, *rest = sorted(group, key=partial(_leading, _confirmed(group)))
    also, disagrees, similar = [], [], []
    for one in rest:
        if _stands_against(one.ranked, lead.ranked):
            disagrees.append(one.ranked)
        elif one.tokens == lead.tokens or len(one.tokens & lead.tokens) >= SAME * len(one.tokens):
            also.append(one.ranked)  # nothing of it is lost: the leading one says nearly all that it says
        else:
            similar.append(one.ranked)
    return lead.ranked._replace(also=tuple(also), disagrees=tuple(disagrees), similar=tuple(similar))


def _confirmed(group: _Group) -> float:
    """The place in the order of authorities of the best member that the repository confirms."""
    places = (_place(one.ranked) for one in group if _verdict(one.ranked) is Verdict.CURRENT)
    return min(places, default=-1)


def _place(ranked: Ranked) -> int:
    return list(Authority).index(ranked.factors.authority)


def _verdict(ranked: Ranked) -> Verdict | None:
    return ranked.evidence.verdict if ranked.evidence is not None else None


def _leading(confirmed: float, one: Candidate) -> tuple[bool, bool, bool, float, float, float, str]:
    ranked = one.ranked
    place: float = _place(ranked)
    if ranked.row.uri.startswith(COMMITS) and _verdict(ranked) is Verdict.CHANGED:
        place = max(place, confirmed + 0.5)
    return (
        bool(ranked.row.withdrawn),
        ranked.contradicted,
        ranked.vanished_at is not None,
        place,
        -(ranked.row.updated or ranked.row.created or 0.0),
        -ranked.factors.score,
        ranked.row.uri,
    )


def _stands_against(ranked: Ranked, lead: Ranked) -> bool:
    """Whether it states other facts; what was taken back, or is so no more, states them with the same words too."""
    taken_back = bool(ranked.row.withdrawn) and not lead.row.withdrawn
    overtaken = ranked.contradicted and not lead.contradicted
    return taken_back or overtaken or facts_differ(lead.row.text, ranked.row.text)
