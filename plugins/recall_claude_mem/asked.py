"""claude-mem with `mode = "worker"`: its file is read as ever, and its worker is asked each question too.

What the worker gives stands beside what the file lists: a row that both have is the file's. Whatever the worker
does, the file has been read before it is asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from recall.api import Deadline, Entry, Health, Memory, Problem, Query, Scope, State
from recall.errors import ProviderError, StoreAbsent, StoreBroken, StoreBusy
from recall.transport.http import Client
from recall.transport.owntime import own_time
from recall.transport.tried import Tried
from recall_claude_mem import worker
from recall_claude_mem.doors import find_doors, own_number
from recall_claude_mem.place import Place, Wanted
from recall_claude_mem.projects import is_observer, own_labels
from recall_claude_mem.provider import ClaudeMemProvider
from recall_claude_mem.rows import to_memory
from recall_claude_mem.tables import KINDS, PROMPTS, is_the_observers
from recall_claude_mem.worker import Page, Worker

_MOST_TERMS = 8  # asked one by one: several together are taken for a phrase
_MOST_LABELS = 4  # asked one by one; of more, all projects are asked for and the others left out
_WHERE = "worker"


class _Asking(NamedTuple):
    """One question to one worker."""

    found: Worker
    words: tuple[str, ...]  # one request each
    labels: tuple[str | None, ...]  # one request each; None: of all projects
    own: frozenset[str] | None  # labels of rows that are taken; None: of all projects


class AskedClaudeMem(ClaudeMemProvider):
    """The file and the worker."""

    _client: Client | None = None
    _listing: tuple[Entry | Problem, ...] = ()
    _keys: frozenset[str] = frozenset()

    def entries(self, scope: Scope, deadline: Deadline) -> tuple[Entry | Problem, ...]:
        """The file's rows, as without a worker."""
        listing, self._listing = self._listing, ()
        keys, self._keys = self._keys, frozenset()
        found = super().entries(scope, deadline)
        same = found is listing
        self._keys = keys if same else frozenset(item.key for item in found if isinstance(item, Entry))
        self._listing = found
        return found

    def search(self, query: Query, scope: Scope, deadline: Deadline) -> Iterator[Memory | Problem]:
        """Rows that the file did not list; what the worker cannot be asked is a problem."""
        place, wanted = self._look(scope)
        until = own_time(deadline)
        given: set[str] = set()
        pages = 0
        try:
            asking = self._begin(query, place, wanted, scope, until)
            for page in self._pages(asking, query.limit, until):
                pages += 1
                for key, item in self._memories(page, asking, wanted, place):
                    if key in given or key in self._keys or len(given) == query.limit:
                        continue
                    given.add(key)
                    yield item
        except StoreAbsent as error:
            yield Problem(_WHERE, str(error), harmless=True)
        except (StoreBusy, StoreBroken) as error:
            before = f"; {pages} of its answers came before" if pages else ""
            yield Problem(_WHERE, f"{error}{before}")
        else:
            if left := max(0, len(query.terms) - _MOST_TERMS) if not asking.found.semantic else 0:
                yield Problem(_WHERE, f"it was not asked for {left} further words", harmless=True)

    def try_out(self, query: Query, scope: Scope, deadline: Deadline) -> Tried:
        """What the worker is asked and answers, rows of the file too; raises a ProviderError."""
        place, wanted = self._look(scope)
        until = own_time(deadline)
        asking = self._begin(query, place, wanted, scope, until)
        pages = list(self._pages(asking, query.limit, until))
        understood: dict[str, Memory | Problem] = {}
        for page in pages:
            understood.update(self._memories(page, asking, wanted, place))
        sent = " ; ".join(f"GET {page.url}" for page in pages) or "nothing: it knows no project of this name"
        return Tried(sent, "\n".join(page.body for page in pages), tuple(understood.values()))

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """The file's, with what the worker tells of itself."""
        health = super().health(scope, deadline)
        place, _wanted = self._look(scope)
        until = deadline.earlier(
            deadline.remaining() / 2
        )  # an empty store's health is asked before its worker is
        try:
            found = self._find(place, scope, until)
            told = worker.facts(self._open(scope), found, until)
        except StoreAbsent as error:
            return replace(health, facts=(*health.facts, str(error)))
        except ProviderError as error:
            health = replace(health, facts=(*health.facts, f"worker not asked: {error}"))
            if health.state is not State.READY:
                return health
            return replace(
                health, state=State.DEGRADED, reason=f"worker not asked: {error}", next_step=error.next_step
            )
        return replace(health, facts=(*health.facts, *told))

    def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _begin(self, query: Query, place: Place, wanted: Wanted, scope: Scope, until: Deadline) -> _Asking:
        found = self._find(place, scope, until)
        terms = query.terms or (query.text,)
        words = (" ".join(terms),) if found.semantic else terms[:_MOST_TERMS]
        if wanted.all_projects:
            return _Asking(found, words, (None,), None)
        known = worker.projects(self._open(scope), found, until)
        own = own_labels((name for name in known if not is_observer(name, wanted.names)), wanted.names)
        return _Asking(found, words, (None,) if len(own) > _MOST_LABELS else tuple(sorted(own)), own)

    def _find(self, place: Place, scope: Scope, until: Deadline) -> Worker:
        doors = find_doors(place, scope, own_number())
        return worker.find(self._open(scope), doors, place.database, until)

    def _pages(self, asking: _Asking, limit: int, until: Deadline) -> Iterator[Page]:
        assert self._client is not None
        for words in asking.words:
            for label in asking.labels:
                yield worker.search(self._client, asking.found, words, label, limit, until)

    def _memories(
        self, page: Page, asking: _Asking, wanted: Wanted, place: Place
    ) -> Iterator[tuple[str, Memory | Problem]]:
        for table, told in page.rows:
            row = {column: _as_stored(value) for column, value in told.items()}
            labels = {str(row.get("project") or ""), str(row.get("merged_into_project") or "")}
            if (table == PROMPTS and not wanted.prompts) or is_the_observers(table, row):
                continue
            if any(is_observer(label, wanted.names) for label in labels):
                continue
            if asking.own is not None and not labels & asking.own:
                continue
            key = f"{KINDS[table]}/{row['id']}"
            for item in to_memory(table, key, row, str(place.database), self._options.max_chars):
                yield (key if isinstance(item, Memory) else f"{key} cut"), item

    def _open(self, scope: Scope) -> Client:
        if self._client is None:
            self._client = Client(scope.env)
        return self._client


def _as_stored(value: Any) -> Any:
    """A value as the database holds it: releases differ in whether lists come as such."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | Mapping) else value
