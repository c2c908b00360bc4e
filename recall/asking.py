"""A question with all that was left to the settings filled in, and the parts its answer is put together from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from recall import excerpt, merge, outcomes, question
from recall.answer import Hit, LeftOut, Outcome
from recall.api import Authority
from recall.errors import UsageError
from recall.index import CorpusCounts, Row
from recall.plugins import Plugin
from recall.reading import Reading, Watch
from recall.settings import Settings
from recall.sources import Source
from recall.tokens import Tokenizer, Word

GIT = "git"  # the source that stands for leave to run git
_LONGEST_QUESTION = 100_000  # characters


class Asked(NamedTuple):
    """A question with all that was left to the settings filled in."""

    text: str
    words: Sequence[Word]
    providers: tuple[str, ...]
    limit: int
    budget: int
    seconds: float
    read: bool
    only_current: bool
    watch: Watch | None


def asked(
    text: str,
    settings: Settings,
    tokenizer: Tokenizer,
    *,
    providers: Sequence[str],
    limit: int | None,
    budget: int | None,
    deadline: float | None,
    read: bool,
    only_current: bool | None,
    watch: Watch | None,
) -> Asked:
    """The question as it is asked; raises UsageError for one without words."""
    wanted = settings.query
    return Asked(
        _checked(text),
        question.words(text, tokenizer),
        tuple(providers),
        limit or wanted.limit,
        budget or wanted.budget,
        deadline if deadline is not None else wanted.deadline,
        read,
        only_current if only_current is not None else settings.evidence.only_current,
        watch,
    )


def weights(settings: Settings, authority_of: Callable[[Row], Authority], now: float) -> merge.Weights:
    """What bends a score, by the settings."""
    return merge.Weights(
        authority={authority: getattr(settings.authority, authority.value) for authority in Authority},
        authority_of=authority_of,
        half_life_days=settings.query.half_life_days,
        floor=settings.query.floor,
        now=now,
    )


def fit(
    ranking: merge.Ranking, weighed: question.Question, asked: Asked, unranked: int
) -> tuple[tuple[Hit, ...], LeftOut]:
    """What is shown of a ranking within the limit and the budget, and what is not, counted.

    unranked: further memories that hold some of the question's terms, at least.
    """
    shown = ranking.ranked[: asked.limit]
    hits = excerpt.fit(shown, asked.budget, [word.text for word in asked.words])
    left_out = LeftOut(
        below_floor=ranking.below_floor,
        contradicted=ranking.contradicted,
        beyond_limit=len(ranking.ranked) - len(shown),
        beyond_budget=len(shown) - len(hits),
        unranked=unranked,
        question_terms=weighed.ignored,
    )
    return hits, left_out.beside(hits)


def unread(chosen: Mapping[str, Source], held: Mapping[str, CorpusCounts], now: float) -> Reading:
    """The reading of a question that the index alone answers."""
    return Reading({name: outcomes.unread(name, held.get(name), now) for name in chosen}, {})


def outcomes_of(rows: Iterable[Plugin], reading: Reading, hits: Sequence[Hit]) -> tuple[Outcome, ...]:
    """One outcome a plugin, those that took no part too, each with how much of it is in the answer."""
    members = (member for hit in hits for member in hit.ranked.members())
    found = Counter(member.row.provider for member in members)
    return tuple(
        (reading.outcomes.get(row.name) or outcomes.not_asked(row))._replace(found=found[row.name])
        for row in rows
    )


def _checked(text: str) -> str:
    if not text.strip():
        raise UsageError("the question is empty", 'ask something: recall query "why do we retry three times"')
    if len(text) > _LONGEST_QUESTION:
        raise UsageError(
            f"the question has {len(text):,} characters, more than {_LONGEST_QUESTION:,}", "ask a shorter one"
        )
    return text
