"""A memory as it is ranked: every factor of its score, what stands with it, what the repository says of it."""

from __future__ import annotations

from typing import NamedTuple

from recall.api import Authority
from recall.evidence.result import Evidence
from recall.index import Row


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
    evidence_factor: float = 1.0

    @property
    def score(self) -> float:
        """The product of them all."""
        return (
            self.relative
            * self.coverage_factor
            * self.authority_factor
            * self.age_factor
            * self.vanished_factor
            * self.withdrawn_factor
            * self.evidence_factor
        )


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

    @property
    def placed_by(self) -> Ranked:
        """The member whose score gives them all their place."""
        return max(self.members(), key=lambda member: member.factors.score)

    def members(self) -> tuple[Ranked, ...]:
        """The memory itself and all that stand with it, in the order they are shown."""
        return (self, *self.also, *self.disagrees, *self.similar)
