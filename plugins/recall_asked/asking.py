"""What both families share: ask, read the answer, and show both for `recall providers --try`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from recall.api import Authority, Deadline, Memory, Problem, Query, Scope
from recall.errors import StoreBroken
from recall.transport.tried import Tried
from recall_asked import reading
from recall_asked.reading import ReadingOptions

_OWN_MOST, _OWN_SHARE = 0.1, 0.1  # seconds and share of the time that reading the answer is left


class Came(NamedTuple):
    """An answer as it came."""

    sent: str  # what was asked for, one line
    raw: str
    document: Any


class Asked:
    """A source of one question after another; how to ask is the subclass's."""

    authority = Authority.CAPTURED
    name = ""
    options: ReadingOptions

    def ask(self, query: Query, scope: Scope, deadline: Deadline) -> Came:
        """Ask; raises a ProviderError that says why no answer came."""
        raise NotImplementedError

    def search(self, query: Query, scope: Scope, deadline: Deadline) -> Iterator[Memory | Problem]:
        """Candidates for the question."""
        yield from reading.memories(
            self.ask(query, scope, own_time(deadline)).document, self.options, query.limit
        )

    def try_out(self, query: Query, scope: Scope, deadline: Deadline) -> Tried:
        """The question as it was sent, the answer as it came, and what was understood; raises as `search` does."""
        came = self.ask(query, scope, own_time(deadline))
        understood: list[Memory | Problem] = []
        trouble = ""
        try:
            understood.extend(reading.memories(came.document, self.options, query.limit))
        except StoreBroken as error:
            trouble = str(error)
        return Tried(came.sent, came.raw, tuple(understood), trouble)


def own_time(deadline: Deadline) -> Deadline:
    """A little earlier: an outcome with its reason says more than silence until the end."""
    return deadline.earlier(min(_OWN_MOST, deadline.remaining() * _OWN_SHARE))


def names(items: Iterable[str]) -> str:
    """Names in a sentence."""
    return ", ".join(items) or "none"
