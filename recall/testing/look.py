"""One look through a provider: what it says of itself, lists and gives to read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from recall import outcomes
from recall.api import Deadline, Entry, Health, Memory, Problem, Query, Scope
from recall.errors import DeadlineExceeded, ProviderError, StoreBroken
from recall.testing.watched import SECONDS, Watched, watched

T = TypeVar("T")

_MOST = 1_000_000  # entries read of a listing: more than any store of a test holds


class Read(NamedTuple):
    """What a provider lists and gives to read."""

    entries: tuple[Entry, ...] = ()
    loaded: tuple[tuple[str, tuple[Memory, ...]], ...] = ()  # by the key of the entry; "" for a search
    problems: tuple[Problem, ...] = ()
    silent: tuple[str, ...] = ()  # keys of entries that hold nothing
    unread: int = 0  # entries beyond those asked for
    other: tuple[str, ...] = ()  # types of what is none of these
    refused: str = ""  # the ProviderError with which it said that nothing can be listed

    @property
    def memories(self) -> tuple[Memory, ...]:
        """All memories, in order."""
        return tuple(memory for _key, memories in self.loaded for memory in memories)

    @property
    def stamps(self) -> dict[str, str]:
        """Key -> stamp."""
        return {entry.key: entry.stamp for entry in self.entries}

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all memories, in order."""
        return tuple(memory.id for memory in self.memories)


class Look(NamedTuple):
    """Both parts of a look, each as it went."""

    health: Watched[Health]
    read: Watched[Read]

    @property
    def parts(self) -> tuple[tuple[str, Watched[Any]], ...]:
        """Each with what the provider was asked, in words."""
        return ("health", self.health), ("reading", self.read)


def look(
    provider: Any,
    scope: Scope,
    *,
    query: Query | None = None,
    seconds: float = SECONDS,
    most: int = _MOST,
    leftovers: bool = False,
) -> Look:
    """Ask a provider for its health and for all it has; whatever it does is in the result, and nothing is raised.

    It is closed after each part, so that what it keeps open between questions is no leftover.

    query: what a provider that can only be asked is asked.
    seconds: the deadline of each part; one that takes twice as long is called hung.
    most: entries that are read; the others are listed and counted.
    leftovers: whether to look for threads and child processes that are left.
    """
    health = watched(lambda: asked_health(provider, scope, seconds), 2 * seconds, leftovers=leftovers)
    if health.hung:  # whoever hangs is hung once
        return Look(health, Watched(hung=True))

    def reading() -> Read:
        return read(provider, scope, query, Deadline.after(seconds), most)

    return Look(health, watched(lambda: closing(provider, reading), 2 * seconds, leftovers=leftovers))


def closing(provider: Any, work: Callable[[], T]) -> T:
    """Work, and the end of what the provider keeps open between questions."""
    try:
        return work()
    finally:
        if hasattr(provider, "close"):
            provider.close()


def asked_health(provider: Any, scope: Scope, seconds: float) -> Health:
    """What the provider says of its corpus, closed afterwards; a ProviderError tells a state, as the host takes it."""
    return closing(provider, lambda: _said_health(provider, scope, seconds))


def _said_health(provider: Any, scope: Scope, seconds: float) -> Health:
    try:
        found: Health = provider.health(scope, Deadline.after(seconds))
    except ProviderError as error:
        state, reason, next_step, *_rest = outcomes.failed(provider.name, error)
        return Health(state, reason=reason, next_step=next_step)
    return found


def read(provider: Any, scope: Scope, query: Query | None, deadline: Deadline, most: int = _MOST) -> Read:
    """List and read everything, as the host does; raises what the host would take for a fault."""
    try:
        if query is not None:
            return _sorted(list(islice(provider.search(query, scope, deadline) or (), most)))
        listed = list(provider.entries(scope, deadline) or ())
    except DeadlineExceeded:
        raise
    except ProviderError as error:
        return Read(refused=f"{type(error).__name__}: {error}")
    found = _sorted(listed)
    return _with_loaded(found, lambda entry: provider.load(entry, scope) or (), deadline, most)


def _sorted(items: Iterable[object]) -> Read:
    entries, memories, problems, other = [], [], [], []
    for item in items:
        if isinstance(item, Entry):
            entries.append(item)
        elif isinstance(item, Memory):
            memories.append(item)
        elif isinstance(item, Problem):
            problems.append(item)
        else:
            other.append(type(item).__name__)
    loaded = (("", tuple(memories)),) if memories else ()
    return Read(tuple(entries), loaded, tuple(problems), other=tuple(other))


def _with_loaded(
    listed: Read, load: Callable[[Entry], Iterable[object]], deadline: Deadline, most: int
) -> Read:
    """A listing and what its first entries hold; a memory in the listing itself is out of place."""
    loaded, problems, silent = [], [*listed.problems], []
    other = [*listed.other, *(type(memory).__name__ for memory in listed.memories)]
    for entry in listed.entries[:most]:
        deadline.check()
        try:
            found = _sorted(load(entry))
        except StoreBroken as error:  # of one entry: a problem of it alone, as the host takes it
            found = Read(problems=(Problem(entry.key, str(error)),))
        if not found.memories and not found.problems:
            silent.append(entry.key)
        loaded.append((entry.key, found.memories))
        problems += found.problems
        other += (*found.other, *(type(entry).__name__ for entry in found.entries))
    return listed._replace(
        loaded=tuple(loaded),
        problems=tuple(problems),
        other=tuple(other),
        silent=tuple(silent),
        unread=max(0, len(listed.entries) - most),
    )
