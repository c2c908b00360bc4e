"""Looking at the sources: one fan-out, its events put into the index, one outcome per source."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from recall import outcomes
from recall.answer import Outcome
from recall.api import Deadline, Query, Scope
from recall.errors import IndexUnavailable
from recall.fanout import Ended, Event, FanOut, Handed, Late, Task
from recall.index import CorpusCounts, Index
from recall.question import Question
from recall.refresh import Progress, apply, corpus_task, search_task, source_is_gone
from recall.sources import Source
from recall.tokens import Tokenizer

_FINISHED_IS_FRESH = 60.0  # seconds in which a repeated "read to its end" is not written down again

Watch = Callable[[str, Progress], None]


class Reading(NamedTuple):
    """What a look at the sources did: one outcome and one progress per source."""

    outcomes: Mapping[str, Outcome]
    progress: Mapping[str, Progress]
    notices: tuple[str, ...] = ()


class Reader:
    """Reads sources into an index; remembers the threads it had to abandon."""

    def __init__(
        self,
        scope: Scope,
        tokenizer: Tokenizer,
        keep_vanished_days: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.fan_out = FanOut(clock)
        self._scope = scope
        self._tokenizer = tokenizer
        self._keep_days = keep_vanished_days

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
    ) -> Reading:
        """Look at the sources in parallel and bring the index up to date.

        allowed: the seconds that the caller was given, for the wording; now: epoch seconds.
        asked: the question for search-only providers; without one they are not asked.
        watch: called on this thread after each step of a source.
        """
        held = index.counts()
        tasks = {
            name: task
            for name, source in chosen.items()
            if (task := self._task(index, source, deadline, _held(held, name).memories, asked))
        }
        progress = {name: Progress() for name in tasks}
        ends: dict[str, Ended | Late] = {}
        troubles = dict.fromkeys([f"the index was {index.rebuilt} and is made anew"] if index.rebuilt else [])
        for event in self.fan_out.run(tasks, deadline):
            remade = index.remade
            try:
                self._take(index, event, progress[event.name], _held(held, event.name), now)
            except IndexUnavailable as trouble:
                troubles[str(trouble)] = None
                if index.remade != remade:  # it is a new one now
                    self._take(index, event, progress[event.name], _held(held, event.name), now)
            if not isinstance(event, Handed):
                ends[event.name] = event
            if watch is not None:
                watch(event.name, progress[event.name])
        held = index.counts()
        judged = {
            name: outcomes.judge(
                name, ends[name], progress[name], _held(held, name), allowed=allowed, now=now
            )
            for name in tasks  # in the order of the sources, whoever ended first
            if name in ends
        }
        return Reading(judged, progress, tuple(troubles))

    def _task(
        self, index: Index, source: Source, deadline: Deadline, held: int, asked: Question | None
    ) -> Task | None:
        if not source.searches:
            known = index.stamps(source.name)
            return corpus_task(source.provider, self._scope, deadline, known, held, self._tokenizer)
        if asked is None:
            return None
        query = Query(asked.text, asked.key_terms())
        return search_task(source.provider, self._scope, deadline, query, self._tokenizer)

    def _take(self, index: Index, event: Event, progress: Progress, held: CorpusCounts, now: float) -> None:
        if isinstance(event, Handed):
            apply(index, event.name, event.payload, progress, now, self._keep_days)
        elif isinstance(event, Ended) and event.error is None:
            if progress.read or held.read_at is None or now - held.read_at > _FINISHED_IS_FRESH:
                index.finish(event.name, now)
        elif isinstance(event, Ended) and progress.listed is None and source_is_gone(event.error):
            index.mark_vanished(event.name, index.stamps(event.name), now)


def _held(counts: Mapping[str, CorpusCounts], name: str) -> CorpusCounts:
    return counts.get(name, outcomes.NOTHING_HELD)
