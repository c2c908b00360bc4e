"""Text for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from recall.answer import Answer, Hit, LeftOut, Outcome
from recall.api import State
from recall.evidence.result import REASONS_SHOWN, Evidence
from recall.index import Row
from recall.ranked import Ranked
from recall.render.document import day, place
from recall.wording import ago, counted, one_line, visible

if TYPE_CHECKING:
    from recall.health import Checkup
    from recall.policies import Checkup as PolicyCheckup

_MARGIN = "   "
_RELATED = 200  # characters of a memory that stands with another one
_QUOTED = 100  # characters of a question that is repeated


def answer(given: Answer, *, explain: bool = False) -> str:
    """A ranked answer with a source tag on every memory, then what each source did, then what was left out."""
    lines = [f"now: {given.present.words()}", ""] if given.present is not None else []
    for number, hit in enumerate(given.hits, 1):
        lines += [*_hit(number, hit, given.now, explain), ""]
    if not given.hits:
        lines += [nothing(given), ""]
    lines.append("Sources")
    lines += [line for outcome in given.outcomes for line in _outcome(outcome)]
    if rest := left_out(given.left_out):
        lines += ["", f"Left out: {rest}"]
    lines += [f"Note: {notice}" for notice in given.notices]
    if not given.looked and not any(outcome.blind for outcome in given.outcomes):
        lines += ["", *first_steps()]
    return _joined(lines)


def _joined(lines: Sequence[str]) -> str:
    """Lines, none of which becomes two by a name in it."""
    return "\n".join(map(one_line, lines)) + "\n"


def memory(
    row: Row, authority: str, now: float, vanished_at: float | None, found: Evidence | None = None
) -> str:
    """One memory in full, with what the repository says of it."""
    head = [f"[{row.provider}] {row.title or row.uri}", *_facts_of(row, authority, now, vanished_at)]
    head += [f"{_MARGIN}{line}" for line in verdict(found)]
    return _joined(head) + row.text.rstrip() + "\n"


def checkups(rows: Sequence[Checkup], project: str, rules: Sequence[PolicyCheckup] = ()) -> str:
    """What doctor found, a block a provider; sources of policy stand apart."""
    lines = [f"Memory of {visible(project)}" if project else "Memory", ""]
    for row in rows:
        lines += [*checkup(row), ""]
    if rules:
        lines += ["Policies (rules to follow, never searched)", "", *map(_policy, rules), ""]
    attention = [row.provider for row in rows if row.needs_attention]
    attention += [rule.provider for rule in rules if rule.needs_attention]
    usable = [row.provider for row in rows if row.state.usable]
    if attention:
        lines.append(f"Needs attention: {', '.join(attention)}")
    elif usable:
        lines.append(f"All well: {', '.join(usable)}")
    else:
        lines += first_steps(looked=True)
    return _joined(lines)


def _policy(row: PolicyCheckup) -> str:
    step = f"; next: {row.next_step}" if row.needs_attention and row.next_step else ""
    return f"{row.provider:<12} {row.words()}{step}"


def checkup(row: Checkup) -> Iterator[str]:
    """One provider's block."""
    yield f"{row.provider:<12} {row.state.value.upper():<9} {summary(row)}".rstrip()
    if row.trend.text:
        yield f"{_MARGIN}{'ALARM: ' if row.trend.alarm else ''}{row.trend.text}"
    for fact in row.facts:
        yield f"{_MARGIN}{fact}"
    for where, reason in row.problems[:10]:
        yield f"{_MARGIN}! {where}: {reason}"
    if len(row.problems) > 10:
        yield f"{_MARGIN}! and {counted(len(row.problems) - 10, 'more problem')} (--json lists more)"
    if row.state in (State.ABSENT, State.EMPTY) and row.places:
        yield f"{_MARGIN}looked in: {', '.join(row.places)}"
    if row.next_step:
        yield f"{_MARGIN}next: {row.next_step}"


