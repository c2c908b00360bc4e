"""Doctor: is there a real corpus, can it be read, and is what was read found again?

A count proves nothing. Each corpus is sampled; each sampled memory is asked for by its own most distinctive
words; what does not come back among the first few answers is a memory nobody will ever be reminded of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recall import outcomes, question
from recall.answer import Outcome
from recall.api import Authority, Deadline, Health, State
from recall.engine import Engine
from recall.errors import StoreBusy
from recall.fanout import Ended, Handed, Late, Task
from recall.history import History, Look, Trend
from recall.index import Index, Row
from recall.plugins import Plugin
from recall.reading import Reading, Watch
from recall.refresh import checked_health
from recall.sources import Source
from recall.tokens import Word
from recall.told import told
from recall.wording import counted

if TYPE_CHECKING:
    from recall.suspension import Suspended

SAMPLE = 20  # memories of a corpus that are asked for
FIRST = 5  # answers among which each must be
_DISTINCTIVE = 8  # words a memory is asked for by
_TOKENS_LOOKED_AT = 400  # of a memory, to find its rarest
_FOR_HEALTH = 0.3  # share of the deadline that is kept for the providers' own word
_ENOUGH = 0.9  # share that must be read and come back: below, the corpus is degraded
_COUNTED = (State.READY, State.DEGRADED, State.EMPTY, State.ABSENT)  # "0 now" is not said of a locked store


@dataclass(frozen=True, slots=True)
class Checkup:
    """What doctor says of one provider."""

    provider: str
    state: State
    authority: Authority | None
    items: int | None  # real memories in the store
    in_scope: int | None  # of this project
    indexed: int
    newest: float | None  # epoch seconds
    asked: int  # memories that were asked for
    came_back: int
    reason: str
    next_step: str
    facts: tuple[str, ...]
    problems: tuple[tuple[str, str], ...]  # where, reason
    places: tuple[str, ...]
    trend: Trend
    vanished: int
    seconds: float

    @property
    def needs_attention(self) -> bool:
        """Whether a person should do something about it."""
        return self.trend.alarm or self.state not in (State.READY, State.ABSENT, State.OFF)


def healthy(rows: Sequence[Checkup]) -> bool:
    """Whether there is a corpus, and nothing that a person should do something about."""
    return any(row.state.usable for row in rows) and not any(row.needs_attention for row in rows)


def examine(
    engine: Engine,
    names: Sequence[str] = (),
    deadline: float = 30.0,
    watch: Watch | None = None,
    *,
    prove: bool = True,
) -> list[Checkup]:
    """Check the corpora of an engine's scope, one row per plugin.

    deadline: seconds for all of it.
    prove: whether memories are sampled and asked for; False takes the sources' word and what could be read.
    """
    chosen = engine.chosen(names)
    until = Deadline.after(deadline)
    # Whoever hangs while its entries are read must not take the others' time to say how they are.
    now = engine.now()
    before = engine.reader.backoff.suspended(now)
    reading = engine.refresh(chosen, until.earlier(deadline * _FOR_HEALTH), deadline, watch=watch, retry=True)
    looked = _ask_health(engine, chosen, until, deadline)
    engine.reader.backoff.lift(_answer_again(before, chosen, looked), now)
    after = engine.reader.backoff.suspended(engine.now())  # failures noted by this look are later than `now`
    notes = _suspensions(before, after, chosen, now)
    history = History(engine.places.state / "history" / f"{engine.scope_key()}.json")
    rows = []
    for plugin in engine.rows(names):
        source = chosen.get(plugin.name)
        outcome = _outcome(reading, plugin, source)
        outcome = outcome._replace(notes=(*notes.get(plugin.name, ()), *outcome.notes))
        rows.append(_checkup(engine, outcome, looked.get(plugin.name), source, history, now, prove))
    counts = {row.provider: (row.state, _count(row.state, looked.get(row.provider))) for row in rows}
    history.note(
        {name: Look(now, state, count) for name, (state, count) in counts.items() if count is not None}
    )
    return rows


def read_back(index: Index, provider: str, providers: Sequence[str]) -> tuple[int, int]:
    """How many memories of a provider were asked for, and how many came back among the first few."""
    sample = index.sample(provider, SAMPLE)
    return len(sample), sum(_comes_back(index, row, providers) for row in sample)


def _outcome(reading: Reading, plugin: Plugin, source: Source | None) -> Outcome:
    """What reading a source showed; nothing against one that can only be asked."""
    if source is not None and source.searches:
        return Outcome(plugin.name, State.READY)
    return reading.outcomes.get(plugin.name) or outcomes.not_asked(plugin)


def _answer_again(
    before: Iterable[str], chosen: Mapping[str, Source], looked: Mapping[str, Health | BaseException]
) -> list[str]:
    """Suspended sources that can only be asked, and whose word on themselves is good again."""
    answered = {name for name, said in looked.items() if isinstance(said, Health) and said.state.usable}
    return [name for name in before if name in answered and chosen[name].searches]


def _suspensions(
    before: Mapping[str, Suspended], after: Mapping[str, Suspended], chosen: Iterable[str], now: float
) -> dict[str, tuple[str]]:
    """What is to be told of sources that questions pass over, or passed over until now."""
    lifted = {
        name: (
            f"failed {counted(one.failures, 'time')} in a row until now and answers again: asked as before",
        )
        for name, one in before.items()
        if name in chosen
    }
    return lifted | {
        name: (f"{one.words(now)}; only doctor asks it until then",) for name, one in after.items()
    }


def _ask_health(
    engine: Engine, chosen: Mapping[str, Source], until: Deadline, allowed: float
) -> dict[str, Health | BaseException]:
    """Each provider's own word on its corpus."""
    answers: dict[str, Health | BaseException] = {}

    def task(source: Source) -> Task:
        return lambda emit: emit(checked_health(engine.reader.provider_of(source), engine.scope, until))

    for event in engine.fan_out({name: task(source) for name, source in chosen.items()}, until):
        if isinstance(event, Handed):
            answers[event.name] = event.payload
        elif isinstance(event, Ended) and event.error is not None:
            answers[event.name] = event.error
        elif isinstance(event, Late):
            words = f"its health gave no answer within {allowed:.1f} s"
            answers[event.name] = StoreBusy(*outcomes.late(event.name, event, words))
    return answers


