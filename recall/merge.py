"""Matches to a ranking: bent by authority and age within bounds, folded, grouped, explained. Pure.

    score = bm25/max * (0.7 + 0.3*coverage**2) * (0.85 + 0.15*authority)
            * (0.9 + 0.1*0.5**(age_days/half_life))
            * (0.85 if vanished) * (0.75 if withdrawn) * (0.8 if contradicted)

The bounds are measured (`benchmarks/conflicts.py`): this puts the right version first in 97 % of conflicts and
costs 0.2 % nDCG@10 where authority says nothing. Plain multiplication by authority costs 15 %, a 30-day half-life
70 %. Coverage is there because BM25 alone prefers a short note on a neighbour of what was asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from recall.api import Authority
from recall.evidence.result import Evidence
from recall.index import Match, Row
from recall.question import Question
from recall.relevance import worth_showing

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
_VANISHED = 0.85
_WITHDRAWN = 0.75  # less than the least authority and the greatest age leave together (0.765)
_CONTRADICTED = 0.8  # what the repository contradicts falls below what answers a fifth worse
_SECONDS_A_DAY = 86_400.0
# What two notes can state differently: numbers and identifiers. Dates are not among them, since every copy of a
# note carries its own.
_NO_FACT = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}\S*)?"  # a date
    r"|(?:[\w.-]+/)+[\w.-]*\.[A-Za-z]\w{0,7}\b"  # a file
)
_FACT = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+[A-Z]\w*|\d+(?:[.,:]\d+)*")


class Factors(NamedTuple):
    """Every factor of a score, for `--explain`."""

    bm25: float
    relative: float  # bm25 over the best candidate's
    coverage: float  # share of the question's subject that it holds, 0..1
    coverage_factor: float
    authority: Authority
    authority_weight: float
    authority_factor: float
    age_days: float | None
    age_factor: float
    vanished_factor: float
    withdrawn_factor: float
    score: float
    evidence_factor: float = 1.0


class Ranked(NamedTuple):
    """A memory with its score and what stands with it."""

    row: Row
    factors: Factors
    vanished_at: float | None = None
    also: tuple[Ranked, ...] = ()  # the same memory in other places
    disagrees: tuple[Ranked, ...] = ()  # the same subject with other numbers or identifiers
    similar: tuple[Ranked, ...] = ()  # probably the same fact in other words
    evidence: Evidence | None = None  # what the repository says of it; None where that is not asked

    @property
    def contradicted(self) -> bool:
        """Whether the repository says otherwise now."""
        return self.evidence is not None and self.evidence.contradicted

    def members(self) -> tuple[Ranked, ...]:
        """The memory itself and all that stand with it, in the order they are shown."""
        return (self, *self.also, *self.disagrees, *self.similar)


class Weights(NamedTuple):
    """What bends a score; dates are epoch seconds."""

    authority: Mapping[Authority, float]
    authority_of: Callable[[Row], Authority]
    half_life_days: float
    floor: float
    now: float


class Ranking(NamedTuple):
    """The answer's order, and how many candidates were too weak to be in it."""

    ranked: tuple[Ranked, ...]
    below_floor: int
    contradicted: int = 0  # left out, where only what is not contradicted is wanted


class Checking(NamedTuple):
    """How candidates are checked against the repository."""

    most: int  # best candidates that are
    check: Callable[[Sequence[Row]], Mapping[str, Evidence]]  # evidence by uri
    only_current: bool = False  # leave out what is contradicted


_Group = list[tuple[Ranked, frozenset[str]]]  # members with their tokens, best first


def rank(
    matches: Sequence[Match], question: Question, weights: Weights, checking: Checking | None = None
) -> Ranking:
    """Rank matches; the result does not depend on their order."""
    best = max((match.score for match in matches), default=0.0)
    wanted = question.subject.tokens()
    evidence = {match.row.uri: question.subject.evidence(_held(match.row, wanted)) for match in matches}
    shown = worth_showing(question.subject, evidence, weights.floor)
    scored = [
        (
            Ranked(
                match.row, _factors(match, evidence[match.row.uri].share, best, weights), match.vanished_at
            ),
            frozenset(match.row.body_tokens.split(" ", _BEGINNING)[:_BEGINNING]),
        )
        for match in matches
        if match.row.uri in shown
    ]
    scored.sort(key=_best_first)
    below_floor, hidden = len(matches) - len(shown), 0
    if checking is not None:
        scored = _weighed_by_evidence(scored, checking)
        if checking.only_current:
            kept = [pair for pair in scored if not pair[0].contradicted]
            scored, hidden = kept, len(scored) - len(kept)
    is_fact = len(question.subject.words) >= _SUBJECT_WORDS
    return Ranking(tuple(map(_assembled, _grouped(scored, is_fact))), below_floor, hidden)


def containment(first: frozenset[str], second: frozenset[str]) -> float:
    """How much of the smaller one is in the other, 0..1."""
    smaller = min(len(first), len(second))
    if smaller < _SMALLEST:
        return 1.0 if first == second and first else 0.0
    return len(first & second) / smaller


def facts_differ(first: str, second: str) -> bool:
    """Whether each text states a number or identifier that the other does not."""
    ours, theirs = (set(_FACT.findall(_NO_FACT.sub(" ", text))) for text in (first, second))
    return bool(ours - theirs) and bool(theirs - ours)


def _held(row: Row, wanted: frozenset[str]) -> frozenset[str]:
    """Those of the wanted tokens that a memory holds; looked for in place, since a memory may be a megabyte."""
    text = f" {row.title_tokens} {row.body_tokens} "
    return frozenset(token for token in wanted if f" {token} " in text)