def summary(row: Checkup) -> str:
    """Counts and proof in one line, or the reason."""
    if not row.state.usable:
        return row.reason
    parts = [counted(row.items, "memory", "memories") if row.items is not None else "not counted"]
    if row.in_scope is not None and row.in_scope != row.items:
        parts.append(f"{row.in_scope:,} of this project")
    if row.asked:
        parts.append(f"read back {row.came_back} of {row.asked}")
    if row.newest is not None:
        parts.append(f"newest {day(row.newest)}")
    if row.reason:
        parts.append(row.reason)
    return ", ".join(parts)


def left_out(rest: LeftOut) -> str:
    """What an answer does not show, in words; "" if nothing."""
    parts = [
        (rest.beyond_limit, counted(rest.beyond_limit, "memory", "memories") + " beyond --limit"),
        (rest.beyond_budget, counted(rest.beyond_budget, "memory", "memories") + " beyond --budget"),
        (
            rest.shortened,
            f"parts of {counted(rest.shortened, 'memory', 'memories')} (recall show URI has all)",
        ),
        (rest.related, counted(rest.related, "related memory", "related memories")),
        (
            rest.contradicted,
            f"{counted(rest.contradicted, 'memory', 'memories')} that the repository contradicts",
        ),
        (rest.below_floor, counted(rest.below_floor, "weak match", "weak matches")),
        (rest.unranked, f"{rest.unranked:,} further candidates at least"),
        (rest.question_terms, counted(rest.question_terms, "term") + " of the long question"),
    ]
    return ", ".join(text for count, text in parts if count)


def verdict(found: Evidence | None) -> list[str]:
    """What the repository says of a memory: the verdict with its first reasons, each with the command that shows it."""
    if found is None or not found.tried:
        return []
    findings = found.telling()
    first = findings[0] if findings else None
    lines = [f"{found.verdict.value}: {first.reason if first else found.reason}"]
    if first is not None and first.command:
        lines[0] += f"  ({first.command})"
    lines += [f"  {one.reason}  ({one.command})" for one in findings[1:REASONS_SHOWN]]
    if len(findings) > REASONS_SHOWN:
        lines.append(f"  and {counted(len(findings) - REASONS_SHOWN, 'more reason')} (--json lists them)")
    if found.unchecked:
        lines.append(f"  {counted(found.unchecked, 'further claim')} not looked at")
    return lines


def beside(row: Row, length: int = _RELATED) -> str:
    """The text of a memory that stands with another one, on one line; what is missing of it shows."""
    return _short(" ".join(row.text.split()), length)


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length].rstrip() + "…"


def first_steps(*, looked: bool = False) -> list[str]:
    """What to do where no source has a store; `looked` leaves out what doctor has just said."""
    steps = [
        "No memory could be looked at: no source that was asked has a store here.",
        "  see it work on sample memories:   recall demo",
        "  what was looked for, and where:   recall doctor",
        "  name a folder of notes to read:   recall config example   (table [[providers.markdown.folders]])",
    ]
    return [step for step in steps if not (looked and step.endswith("recall doctor"))]


def nothing(given: Answer) -> str:
    """What to say when no memory is shown."""
    blind = [outcome.provider for outcome in given.outcomes if outcome.blind]
    if given.looked and blind:
        return f"Nothing found in what could be read; could not look in: {', '.join(blind)}."
    if given.looked and given.left_out.contradicted:
        hidden = counted(given.left_out.contradicted, "memory speaks", "memories speak")
        return f"Nothing current found: {hidden} of it, and the repository contradicts them."
    if given.looked:
        return f"Nothing found: no memory speaks of {_short(given.question, _QUOTED)!r}."
    return "Could not look: no source could be read."


def _hit(number: int, hit: Hit, now: float, explain: bool) -> Iterator[str]:
    ranked = hit.ranked
    yield f"{number}. [{ranked.row.provider}] {ranked.row.title or ranked.row.uri}"
    yield from _facts_of(ranked.row, ranked.factors.authority, now, ranked.vanished_at)
    for line in verdict(ranked.evidence):
        yield f"{_MARGIN}{line}"
    for line in hit.excerpt.split("\n"):
        yield f"{_MARGIN}  {line}".rstrip()
    for other in ranked.also:
        yield f"{_MARGIN}also in [{other.row.provider}] {other.row.uri}"
        if explain:
            yield f"{_MARGIN}  why: {why(other)}"
    for word, others in (("disagrees", ranked.disagrees), ("similar", ranked.similar)):
        for other in others:
            yield from _related(word, other, now)
            if explain:
                yield f"{_MARGIN}  why: {why(other)}"
    if explain:
        yield f"{_MARGIN}why: {why(ranked)}"


