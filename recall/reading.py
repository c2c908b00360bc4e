"""Looking at the sources: one fan-out, its events put into the index, one outcome per source.

Calls that overlap in one process share their looks: whoever finds a source being read waits for that reading,
up to its own deadline, and uses what became of it. A source that is asked gets each question by itself.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from recall import outcomes
from recall.answer import Outcome
from recall.api import Deadline, Query, Scope
from recall.backoff import Backoff
from recall.errors import DeadlineExceeded, IndexUnavailable
from recall.fanout import Ended, Event, FanOut, Handed, Late, Task
from recall.index import CorpusCounts, Index
from recall.kept import Kept
from recall.question import Question
from recall.refresh import (
    Later,
    Listing,
    Progress,
    apply,
    corpus_task,
    in_turn,
    none_later,
    search_task,
    source_is_gone,
)
from recall.sources import Source
from recall.tokens import Tokenizer

_FINISHED_IS_FRESH = 60.0  # seconds in which a repeated "read to its end" is not written down again

Watch = Callable[[str, Progress], None]


class Reading(NamedTuple):
    """What a look at the sources did: one outcome and one progress per source."""

    outcomes: Mapping[str, Outcome]
    progress: Mapping[str, Progress]
    notices: tuple[str, ...] = ()


class _Look:
    """One source being read by the call that began it; others may wait for it."""

    __slots__ = ("began", "end", "over", "progress")

    def __init__(self, began: float) -> None:
        self.began = began
        self.progress = Progress()
        self.end: Ended | Late | None = None
        self.over = threading.Event()

    @property
    def given_up(self) -> bool:
        """Whether it is over for a reason of the call that began it: too little time, no index."""
        if isinstance(self.end, Ended):
            return isinstance(self.end.error, DeadlineExceeded)
        hung_before = self.end is not None and self.end.earlier
        return self.over.is_set() and not hung_before


class _Call(NamedTuple):
    """What one call reads with."""

    into: Index
    deadline: Deadline
    asked: Question | None
    now: float
    watch: Watch
    troubles: dict[str, None]  # in the order they came
    later: (
        Later | None
    )  # entries that are not read; others who come meanwhile may need them, and look themselves


class Reader:
    """Reads sources into an index; remembers the threads it had to abandon."""

    def __init__(
        self,
        scope: Scope,
        tokenizer: Tokenizer,
        keep_vanished_days: float,
        backoff: Backoff,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.fan_out = FanOut(clock)
        self.backoff = backoff
        self._scope = scope
        self._tokenizer = tokenizer
        self._keep_days = keep_vanished_days
        self._clock = clock
        self._lock = threading.Lock()
        self._under_way: dict[str, _Look] = {}
        self._instead: dict[str, Any] = {}  # providers in the place of those that a thread hangs in
        self._listings: defaultdict[str, Kept[Listing]] = defaultdict(Kept)

    def read(
        self,
        index: Index,
        chosen: Mapping[str, Source],
        deadline: Deadline,
        *,
        allowed: float,
        now: float,
        asked: Question | None = None,
        watch: Watch | None = None,
        retry: bool = False,
        later: Later | None = None,
    ) -> Reading:
        """Look at the sources in parallel and bring the index up to date.

        allowed: the seconds that the caller was given, for the wording; now: epoch seconds.
        asked: the question for search-only providers; without one they are not asked.
        watch: called on this thread after each step of a source.
        retry: ask those too that are suspended for having failed again and again.
        later: entries that this call has no need of; whoever looks next reads them.
        """
        given = deadline.remaining()
        suspended = {} if retry else self.backoff.suspended(now, given)
        self.backoff.look(deadline, now, retry=retry)
        troubles = dict.fromkeys([f"the index was {index.rebuilt} and is made anew"] if index.rebuilt else [])
        troubles |= {index.lost: None} if index.lost else {}
        call = _Call(index, deadline, asked, now, watch or _nobody, troubles, later)
        index.wait_for_locks(deadline.remaining())
        looks: dict[str, _Look] = {}
        began: dict[str, _Look] = {}  # by this call
        left = {name: source for name, source in chosen.items() if asked is not None or not source.searches}
        passed_over = {name: suspended[name] for name in left if name in suspended}
        for name in passed_over:
            del left[name]
            call.watch(name, Progress(ended=True))
        while left:
            own, others = self._share_out(left, call)
            began |= own
            self._read(own, left, call)
            self._wait_for(others, call)
            looks |= own | others
            # What another call gave up, for it had less time, is begun again once its thread has ended.
            given_up = [name for name, look in others.items() if look.given_up]
            left = {name: chosen[name] for name in given_up if self.fan_out.wait(name, deadline)}
            left = {} if deadline.expired() else left
            for name in given_up:
                if name not in left:
                    call.watch(name, looks[name].progress)
        held = index.counts()
        judged = {
            name: outcomes.judge(
                name, self._end(name, look), look.progress, _held(held, name), allowed=allowed, now=now
            )
            for name, look in looks.items()
        }
        self._note(began, judged, held, given, now)
        judged |= {
            name: outcomes.suspended(name, one, _held(held, name), now) for name, one in passed_over.items()
        }
        progress = {name: look.progress for name, look in looks.items()}
        progress |= {name: Progress(ended=True) for name in passed_over}
        # In the order of the sources, whoever ended first.
        judged = {name: judged[name] for name in chosen if name in judged}
        return Reading(judged, progress, tuple(troubles))

    def provider_of(self, source: Source) -> Any:
        """A source's provider; another one of its kind where a thread hangs in it at a path that is not touched now."""
        name = source.name
        if self.backoff.avoids(self.fan_out.hung_at(name)):
            try:
                fresh = type(source.provider)(source.plugin.options)
            except Exception:  # it was not made from its options alone
                return source.provider
            if self.fan_out.give_up(name):
                self._instead[name] = fresh
                self._listings.pop(name, None)
        return self._instead.get(name, source.provider)

    def _note(
        self,
        looks: Mapping[str, _Look],
        judged: Mapping[str, Outcome],
        held: Mapping[str, CorpusCounts],
        given: float,
        now: float,
    ) -> None:
        """Have it remembered how the looks of this call ended."""
        ended = {name: judged[name] for name in looks}
        for name, outcome in ended.items():
            if outcome.blind or outcome.late or outcome.kind:
                why = outcome.reason.removesuffix(outcomes.in_its_place(_held(held, name), now))
                ended[name] = outcome._replace(reason=why)
        read = {name for name, look in looks.items() if look.progress.read}
        hung = {look.end.at for look in looks.values() if isinstance(look.end, Late) and look.end.at}
        self.backoff.note(ended, read, hung, given, now)

    def _share_out(
        self, sources: Mapping[str, Source], call: _Call
    ) -> tuple[dict[str, _Look], dict[str, _Look]]:
        """The looks that this call begins, and those of other calls that it waits for."""
        own: dict[str, _Look] = {}
        others: dict[str, _Look] = {}
        with self._lock:
            for name, source in sources.items():
                alone = source.is_asked and call.asked is not None
                under_way = None if alone else self._under_way.get(name)
                if under_way is not None:
                    others[name] = under_way
                else:
                    own[name] = _Look(self._clock())
                    if (
                        not alone and call.later is None
                    ):  # what leaves entries for later is no look for others
                        self._under_way[name] = own[name]
        return own, others

    def _read(self, looks: Mapping[str, _Look], sources: Mapping[str, Source], call: _Call) -> None:
        try:
            self._hold_to_readings(looks, sources, call)
            # The stamps first: whatever another process adds in between is counted, and read again.
            known = {name: call.into.stamps(name) for name in looks}
            held = call.into.counts() if looks else {}
            tasks = {
                name: self._task(sources[name], call, known[name], _held(held, name).memories)
                for name in looks
            }
            for event in self.fan_out.run(tasks, call.deadline):
                look = looks[event.name]
                remade = call.into.remade
                try:
                    self._take(event, sources[event.name], look.progress, call, _held(held, event.name))
                except IndexUnavailable as trouble:
                    call.troubles[call.into.lost or str(trouble)] = None
                    if call.into.remade != remade:  # it is another one now
                        self._take(event, sources[event.name], look.progress, call, _held(held, event.name))
                if not isinstance(event, Handed):
                    self._finish(event.name, look, event)
                call.watch(event.name, look.progress)
        finally:
            for name, look in looks.items():
                if not look.over.is_set():
                    self._finish(name, look, None)

    def _hold_to_readings(self, names: Iterable[str], sources: Mapping[str, Source], call: _Call) -> None:
        """Have read again what a provider would make another memory of than when it was read."""
        remade = call.into.remade
        try:
            call.into.hold_to({name: sources[name].reading for name in names})
        except IndexUnavailable as trouble:
            if call.into.remade != remade:
                raise  # a new one now, and asked anew
            call.troubles[str(trouble)] = None  # it is tried again at the next look

    def _wait_for(self, looks: Mapping[str, _Look], call: _Call) -> None:
        for name, look in looks.items():
            over = look.over.wait(call.deadline.remaining())
            if not look.given_up:
                call.watch(name, look.progress if over else replace(look.progress, ended=True, late=True))

    def _finish(self, name: str, look: _Look, end: Ended | Late | None) -> None:
        """A look is over; who comes from now on begins another."""
        with self._lock:
            if self._under_way.get(name) is look:
                del self._under_way[name]
        look.end = end
        look.progress.late = not isinstance(end, Ended) or isinstance(end.error, DeadlineExceeded)
        look.progress.ended = True
        look.over.set()

    def _end(self, name: str, look: _Look) -> Ended | Late:
        return look.end or Late(name, self._clock() - look.began)

    def _task(self, source: Source, call: _Call, known: Mapping[str, str], held: int) -> Task:
        provider, scope, deadline = self.provider_of(source), self._scope, call.deadline
        tasks: list[Task] = []
        if not source.searches:
            listings = self._listings[source.name]
            later = call.later or none_later
            tasks.append(
                corpus_task(provider, scope, deadline, known, held, self._tokenizer, listings, later)
            )
        if call.asked is not None and source.is_asked:
            query = Query(call.asked.text, call.asked.key_terms())
            tasks.append(search_task(provider, scope, deadline, query, self._tokenizer, call.now))
        return self.backoff.careful(in_turn(tasks))

    def _take(
        self, event: Event, source: Source, progress: Progress, call: _Call, held: CorpusCounts
    ) -> None:
        index = call.into
        index.wait_for_locks(call.deadline.remaining())
        if isinstance(event, Handed):
            apply(index, event.name, event.payload, progress, call.now, self._keep_days)
        elif isinstance(event, Ended) and event.error is None:
            if call.later is not None:
                return  # nobody can tell from the index that it was not read to its end
            if progress.read or held.read_at is None or call.now - held.read_at > _FINISHED_IS_FRESH:
                index.finish(event.name, call.now)
        elif isinstance(event, Ended) and progress.listed is None and source_is_gone(event.error):
            if source.searches:
                return  # what it gave before was no listing, and a question that failed proves nothing of it
            index.mark_vanished(event.name, index.stamps(event.name), call.now)


def _held(counts: Mapping[str, CorpusCounts], name: str) -> CorpusCounts:
    return counts.get(name, outcomes.NOTHING_HELD)


def _nobody(_name: str, _progress: Progress) -> None:
    """Nobody watches."""
