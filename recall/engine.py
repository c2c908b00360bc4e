"""The composition root: settings -> plugins -> index -> fan-out -> merge -> answer.

One Engine owns everything it uses: two engines in one process share nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from recall import asking, merge, project, question, settings, sources
from recall.answer import Answer
from recall.api import Authority, Deadline, Scope
from recall.backoff import Backoff
from recall.checks import Checks
from recall.data import glossary
from recall.errors import IndexUnavailable, UsageError
from recall.evidence.guard import guarded
from recall.fanout import Aside, Event, Task
from recall.index import IN_MEMORY, Index, Match, Row, remove_stale
from recall.places import Places
from recall.plugins import Plugin
from recall.reading import Reader, Reading, Watch
from recall.refresh import Later
from recall.sources import Source
from recall.started import Started
from recall.tokens import Tokenizer
from recall.uri import SCHEME, canonical
from recall.wording import nearest

if TYPE_CHECKING:
    from recall.git.present import Present

_POOL, _POOL_PER_LIMIT = 40, 3  # candidates that are scored: at least, and per memory asked for
_OWN_SHARE = 0.1  # of the deadline, kept for searching and merging what came in
_OWN_MOST = 0.25  # seconds
_PRESENT_SHARE = 0.25  # of the deadline, for the work tree: a large one must not hold up all answers

T = TypeVar("T")


class Engine:
    """Answers questions for one scope."""

    def __init__(
        self,
        scope: Scope,
        loaded: sources.Loaded,
        places: Places,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        started: Started | None = None,
    ) -> None:
        """Most callers want `Engine.start`. `clock` is monotonic, `now` is epoch seconds."""
        self.scope = scope
        self.settings = loaded.settings
        self.plugins = loaded.plugins
        self.sources = loaded.sources
        self.policies = loaded.policies
        self.options = loaded.options
        self.places = places
        self.now = now
        self.tokenizer = Tokenizer(glossary())
        self._clock = clock
        self._index_file = places.cache / "index" / f"{self._index_key()}.db"
        self.reader = Reader(
            scope,
            self.tokenizer,
            self.settings.index.keep_vanished_days,
            # The file comes and goes with the index.
            Backoff(self._index_file.with_suffix(".db.failures"), self.settings.suspension),
            clock,
        )
        self._aside: Aside[Present] = Aside()
        self._index: Index | None = None
        self.checks = Checks(
            scope, lambda: self.settings.evidence, self.sources, places.make_cache, clock, now
        )
        self._notices: list[str] = []
        self._started = started

    @classmethod
    def start(
        cls,
        path: Path,
        *,
        home: Path,
        env: Mapping[str, str],
        flags: Mapping[str, Any] | None = None,
        all_projects: bool = False,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> Engine:
        """An engine for the project that `path` lies in.

        flags: settings from the command line, nested like the settings file.
        Raises UsageError and SettingsError.
        """
        places = Places.find(env, home)
        scope = project.find_scope(path, home=home, env=env, all_projects=all_projects)
        started = Started.at(scope, places)
        configured = settings.load(places=places, root=scope.root, env=env, flags=flags or {}, home=home)
        workspace = settings.workspace_of(configured.context.workspaces, scope.root, home)
        filed = (workspace.name, *workspace.aliases) if workspace is not None else ()
        names = (*filter(None, filed), *scope.names, *configured.project.names)
        if names != scope.names:
            scope = replace(scope, names=tuple(dict.fromkeys(names)))
        loaded = sources.load(configured, places, scope)
        return cls(scope, loaded, places, clock=clock, now=now, started=started)

    @property
    def index(self) -> Index:
        """The scope's index, opened on first use; in memory, with a notice, where the cache cannot be written."""
        if self._index is None:
            try:
                self._index = self._open_index()
            except (IndexUnavailable, OSError) as trouble:
                self._index = Index(IN_MEMORY)
                self._notices.append(f"{trouble}; answered without an index, from what could be read in time")
        return self._index

    def outdated(self) -> bool:
        """Whether it would start otherwise now: its settings' files have changed, or the project has."""
        return self._started is not None and self._started.outdated()

    def close(self) -> None:
        """Close the index, the evidence's cache, and what providers keep open."""
        for source in self.sources.values():
            source.close()
        if self._index is not None:
            self._index.close()
            self._index = None
        self.checks.close()

    def notices(self) -> tuple[str, ...]:
        """What is worth telling: settings of an untrusted project that were not used, a cache that is not there."""
        of_options = (line for found in self.options.values() for line in found.notices)
        return (*self.settings.notices, *of_options, *self._notices)

    def abandoned(self) -> int:
        """How many provider threads still run that nobody waits for."""
        return self.reader.fan_out.abandoned()

    def recall(
        self,
        text: str,
        *,
        providers: Sequence[str] = (),
        limit: int | None = None,
        budget: int | None = None,
        deadline: float | None = None,
        read: bool = True,
        only_current: bool | None = None,
        watch: Watch | None = None,
    ) -> Answer:
        """Answer a question.

        providers: names to ask; empty = all.
        limit: most memories; budget: most tokens, approximately; deadline: seconds for the whole answer.
        read: look at the sources first; False answers from the index alone.
        only_current: leave out, and count, what the repository contradicts.
        watch: called on this thread after each step of a source.
        Raises UsageError for a question without words or an unknown provider, IndexUnavailable.
        """
        asked = asking.asked(
            text,
            self.settings,
            self.tokenizer,
            providers=providers,
            limit=limit,
            budget=budget,
            deadline=deadline,
            read=read,
            only_current=only_current,
            watch=watch,
        )
        self.chosen(providers)  # an unknown name is told before anything is written
        began = self._clock()
        return self._sure(lambda: self._answer(asked, began))

    def refresh(
        self,
        chosen: Mapping[str, Source],
        deadline: Deadline,
        allowed: float,
        asked: question.Question | None = None,
        watch: Watch | None = None,
        retry: bool = False,
        later: Later | None = None,
    ) -> Reading:
        """Look at the sources in parallel and bring the index up to date.

        allowed: the seconds that the caller was given, for the wording.
        asked: the question for search-only providers; without one they are not asked.
        watch: called on this thread after each step of a source.
        retry: ask those too that are suspended for having failed again and again.
        later: entries that the caller has no need of; the next look reads them.
        """
        now = self.now()
        read = self.reader.read
        return read(
            self.index, chosen, deadline, allowed=allowed, now=now, asked=asked, watch=watch, retry=retry,
            later=later,
        )  # fmt: skip

    def fan_out(self, tasks: Mapping[str, Task], deadline: Deadline) -> Iterator[Event]:
        """Run other work on the engine's providers under the same rules."""
        careful = {name: self.reader.backoff.careful(task) for name, task in tasks.items()}
        return self.reader.fan_out.run(careful, deadline)

    def scope_key(self) -> str:
        """A short name for this scope, whatever the settings."""
        scope = self.scope
        # A folder inside the project can have memory of its own, so it is a scope of its own.
        places = {name: os.fspath(getattr(scope, name)) for name in ("home", "root", "cwd")}
        return _digest({**places, "all": scope.all_projects})

    def rows(self, names: Sequence[str] = ()) -> list[Plugin]:
        """One plugin a name that is no policy: a refused namesake of a source is no row of an answer."""
        return [
            row
            for row in self.plugins
            if (row.provider is not None or row.name not in self.sources)
            and row.name not in self.policies
            and (not names or row.name in names)
        ]

    def chosen(self, names: Iterable[str]) -> dict[str, Source]:
        """Sources by name; raises UsageError for a name that no plugin has."""
        names = list(names)
        known = {row.name for row in self.plugins} - self.policies.keys()
        for name in names:
            if name not in known:
                meant = nearest(name, known) if "," not in name else ""
                hint = f'did you mean "{meant}"?' if meant else f"known: {', '.join(sorted(known))}"
                hint = "give each by itself: repeat --provider, or list them" if "," in name else hint
                raise UsageError(f"no provider is called {name[:100]!r}", hint)
        return {name: source for name, source in self.sources.items() if not names or name in names}

    def show(self, uri: str, deadline: float | None = None) -> Match | None:
        """The memory at a uri, however it is percent-encoded, looked for in its source first; None if there is none."""
        uri = uri.encode("utf-8", "replace").decode("utf-8")  # half a character is in no memory's uri
        uri = canonical(uri) or uri
        name = uri.removeprefix(SCHEME).partition("/")[0]
        seconds = deadline if deadline is not None else self.settings.query.deadline
        self.refresh(self.chosen([name]), Deadline.after(seconds, self._clock), seconds)
        return self.index.get(uri)

    def read_again(self, names: Iterable[str]) -> None:
        """Have everything of these providers read again at the next look; until then the index still answers."""
        for name in names:
            self._sure(partial(self.index.distrust, name))

    def forget_vanished(self, name: str) -> int:
        """Forget a provider's vanished memories; returns how many entries they were."""
        gone = self.index.vanished(name)
        self.index.forget(name, gone)
        return len(gone)

    def authority_of(self, row: Row) -> Authority:
        """A memory's authority: its own, else its provider's."""
        if row.authority:
            return Authority(row.authority)
        source = self.sources.get(row.provider)
        return source.authority if source is not None else Authority.CHAT

    def _sure(self, work: Callable[[], T]) -> T:
        """Do something with the index; once more if it was found unusable meanwhile, and is another one now."""
        before = self.index.remade
        try:
            return work()
        except IndexUnavailable:
            if self.index.remade == before:
                raise
            return work()

    def _answer(self, asked: asking.Asked, began: float) -> Answer:
        chosen = self.chosen(asked.providers)
        until = Deadline(began + asked.seconds, self._clock).earlier(
            min(_OWN_MOST, asked.seconds * _OWN_SHARE)
        )
        present = self._present(Deadline(began + asked.seconds * _PRESENT_SHARE, self._clock), asked)
        if asked.read:
            # Sources that are asked get the key terms, as far as the index can tell them before it is read.
            is_asked = any(source.is_asked for source in chosen.values())
            terms = question.weigh(asked.text, asked.words, self.index) if is_asked else None
            reading = self.refresh(chosen, until, asked.seconds, terms, asked.watch)
        else:
            reading = asking.unread(chosen, self.index.counts(), self.now())
        weighed = question.weigh(asked.text, asked.words, self.index)
        pool = max(_POOL, _POOL_PER_LIMIT * asked.limit)
        matches, others = self.index.search(weighed.passes, weighed.frequencies, list(chosen), pool)
        weights = asking.weights(self.settings, self.authority_of, self.now())
        troubles: list[str] = []
        now = guarded(present, lambda said: troubles.append(f"how the project stands is not known: {said}"))
        whole = Deadline(began + asked.seconds, self._clock)
        checking = self.checks.checking(asked, whole, now, self.index.get, troubles.append)
        ranking = merge.rank(matches, weighed, weights, checking)
        hits, left_out = asking.fit(ranking, weighed, asked, others)
        return Answer(
            question=asked.text,
            hits=hits,
            outcomes=asking.outcomes_of(self.rows(asked.providers), reading, hits),
            left_out=left_out,
            notices=(*self.notices(), *reading.notices, *troubles),
            seconds=self._clock() - began,
            now=self.now(),
            project=self.scope.names[0] if self.scope.names else "",
            present=now,
        )

    def _present(self, deadline: Deadline, asked: asking.Asked) -> Callable[[], Present | None]:
        """Look at the repository meanwhile, where Git is a source that is read; the result is asked for later."""
        scope = self.scope
        if not (scope.in_git and asked.read and asking.GIT in self.sources):
            return lambda: None
        from recall.git import present

        result = self._aside.begin(lambda: present.look(scope.root, scope.home, scope.env, deadline))
        return lambda: result(deadline, present.LATE)

    def _open_index(self) -> Index:
        self.places.make_cache()
        path = self._index_file
        path.parent.mkdir(mode=0o700, exist_ok=True)
        if not path.exists():
            remove_stale(path.parent, self.now())
        return Index(str(path))

    def _index_key(self) -> str:
        scope = self.scope
        options = {name: repr(source.plugin.options) for name, source in sorted(self.sources.items())}
        return _digest({"scope": self.scope_key(), "names": scope.names, "options": options})


def _digest(parts: Mapping[str, Any]) -> str:
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:24]
