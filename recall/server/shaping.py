"""From the engine's answers to results: made safe, most important first, cut to a size, what is cut counted.

Both forms of a result are made here: the structured one and the text. A client shows its model one of them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from recall import clean, excerpt
from recall.answer import Answer, Hit, LeftOut, Outcome
from recall.index import Match, Row
from recall.merge import Ranked
from recall.render import document, markdown
from recall.render.document import TRUST, iso
from recall.server import results
from recall.server.checked import checked
from recall.wording import ago

_RELATED = 300  # characters of a memory that stands with another one
_LINES = 8  # notes, facts or problems of one provider; `recall doctor` lists them all
_LINE = 400  # characters of a title, a reason, a note
_LEFT_OUT = {
    "beyond_limit": "beyond the limit",
    "beyond_budget": "beyond the budget",
    "beyond_size": "for which one result has no room",
    "shortened": "shown in part (read_memory has the whole)",
    "related": "that stand with a shown one",
    "below_floor": "too weak a match",
    "contradicted": "that the repository contradicts",
    "question_terms": "terms of the long question",
}


class Shaped(NamedTuple):
    """Both forms of a result."""

    text: str
    structured: dict[str, Any]


def recalled(answer: Answer, *, explain: bool, most: int) -> Shaped:
    """An answer of at most `most` characters in either form; the last memories are left out first."""
    answer, cut = _safe_answer(answer), 0
    while True:
        shaped = _recalled(answer, explain, cut)
        if max(len(shaped.text), len(as_json(shaped.structured))) <= most or not answer.hits:
            return shaped
        kept = answer.hits[:-1] or _shorter(answer.hits[0])
        answer, cut = _counted_again(answer._replace(hits=kept)), cut + (len(kept) < len(answer.hits))


def as_json(structured: dict[str, Any]) -> str:
    """A structured result as a client shows it."""
    return json.dumps(structured, ensure_ascii=False)


def safe(text: str) -> str:
    """A line that did not come through the index: a path, a reason, another program's words."""
    return clean.clean(" ".join(text[: 4 * _LINE].split())).text[:_LINE]


# -- deep_recall ----------------------------------------------------------------------------------------------


def _recalled(answer: Answer, explain: bool, cut: int) -> Shaped:
    left_out = {
        name: count for name, count in {**answer.left_out._asdict(), "beyond_size": cut}.items() if count
    }
    structured = results.Recalled(
        label=TRUST,
        project=answer.project,
        now=safe(answer.present.words()) if answer.present is not None else "",
        answer="found" if answer.hits else "nothing found" if answer.looked else "could not look",
        memories=[_memory(number, hit, explain) for number, hit in enumerate(answer.hits, 1)],
        outcomes=[_outcome(outcome) for outcome in answer.outcomes],
        left_out=left_out,
        notices=list(answer.notices),
    )
    text = markdown.answer(answer._replace(left_out=LeftOut()), explain=explain)
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
        date=_date(row.updated, row.created),
        age="" if age is None else ago(age * 86_400),
        title=row.title,
        uri=row.uri,
        path=_place(row.path, row.line),
        project=row.project,
        flags=row.flags.split(),
        vanished=iso(ranked.vanished_at) or "",
        **checked(ranked),
        why=_why(ranked),
        trust="untrusted",
        text=hit.excerpt,
        whole=hit.whole,
        also_in=[other.row.uri for other in ranked.also],
        disagrees=[_related(other) for other in ranked.disagrees],
        similar=[_related(other) for other in ranked.similar],
        factors=document.factors(ranked) if explain else None,
    )


