"""What a labelled set is made of: a history that was built, and memories of it with the verdict each should get."""

from __future__ import annotations

from typing import NamedTuple

from evidence.repository import Repository
from recall.evidence.result import Verdict

CURRENT, CHANGED, CONTRADICTED, UNVERIFIABLE = (
    Verdict.CURRENT,
    Verdict.CHANGED,
    Verdict.CONTRADICTED,
    Verdict.UNVERIFIABLE,
)


class Built(NamedTuple):
    """The repository, and the ids of commits that memories name."""

    repository: Repository
    known: str
    aside: str  # on a branch that HEAD does not have


class Labelled(NamedTuple):
    """A memory and the verdict it should get."""

    text: str
    day: float | None
    verdict: Verdict
    origin: str = "front matter"  # who told its date
    also: Verdict | None = (
        None  # as right: what a memory tells as gone need not be understood, only left in peace
    )

    def right(self, verdict: Verdict) -> bool:
        """Whether it may get a verdict."""
        return verdict in (self.verdict, self.also)
