"""Markdown for agents: short, labelled as data, every memory quoted line by line so that it cannot end its frame."""

from __future__ import annotations

from collections.abc import Iterator

from recall.answer import Answer, Hit
from recall.ranked import Ranked
from recall.render import plain
from recall.render.document import TRUST, day, iso, place
from recall.wording import ago, counted, one_line


def answer(given: Answer, *, explain: bool = False, nothing: str = "") -> str:
    """An answer as markdown; `nothing` is what to say where it shows no memory."""
    lines = [f"**{TRUST}**", ""]
    lines += [f"Project: {given.project}", ""] if given.project else []
    lines += [f"Now: {given.present.words()}", ""] if given.present is not None else []
    for number, hit in enumerate(given.hits, 1):
        lines += [*_hit(number, hit, given.now, explain), ""]
    if not given.hits:
        lines += [nothing or plain.nothing(given), ""]
    lines.append("Sources:")
    for outcome in given.outcomes:
        detail = f"{counted(outcome.memories, 'memory', 'memories')}, {outcome.found} here"
        if not outcome.memories and outcome.reason:
            detail = outcome.reason
        elif outcome.reason:
            detail += f"; {outcome.reason}"
        lines.append(f"- {outcome.provider}: {outcome.state.value}, {detail}")
        lines += [f"  - {note}" for note in outcome.notes]
        lines += [f"  - next: {outcome.next_step}"] if outcome.next_step else []
    if rest := plain.left_out(given.left_out):
        lines += ["", f"Left out: {rest}."]
    lines += [f"Note: {notice}" for notice in given.notices]
    return "\n".join(map(one_line, lines)) + "\n"


def _hit(number: int, hit: Hit, now: float, explain: bool) -> Iterator[str]:
    ranked = hit.ranked
    yield f"{number}. [{ranked.row.provider}] {_head(ranked, now)}"
    if where := ", ".join(_where(hit)):
        yield f"   - {where}"
    yield from (f"   - {line.strip()}" for line in plain.verdict(ranked.evidence))
    yield from _quoted(hit.excerpt)
    for other in ranked.also:
        yield f"   - also in [{other.row.provider}] {other.row.uri}"
        if explain:
            yield f"     - why: {plain.why(other)}"
    for word, others in (("disagrees", ranked.disagrees), ("similar", ranked.similar)):
        for other in others:
            yield f"   - {word}: [{other.row.provider}] {_head(other, now)}"
            if other.contradicted:
                yield from (f"     - {line.strip()}" for line in plain.verdict(other.evidence))
            if explain:
                yield f"     - why: {plain.why(other)}"
            yield from _quoted(plain.beside(other.row))
    yield f"   - why: {plain.why(ranked) if explain else plain.why_briefly(ranked)}"


def _where(hit: Hit) -> Iterator[str]:
    row = hit.ranked.row
    if row.path:
        yield place(row)
    if row.project:
        yield f"project {row.project}"
    if not hit.whole:
        yield "an excerpt"


def _head(ranked: Ranked, now: float) -> str:
    row = ranked.row
    when = f", {day(row.dated)} ({ago(now - row.dated)})" if row.dated is not None else ""
    marks = "".join(f", {flag}" for flag in row.flags.split())
    gone = f", vanished from its source {iso(ranked.vanished_at)}" if ranked.vanished_at is not None else ""
    taken_back = f", withdrawn: {row.withdrawn}" if row.withdrawn else ""
    return (
        f"{row.title or row.uri} ({ranked.factors.authority.value}{when}{marks}{taken_back}{gone}) {row.uri}"
    )


def _quoted(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield f"   > {line}".rstrip()
