"""Providers that do one thing, for tests of what uses providers: slow, broken, empty, lying, printing, exiting."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Query, Scope, State


@dataclass(frozen=True, slots=True)
class NoOptions:
    """Nothing to set."""


class Notes:
    """A corpus held in a mapping of key -> text or Memory; `versions` makes stamps change."""

    Options = NoOptions

    def __init__(
        self,
        name: str = "notes",
        notes: Mapping[str, str | Memory] | None = None,
        authority: Authority = Authority.CURATED,
        health: Health | None = None,
    ) -> None:
        self.name = name
        self.authority = authority
        self.notes: dict[str, str | Memory] = dict(notes or {})
        self.problems: list[Problem] = []
        self.loads: list[str] = []
        self._health = health

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        if self._health is not None:
            return self._health
        if not self.notes:
            return Health(State.EMPTY, 0, reason="no notes", next_step="write one")
        return Health(State.READY, len(self.notes))

    def entries(self, scope: Scope, deadline: Deadline) -> Iterable[Entry | Problem]:
        yield from self.problems
        for key, note in self.notes.items():
            yield Entry(key, str(hash(note if isinstance(note, str) else repr(note))))

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:
        self.loads.append(entry.key)
        note = self.notes[entry.key]
        yield note if isinstance(note, Memory) else Memory(entry.key, note)


class Broken(Notes):
    """Raises when it is listed."""

    def __init__(
        self, name: str, error: BaseException, notes: Mapping[str, str | Memory] | None = None
    ) -> None:
        super().__init__(name, notes)
        self.error: BaseException | None = error

    def entries(self, scope: Scope, deadline: Deadline) -> Iterable[Entry | Problem]:
        if self.error is not None:
            raise self.error
        return super().entries(scope, deadline)


class Slow(Notes):
    """Never answers while `release` is not set; `began` tells that it was asked."""

    def __init__(self, name: str = "slow", notes: Mapping[str, str | Memory] | None = None) -> None:
        super().__init__(name, notes)
        self.began = threading.Event()
        self.release = threading.Event()

    def entries(self, scope: Scope, deadline: Deadline) -> Iterable[Entry | Problem]:
        self.began.set()
        self.release.wait()
        return super().entries(scope, deadline)


class Empty(Notes):
    """Has a store, and nothing in it."""

    def __init__(self, name: str = "empty") -> None:
        super().__init__(name)


class Lying(Notes):
    """Counts more memories than can be read."""

    def __init__(
        self, name: str = "lying", notes: Mapping[str, str | Memory] | None = None, counted: int | None = 48
    ) -> None:
        super().__init__(name, notes, health=Health(State.READY, counted))


class Exiting(Broken):
    """Ends the process, as it thinks, when it is listed."""

    def __init__(self, name: str = "exiting", code: int = 3) -> None:
        super().__init__(name, SystemExit(code))


class Printing(Notes):
    """Prints to stdout whenever it is listed."""

    def entries(self, scope: Scope, deadline: Deadline) -> Iterable[Entry | Problem]:
        print("a provider's chatter")
        sys.stdout.flush()
        return super().entries(scope, deadline)


class Returning(Notes):
    """Returns whatever it was told to from `entries`, `load` and `health`."""

    def __init__(self, name: str, *, entries: Any = None, load: Any = None, health: Any = None) -> None:
        super().__init__(name, {"one": "text"})
        self._answers = {"entries": entries, "load": load, "health": health}

    def entries(self, scope: Scope, deadline: Deadline) -> Any:
        answer = self._answers["entries"]
        return super().entries(scope, deadline) if answer is None else answer

    def load(self, entry: Entry, scope: Scope) -> Any:
        answer = self._answers["load"]
        return super().load(entry, scope) if answer is None else answer

    def health(self, scope: Scope, deadline: Deadline) -> Any:
        answer = self._answers["health"]
        return super().health(scope, deadline) if answer is None else answer


class Asked:
    """A provider that can only be asked."""

    Options = NoOptions

    def __init__(self, name: str, answer: Callable[[Query], Iterable[Memory | Problem]]) -> None:
        self.name = name
        self.authority = Authority.CAPTURED
        self.queries: list[Query] = []
        self._answer = answer

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        return Health(State.READY, None)

    def search(self, query: Query, scope: Scope, deadline: Deadline) -> Iterable[Memory | Problem]:
        self.queries.append(query)
        return self._answer(query)
