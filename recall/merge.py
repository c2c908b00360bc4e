"""Matches to a ranking: bent by authority and age within bounds, folded, grouped, explained.

    score = bm25/max * (0.7 + 0.3*coverage**2) * (0.85 + 0.15*authority)
            * (0.9 + 0.1*0.5**(age_days/half_life))
            * (0.85 if vanished) * (0.75 if withdrawn) * (0.8 if contradicted)

The bounds are measured (`benchmarks/conflicts.py`): this puts the right version first in 96 to 99 of 100 conflicts,
and costs 0.0 to 0.4 % nDCG@10 where authority says nothing. Plain multiplication by authority costs 15 %, a
30-day half-life 70 %. Coverage is there because BM25 alone prefers a short note on a neighbour of what was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from recall.api import Authority
from recall.evidence.result import COMMITS, Evidence
from recall.grouping import grouped
from recall.index import Match, Row
from recall.question import Question
from recall.ranked import Factors, Ranked
from recall.relevance import worth_showing

_VANISHED = 0.85
_WITHDRAWN = 0.75  # less than the least authority and the greatest age leave together (0.765)
_CONTRADICTED = 0.8  # what the repository contradicts falls below what answers a fifth worse
_SECONDS_A_DAY = 86_400.0
_CHAIN = 4  # commits that may have overtaken each other, which are followed


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
    commit: Callable[[str], Match | None]  # a commit's memory by its uri, if it may be shown
    only_current: bool = False  # leave out what is contradicted


def rank(
    matches: Sequence[Match], question: Question, weights: Weights, checking: Checking | None = None
) -> Ranking:
    """Rank matches; the result does not depend on their order."""
    best = max((match.score for match in matches), default=0.0)
    wanted = question.subject.tokens()
    evidence = {match.row.uri: question.subject.evidence(_held(match.row, wanted)) for match in matches}
    shown = worth_showing(question.subject, evidence, weights.floor)
    scored = [
        Ranked(match.row, _factors(match, evidence[match.row.uri].share, best, weights), match.vanished_at)
        for match in matches
        if match.row.uri in shown
    ]
    scored.sort(key=_best_first)
    below_floor, hidden = len(matches) - len(shown), 0
    overtaken: dict[str, str] = {}
    if checking is not None:
        scored = _weighed_by_evidence(scored, checking, weights)
        if checking.only_current:
            kept = [ranked for ranked in scored if not ranked.contradicted]
            scored, hidden = kept, len(scored) - len(kept)

        def weighed(commit: Match) -> Ranked:
            share = question.subject.evidence(_held(commit.row, wanted)).share
            return Ranked(commit.row, _factors(commit, share, best, weights))

        scored += _overtaking(scored, evidence.keys(), checking, weights, weighed)
        overtaken = _overtaken(scored)
    words = len(question.subject.words)
    return Ranking(grouped(scored, words, overtaken), below_floor, hidden)


def _held(row: Row, wanted: frozenset[str]) -> frozenset[str]:
    """Those of the wanted tokens that a memory holds; looked for in place, since a memory may be a megabyte."""
    text = f" {row.title_tokens} {row.body_tokens} "
    return frozenset(token for token in wanted if f" {token} " in text)


def _factors(match: Match, coverage: float, best: float, weights: Weights) -> Factors:
    relative = match.score / best if best > 0 else 0.0
    authority = weights.authority_of(match.row)
    weight = weights.authority[authority]
    age, age_factor = _age(match.row, weights)
    coverage_factor = 0.7 + 0.3 * coverage**2
    authority_factor = 0.85 + 0.15 * weight
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
    )


def _age(row: Row, weights: Weights) -> tuple[float | None, float]:
    """A memory's age in days, and what it makes of its score; one without a date is neither new nor old."""
    if row.dated is None:
        return None, 0.9 + 0.1 * 0.5
    age = max(0.0, (weights.now - row.dated) / _SECONDS_A_DAY)
    return age, 0.9 + 0.1 * 0.5 ** (age / weights.half_life_days)


def _best_first(ranked: Ranked) -> tuple[float, str]:
    return -ranked.factors.score, ranked.row.uri


def _weighed_by_evidence(scored: Sequence[Ranked], checking: Checking, weights: Weights) -> list[Ranked]:
    """The candidates with their evidence; what is contradicted sinks."""
    evidence = checking.check([ranked.row for ranked in scored[: checking.most]])
    return sorted(
        (_with(ranked, evidence.get(ranked.row.uri), weights) for ranked in scored), key=_best_first
    )


def _with(ranked: Ranked, evidence: Evidence | None, weights: Weights) -> Ranked:
    row, factors = ranked.row, ranked.factors
    if evidence is not None and evidence.date_origin:
        # A clone gives every file the time of the cloning; the history knows better.
        row = row._replace(updated=evidence.dated, date_origin=evidence.date_origin)
        age, age_factor = _age(row, weights)
        factors = factors._replace(age_days=age, age_factor=age_factor)
    if evidence is not None and evidence.contradicted:
        factors = factors._replace(evidence_factor=_CONTRADICTED)
    return ranked._replace(row=row, factors=factors, evidence=evidence)


def _overtaking(
    scored: Sequence[Ranked],
    known: Collection[str],
    checking: Checking,
    weights: Weights,
    weighed: Callable[[Match], Ranked],
) -> list[Ranked]:
    """The commits that made memories wrong and were not found, with those that made these wrong in turn."""
    added: list[Ranked] = []
    asked = set(known)
    latest = list(scored)
    for _step in range(_CHAIN):
        missing = sorted(set(_overtaken(latest).values()) - asked)
        asked.update(missing)
        commits = [commit for uri in missing if (commit := checking.commit(uri)) is not None]
        if not commits:
            break
        latest = _weighed_by_evidence(list(map(weighed, commits)), checking, weights)
        added += latest
    return added


def _overtaken(scored: Sequence[Ranked]) -> dict[str, str]:
    """What is contradicted, with the uri of the commit since which it is."""
    found = ((ranked.row.uri, ranked.evidence.commit) for ranked in scored if ranked.evidence is not None)
    return {uri: f"{COMMITS}{commit}" for uri, commit in found if commit}
