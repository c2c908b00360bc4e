"""The result of `deep_recall`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from recall import excerpt
from recall.answer import Answer, Hit, LeftOut, Outcome
from recall.ranked import Ranked
from recall.render import document, markdown, plain
from recall.render.document import TRUST, day, iso, place
from recall.server import results
from recall.server.shaping.checked import checked
from recall.server.shaping.shaped import DETAILS, Detail, Shaped, cut, few, safe, short_title
from recall.wording import ago

_RELATED = 300  # characters of a memory that stands with another one
_LEFT_OUT = {
    "beyond_limit": "beyond the limit",
    "beyond_budget": "beyond the budget",
    "beyond_size": "for which one result has no room",
    "shortened": "shown in part (read_memory has the whole)",
    "related": "that stand with a shown one",
    "below_floor": "too weak a match",
    "contradicted": "that the repository contradicts",
    "question_terms": "terms of the long question",
    "sources": "sources that are not named here",
}
_NOTHING = 500  # characters of what is said where no memory is shown
_NO_ROOM = "Found, but one result has no room for even one memory: max_result_chars in [server] makes more."


class _Verdict(NamedTuple):
    """What came of a question, told of the whole answer before anything of it is left out."""

    word: str
    nothing: str  # what to say where no memory is shown

    @classmethod
    def of(cls, answer: Answer) -> _Verdict:
        if answer.hits:
            return cls("found", _NO_ROOM)
        return cls(
            "nothing found" if answer.looked else "could not look", cut(plain.nothing(answer), _NOTHING)
        )


def recalled(answer: Answer, *, explain: bool, most: int) -> Shaped:
    """An answer of at most `most` characters in either form.

    The last memories are left out first; words about the sources have to leave them half of the room.
    """
    hits = tuple(hit._replace(ranked=_titled(hit.ranked)) for hit in answer.hits)
    answer = answer._replace(hits=hits, project=safe(answer.project))
    form = partial(_recalled, explain, _Verdict.of(answer))
    shaped = form(_told(answer, DETAILS[0]))
    if shaped.size <= most:
        return shaped
    answer, further = _framed(answer, form, most // 2)
    while (shaped := form(answer, further)).size > most and answer.hits:
        kept = answer.hits[:-1] or _shorter(answer.hits[0])
        further["beyond_size"] += len(answer.hits) - len(kept)
        answer = _with(answer, kept)
    return shaped


def _framed(answer: Answer, form: Callable[..., Shaped], most: int) -> tuple[Answer, Counter[str]]:
    """The answer with what is said of its sources in `most` characters, and how many of them are not named."""
    for detail in DETAILS:
        told = _told(answer, detail)
        if form(told._replace(hits=())).size <= most:
            return told, Counter()
    told = _told(answer, DETAILS[-1])
    left_out: Counter[str] = Counter()
    while told.outcomes and form(told._replace(hits=()), left_out).size > most:
        told = told._replace(outcomes=_without_one(told.outcomes))
        left_out["sources"] += 1
    return told, left_out


def _without_one(outcomes: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """Without the last of those that gave nothing and need nothing, else without the last."""
    idle = [n for n, one in enumerate(outcomes) if not one.found and not one.blind]
    last = idle[-1] if idle else len(outcomes) - 1
    return outcomes[:last] + outcomes[last + 1 :]


def _recalled(
    explain: bool, verdict: _Verdict, answer: Answer, further: Mapping[str, int] | None = None
) -> Shaped:
    counts = {**answer.left_out._asdict(), **(further or {})}
    left_out = {name: count for name, count in counts.items() if count}
    structured = results.Recalled(
        label=TRUST,
        project=answer.project,
        now=safe(answer.present.words()) if answer.present is not None else "",
        answer=verdict.word,
        memories=[_memory(number, hit, explain) for number, hit in enumerate(answer.hits, 1)],
        outcomes=[_outcome(outcome) for outcome in answer.outcomes],
        left_out=left_out,
        notices=list(answer.notices),
    )
    text = markdown.answer(answer._replace(left_out=LeftOut()), explain=explain, nothing=verdict.nothing)
    if left_out:
        parts = (
            f"{count:,} {_LEFT_OUT.get(name, name.replace('_', ' '))}" for name, count in left_out.items()
        )
        text += f"\nLeft out: {', '.join(parts)}.\n"
    return Shaped(text, structured.plain())


def _memory(number: int, hit: Hit, explain: bool) -> results.Memory:
    ranked = hit.ranked
    row, age = ranked.row, ranked.factors.age_days
    return results.Memory(
        rank=number,
        source=row.provider,
        authority=ranked.factors.authority.value,
        date=day(row.dated),
        age="" if age is None else ago(age * 86_400),
        title=row.title,
        uri=row.uri,
        path=place(row),
        project=row.project,
        flags=row.flags.split(),
        vanished=iso(ranked.vanished_at) or "",
        withdrawn=row.withdrawn,
        **checked(ranked.evidence),
        why=plain.why_briefly(ranked),
        trust="untrusted",
        text=hit.excerpt,
        whole=hit.whole,
        also_in=[other.row.uri for other in ranked.also],
        disagrees=[_related(other, explain) for other in ranked.disagrees],
        similar=[_related(other, explain) for other in ranked.similar],
        factors=document.factors(ranked) if explain else None,
    )


def _related(ranked: Ranked, explain: bool) -> results.Memory:
    row = ranked.row
    return results.Memory(
        source=row.provider,
        authority=ranked.factors.authority.value,
        date=day(row.dated),
        title=row.title,
        uri=row.uri,
        flags=row.flags.split(),
        withdrawn=row.withdrawn,
        **(checked(ranked.evidence) if ranked.contradicted else {}),
        trust="untrusted",
        text=plain.beside(row, _RELATED),
        factors=document.factors(ranked) if explain else None,
    )


def _outcome(outcome: Outcome) -> results.Outcome:
    return results.Outcome(
        provider=outcome.provider,
        state=outcome.state.value,
        found=outcome.found,
        memories=outcome.memories,
        reason=outcome.reason,
        next_step=outcome.next_step,
        notes=list(outcome.notes),
    )


def _with(answer: Answer, hits: tuple[Hit, ...]) -> Answer:
    """The answer with these memories alone: what is counted, is counted of them."""
    found = Counter(member.row.provider for hit in hits for member in hit.ranked.members())
    outcomes = tuple(outcome._replace(found=found[outcome.provider]) for outcome in answer.outcomes)
    return answer._replace(hits=hits, outcomes=outcomes, left_out=answer.left_out.beside(hits))


def _told(answer: Answer, detail: Detail) -> Answer:
    """With what was said of the sources made safe, in so much detail."""
    outcomes = tuple(
        outcome._replace(
            reason=safe(outcome.reason, detail.length),
            next_step=safe(outcome.next_step, detail.length),
            notes=few(outcome.notes, detail),
        )
        for outcome in answer.outcomes
    )
    return answer._replace(outcomes=outcomes, notices=few(answer.notices, detail))


def _titled(ranked: Ranked) -> Ranked:
    """The same with titles of one short line."""
    also, disagrees, similar = (
        tuple(other._replace(row=short_title(other.row)) for other in others)
        for others in (ranked.also, ranked.disagrees, ranked.similar)
    )
    return ranked._replace(row=short_title(ranked.row), also=also, disagrees=disagrees, similar=similar)


def _shorter(hit: Hit) -> tuple[Hit, ...]:
    """The only memory left, with nothing beside it, then with half of its text; none if that is not enough either."""
    if others := len(hit.ranked.members()) - 1:
        alone = hit.ranked._replace(also=(), disagrees=(), similar=())
        return (hit._replace(ranked=alone, unshown=hit.unshown + others),)
    if len(hit.excerpt) < 2:
        return ()
    half = cut(hit.excerpt, len(hit.excerpt) // 2)
    return (hit._replace(excerpt=half, whole=False, tokens=excerpt.approximate_tokens(half)),)