def why(ranked: Ranked) -> str:
    """Every factor of a score in one line."""
    parts = ranked.factors
    age = (
        "no date"
        if parts.age_days is None
        else f"{parts.age_days:.0f} days old, by {ranked.row.date_origin or 'its source'}"
    )
    text = (
        f"score {parts.score:.3f} = bm25 {parts.bm25:.2f} as {parts.relative:.3f} of the best"
        f" × coverage {parts.coverage_factor:.3f} ({parts.coverage:.0%} of the question)"
        f" × authority {parts.authority_factor:.3f} ({parts.authority.value}, weight {parts.authority_weight:g})"
        f" × age {parts.age_factor:.3f} ({age})"
    )
    if parts.vanished_factor != 1:
        text += f" × vanished {parts.vanished_factor:g}"
    if parts.withdrawn_factor != 1:
        text += f" × withdrawn {parts.withdrawn_factor:g}"
    if parts.evidence_factor != 1:
        text += f" × contradicted {parts.evidence_factor:g}"
    best = ranked.placed_by
    if best.row.uri != ranked.row.uri:
        text += (
            f"; it leads what stands with it, in the place of {best.row.uri} (score {best.factors.score:.3f})"
        )
    return text


def why_briefly(ranked: Ranked) -> str:
    """The factors of a score that say most, in one line."""
    factors = ranked.factors
    parts = [
        f"covers {factors.coverage:.0%} of the question",
        f"match {factors.relative:.2f} of the best",
        f"score {factors.score:.2f} with authority and age",
    ]
    return "; ".join(parts)


def _facts_of(row: Row, authority: str, now: float, vanished_at: float | None) -> Iterator[str]:
    facts = [str(authority), row.kind]
    if row.project:
        facts.append(row.project)
    if row.dated is not None:
        facts.append(f"{day(row.dated)} ({ago(now - row.dated)}, by {row.date_origin or 'its source'})")
    facts += [flag.replace(":", " ", 1) for flag in row.flags.split()]
    if row.withdrawn:
        facts.append(f"withdrawn: {row.withdrawn}")
    if vanished_at is not None:
        facts.append(f"VANISHED from its source, {ago(now - vanished_at)}")
    yield f"{_MARGIN}{' · '.join(facts)}"
    yield f"{_MARGIN}{row.uri}  {place(row)}".rstrip()


def _related(word: str, other: Ranked, now: float) -> Iterator[str]:
    row = other.row
    age = f", {ago(now - row.dated)}" if row.dated is not None else ""
    marks = f"{age}, withdrawn: {row.withdrawn}" if row.withdrawn else age
    yield f"{_MARGIN}{word}: [{row.provider}] {row.title} ({other.factors.authority.value}{marks}) {row.uri}"
    if other.contradicted:
        yield from (f"{_MARGIN}  {line}" for line in verdict(other.evidence))
    yield f"{_MARGIN}  {beside(row)}"


def _outcome(outcome: Outcome) -> Iterator[str]:
    if outcome.state.usable or (outcome.memories and not outcome.reason):
        said = f"{counted(outcome.memories, 'memory', 'memories')}, {outcome.found} in this answer"
        said += f" — {outcome.reason}" if outcome.reason else ""
    else:
        said = outcome.reason
    yield f"  {outcome.provider:<12} {outcome.state.value.upper():<9} {said}".rstrip()
    for note in outcome.notes:
        yield f"{_MARGIN}  {note}"
    if outcome.next_step and outcome.state not in (State.OFF, State.ABSENT):  # doctor says it of those
        yield f"{_MARGIN}  next: {outcome.next_step}"