def _checkup(
    engine: Engine,
    outcome: Outcome,
    said: Health | BaseException | None,
    source: Source | None,
    history: History,
    now: float,
    prove: bool,
) -> Checkup:
    health = said if isinstance(said, Health) else None
    name = outcome.provider
    asked, came_back = 0, 0
    held = engine.index.counts().get(name) if source is not None else None
    present = held.memories - held.vanished if held is not None else 0
    readable = source is not None and not source.searches
    if prove and readable and present:
        asked, came_back = read_back(engine.index, name, list(engine.sources))
    state, reason, next_step = _combined(outcome, said, proven=came_back > 0)
    doubt = _doubt((health and health.claimed) or 0, present, asked, came_back) if readable else ""
    if state is State.READY and doubt:
        state, reason = State.DEGRADED, doubt
        next_step = f"run `recall index --rebuild --provider {name}`"
    items = health.items if health is not None else (present if held else None)
    count = _count(state, said)
    problems = [*(health.problems if health is not None else ()), *outcome.problems]
    damage = dict.fromkeys(
        (told(problem.where), told(problem.reason)) for problem in problems if not problem.harmless
    )
    return Checkup(
        provider=name,
        state=state,
        authority=source.authority if source is not None else None,
        items=items,
        in_scope=health.in_scope if health is not None else None,
        indexed=present,
        newest=_newest(health, held.newest if held else None),
        asked=asked,
        came_back=came_back,
        reason=told(reason),
        next_step=told(next_step),
        facts=tuple(dict.fromkeys(map(told, (*(health.facts if health else ()), *outcome.notes)))),
        problems=tuple(damage),
        places=tuple(map(told, health.places)) if health is not None else (),
        trend=history.trend(name, count, now) if count is not None else Trend(),
        vanished=outcome.vanished,
        seconds=outcome.seconds,
    )


def _combined(
    outcome: Outcome, said: Health | BaseException | None, *, proven: bool
) -> tuple[State, str, str]:
    """The worse of what the provider says and what reading it showed.

    proven: whether memories of it came back.
    """
    shown = outcome.state, outcome.reason, outcome.next_step
    if said is None:
        return shown
    if isinstance(said, BaseException):
        state, reason, next_step, _kind, _retryable = outcomes.failed(outcome.provider, said)
        # However slow its word is, what came back can be used.
        state = State.DEGRADED if state is State.BUSY and proven else state
        return (state, reason, next_step) if outcome.state.usable else shown
    if not outcome.state.usable and said.state.usable:
        return shown
    if said.state is State.READY and outcome.state is State.DEGRADED:
        return shown
    return said.state, said.reason, said.next_step


def _doubt(claimed: int, read: int, asked: int, came_back: int) -> str:
    """Why a corpus that is ready by everybody's word is not; "" if it is."""
    if read < _ENOUGH * claimed:
        return f"counts {counted(claimed, 'memory', 'memories')}, gave {read:,} to read"
    if came_back < _ENOUGH * asked:
        return f"only {came_back} of {counted(asked, 'sampled memory', 'sampled memories')} came back"
    return ""


def _count(state: State, said: Health | BaseException | None) -> int | None:
    """How many memories the store was found to hold, None if nobody could count them."""
    return said.items if isinstance(said, Health) and state in _COUNTED else None


def _newest(health: Health | None, indexed: float | None) -> float | None:
    return health.newest.timestamp() if health is not None and health.newest is not None else indexed


def _comes_back(index: Index, row: Row, providers: Sequence[str]) -> bool:
    tokens = list(dict.fromkeys((row.title_tokens + " " + row.body_tokens).split()))
    frequencies = index.document_frequencies(tokens[:_TOKENS_LOOKED_AT])
    rarest = sorted(frequencies, key=lambda token: (frequencies[token], token))[:_DISTINCTIVE]
    asked = question.weigh(" ".join(rarest), [Word(token, (token,)) for token in rarest], index)
    matches, _others = index.search(asked.passes, asked.frequencies, providers, FIRST)
    return any(match.row.uri == row.uri or _same_text(match.row, row) for match in matches)


def _same_text(first: Row, second: Row) -> bool:
    return first.body_tokens == second.body_tokens and first.title_tokens == second.title_tokens
