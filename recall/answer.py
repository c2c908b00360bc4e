"""What comes back from a question: ranked memories, one outcome per provider, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from recall.api import Problem, State
from recall.ranked import Ranked

if TYPE_CHECKING:
    from recall.git.present import Present


class Outcome(NamedTuple):
    """What one provider did for one recall."""

    provider: str
    state: State
    memories: int = 0  # of it in the index, vanished ones included
    found: int = 0  # of them in this answer
    seconds: float = 0.0
    reason: str = ""
    next_step: str = ""
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    vanished: int = 0
    late: bool = False
    kind: str = ""  # stable word for the failure: absent, busy, broken, late, contract, ...
    retryable: bool = False

    @property
    def blind(self) -> bool:
        """Whether there may be memories that could not be looked at."""
        return self.state in (State.BUSY, State.BROKEN) and not self.memories

    @property
    def looked(self) -> bool:
        """Whether "nothing found" may be said of this source."""
        return self.state.usable or self.state is State.EMPTY or (self.memories > 0)


class Hit(NamedTuple):
    """A memory as it is shown."""

    ranked: Ranked
    excerpt: str
    whole: bool  # whether the excerpt is the whole text
    tokens: int  # approximate size of the excerpt
    full_tokens: int  # approximate size of the whole text
    unshown: int = 0  # memories that stand with it and are not shown


class LeftOut(NamedTuple):
    """What an answer does not show, counted."""

    below_floor: int = 0  # too weak a match
    contradicted: int = 0  # by the repository as it is now, where only the others are wanted
    beyond_limit: int = 0
    beyond_budget: int = 0  # no room for even a line of it
    shortened: int = 0  # shown in part
    related: int = 0  # that stand with a shown one as copies, disagreeing or similar, beyond the first few
    unranked: int = 0  # at least so many further memories hold some of the question's terms
    question_terms: int = 0  # of a very long question, not searched

    def beside(self, hits: Iterable[Hit]) -> LeftOut:
        """The same where these are shown: what is missing of them, and of those that stand with them."""
        hits = tuple(hits)
        shortened = sum(not hit.whole for hit in hits)
        return self._replace(shortened=shortened, related=sum(hit.unshown for hit in hits))


class Answer(NamedTuple):
    """The answer to one question."""

    question: str
    hits: tuple[Hit, ...]
    outcomes: tuple[Outcome, ...]
    left_out: LeftOut
    notices: tuple[str, ...]
    seconds: float
    now: float  # epoch seconds: what ages are counted from
    project: str = ""
    present: Present | None = None  # how the project stands in Git; None outside Git, or if git is not asked

    @property
    def looked(self) -> bool:
        """Whether anything could be looked at: tells "found nothing" from "could not look"."""
        return any(outcome.looked for outcome in self.outcomes)