def _factors(match: Match, coverage: float, best: float, weights: Weights) -> Factors:
    relative = match.score / best if best > 0 else 0.0
    authority = weights.authority_of(match.row)
    weight = weights.authority[authority]
    dated = match.row.dated
    age = None if dated is None else max(0.0, (weights.now - dated) / _SECONDS_A_DAY)
    # A memory without a date is neither new nor old.
    freshness = 0.5 if age is None else 0.5 ** (age / weights.half_life_days)
    coverage_factor = 0.7 + 0.3 * coverage**2
    authority_factor = 0.85 + 0.15 * weight
    age_factor = 0.9 + 0.1 * freshness
    vanished_factor = 1.0 if match.vanished_at is None else _VANISHED
    withdrawn_factor = _WITHDRAWN if match.row.withdrawn else 1.0
    return Factors(
        bm25=match.score,
        relative=relative,
        coverage=coverage,
        coverage_factor=coverage_factor,
        authority=authority,
        authority_weight=weight,
        authority_factor=authority_factor,
        age_days=age,
        age_factor=age_factor,
        vanished_factor=vanished_factor,
        withdrawn_factor=withdrawn_factor,
        score=(
            relative * coverage_factor * authority_factor * age_factor * vanished_factor * withdrawn_factor
        ),
    )


def _best_first(pair: tuple[Ranked, frozenset[str]]) -> tuple[float, str]:
    return -pair[0].factors.score, pair[0].row.uri


def _weighed_by_evidence(scored: _Group, checking: Checking) -> _Group:
    """The candidates with their evidence; what is contradicted sinks."""
    evidence = checking.check([ranked.row for ranked, _tokens in scored[: checking.most]])
    weighed = [(_with(ranked, evidence.get(ranked.row.uri)), tokens) for ranked, tokens in scored]
    return sorted(weighed, key=_best_first)


def _with(ranked: Ranked, evidence: Evidence | None) -> Ranked:
    if evidence is None or not evidence.contradicted:
        return ranked._replace(evidence=evidence)
    factors = ranked.factors
    sunk = factors._replace(evidence_factor=_CONTRADICTED, score=factors.score * _CONTRADICTED)
    return ranked._replace(evidence=evidence, factors=sunk)


def _grouped(scored: Sequence[tuple[Ranked, frozenset[str]]], is_fact: bool) -> list[_Group]:
    """Memories with those that speak of the same thing, by their words or by what was asked of them.

    is_fact: whether the question asks for something that two memories can state differently.
    """
    common = _common([tokens for _ranked, tokens in scored[:_COMPARED]])
    groups: list[_Group] = []
    for position, (ranked, tokens) in enumerate(scored):
        home = None
        if position < _COMPARED:
            home = next(
                (
                    group
                    for group in groups
                    if _comparable(ranked.row, group[0][0].row)
                    and (
                        _alike(tokens, group[0][1], common)
                        or (is_fact and _answers_otherwise(ranked, tokens, *group[0]))
                    )
                ),
                None,
            )
        if home is None:
            groups.append([(ranked, tokens)])
        else:
            home.append((ranked, tokens))
    return groups


def _comparable(row: Row, other: Row) -> bool:
    """Whether they can be versions of one thing; of events only the same one, as of a commit picked twice."""
    return row.title == other.title or not (row.kind in _EVENTS and other.kind in _EVENTS)


def _alike(tokens: frozenset[str], other: frozenset[str], common: frozenset[str]) -> bool:
    """Whether they are alike as a whole, and without what all candidates share."""
    least = SIMILAR if min(len(tokens), len(other)) < _LONG else SIMILAR_LONG
    return containment(tokens, other) >= least and containment(tokens - common, other - common) >= least


def _answers_otherwise(
    ranked: Ranked, tokens: frozenset[str], other: Ranked, other_tokens: frozenset[str]
) -> bool:
    """Whether both answer the whole question, briefly, with other numbers or identifiers."""
    one, two = ranked.factors.coverage, other.factors.coverage
    return (
        min(one, two) >= _WHOLE_SUBJECT
        and abs(one - two) <= _SAME_SHARE
        and max(len(tokens), len(other_tokens)) <= _SHORT
        and facts_differ(ranked.row.text, other.row.text)
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

    What its source has withdrawn, or the repository contradicts, leads nothing that stands.
    """
    if len(group) == 1:
        return group[0][0]
    order = list(Authority)
    members = sorted(
        group,
        key=lambda member: (
            bool(member[0].row.withdrawn),
            member[0].contradicted,
            member[0].vanished_at is not None,
            order.index(member[0].factors.authority),
            -(member[0].row.updated or member[0].row.created or 0.0),
            -member[0].factors.score,
            member[0].row.uri,
        ),
    )
    (lead, lead_tokens), rest = members[0], members[1:]
    also, disagrees, similar = [], [], []
    for ranked, tokens in rest:
        # A source that took its copy back disagrees with one that still stands by it.
        taken_back = ranked.row.withdrawn and not lead.row.withdrawn
        if taken_back or facts_differ(lead.row.text, ranked.row.text):
            disagrees.append(ranked)
        elif tokens == lead_tokens or len(tokens & lead_tokens) >= SAME * len(tokens):
            also.append(ranked)  # nothing of it is lost: the leading one says nearly all that it says
        else:
            similar.append(ranked)
    return lead._replace(also=tuple(also), disagrees=tuple(disagrees), similar=tuple(similar))