def _related(ranked: Ranked) -> results.Related:
    row = ranked.row
    return results.Related(
        source=row.provider,
        authority=ranked.factors.authority.value,
        date=_date(row.updated, row.created),
        title=row.title,
        uri=row.uri,
        verdict=checked(ranked).get("verdict", "") if ranked.contradicted else "",
        trust="untrusted",
        text=" ".join(row.text.split())[:_RELATED],
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


def _why(ranked: Ranked) -> str:
    factors = ranked.factors
    return (
        f"covers {factors.coverage:.0%} of the question; match {factors.relative:.2f} of the best; "
        f"score {factors.score:.2f} with authority and age"
    )


def _counted_again(answer: Answer) -> Answer:
    """The outcomes say how many memories of each source are in the answer as it is now."""
    found = Counter(member.row.provider for hit in answer.hits for member in hit.ranked.members())
    outcomes = (outcome._replace(found=found[outcome.provider]) for outcome in answer.outcomes)
    return answer._replace(outcomes=tuple(outcomes))


def _safe_answer(answer: Answer) -> Answer:
    return answer._replace(
        hits=tuple(hit._replace(ranked=_titled(hit.ranked)) for hit in answer.hits),
        project=safe(answer.project),
        outcomes=tuple(map(_safe_outcome, answer.outcomes)),
        notices=few(answer.notices),
    )


def _safe_outcome(outcome: Outcome) -> Outcome:
    return outcome._replace(
        reason=safe(outcome.reason), next_step=safe(outcome.next_step), notes=few(outcome.notes)
    )


def few(lines: Sequence[str]) -> tuple[str, ...]:
    """The first few lines, made safe; the others are counted."""
    more = (f"and {len(lines) - _LINES:,} more",) if len(lines) > _LINES else ()
    return (*map(safe, lines[:_LINES]), *more)


def _titled(ranked: Ranked) -> Ranked:
    """The same with titles of one short line."""
    also, disagrees, similar = (
        tuple(other._replace(row=_short_title(other.row)) for other in others)
        for others in (ranked.also, ranked.disagrees, ranked.similar)
    )
    return ranked._replace(row=_short_title(ranked.row), also=also, disagrees=disagrees, similar=similar)


def _short_title(row: Row) -> Row:
    return row._replace(title=row.title[:_LINE]) if len(row.title) > _LINE else row


def _shorter(hit: Hit) -> tuple[Hit, ...]:
    """The only memory left, with half of its text and nothing beside it; none if that is not enough either."""
    alone = hit.ranked._replace(also=(), disagrees=(), similar=())
    if len(hit.excerpt) < 2:
        return ()
    half = hit.excerpt[: len(hit.excerpt) // 2]
    return (hit._replace(ranked=alone, excerpt=half, whole=False, tokens=excerpt.approximate_tokens(half)),)


# -- read_memory, fetch, resources ----------------------------------------------------------------------------


def page(match: Match, authority: str, number: int, most: int) -> Shaped | None:
    """One page of a memory, each of at most `most` characters in either form; None if there is no such page."""
    row = _short_title(match.row)
    pages = list(_pages(row.text, _room(row, most)))
    if not 1 <= number <= len(pages):
        return None
    given = results.Page(
        label=TRUST,
        uri=row.uri,
        source=row.provider,
        authority=authority,
        date=_date(row.updated, row.created),
        title=row.title,
        path=_place(row.path, row.line),
        project=row.project,
        flags=row.flags.split(),
        vanished=iso(match.vanished_at) or "",
        page=number,
        pages=len(pages),
        trust="untrusted",
        text=pages[number - 1],
    )
    facts = [
        given.source,
        given.authority,
        given.date,
        *given.flags,
        given.vanished and "vanished from its source",
    ]
    lines = [
        f"**{TRUST}**",
        "",
        f"{given.title or given.uri} ({', '.join(fact for fact in facts if fact)}) {given.uri}",
        *(f"> {line}".rstrip() for line in given.text.split("\n")),
        f"Page {number} of {len(pages)}." + (f" Next: page={number + 1}." if number < len(pages) else ""),
    ]
    return Shaped("\n".join(lines) + "\n", given.plain())


def found(answer: Answer) -> results.Search:
    """An answer as search results."""
    rows = (hit.ranked.row for hit in answer.hits)
    return results.Search(
        results=[results.Found(id=row.uri, title=row.title or row.uri, url=row.uri) for row in rows]
    )


def whole(match: Match, authority: str, most: int) -> results.Document:
    """A memory as a document, its first page if it has several."""
    row = _short_title(match.row)
    pages = list(_pages(row.text, _room(row, most)))
    rest = f"\n[page 1 of {len(pages)}; read_memory has the others]" if len(pages) > 1 else ""
    return results.Document(
        id=row.uri,
        title=row.title or row.uri,
        text=f"{TRUST}\n\n{pages[0]}{rest}",
        url=row.uri,
        metadata={
            "label": TRUST,
            "trust": "untrusted",
            "source": row.provider,
            "authority": authority,
            "date": _date(row.updated, row.created),
            "project": row.project,
            "path": _place(row.path, row.line),
        },
    )


def _room(row: Row, most: int) -> int:
    """Characters for the text of a memory beside all else that is said of it."""
    return max(1_000, most - 1_500 - 3 * (len(row.title) + len(row.uri) + len(row.path)))


def _pages(text: str, room: int) -> Iterator[str]:
    """A text in pages that fit into `room` characters as JSON and as quoted lines; cut between lines if it can."""
    kept: list[str] = []
    left = room
    for line in _short_lines(text, room // 3):
        size = max(len(json.dumps(line, ensure_ascii=False)), len(line)) + 2
        if size > left and kept:
            yield "\n".join(kept)
            kept, left = [], room
        kept.append(line)
        left -= size
    yield "\n".join(kept)


def _short_lines(text: str, length: int) -> Iterator[str]:
    for line in text.split("\n"):
        for start in range(0, len(line) or 1, length):
            yield line[start : start + length]


def _date(updated: float | None, created: float | None) -> str:
    return (iso(updated if updated is not None else created) or "")[:10]


def _place(path: str, line: int | None) -> str:
    return f"{path}:{line}" if path and line is not None else path
