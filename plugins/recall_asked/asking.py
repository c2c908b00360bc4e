"""What both families share: ask, read the answer, and show both for `recall providers --try`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from recall.api import Authority, Deadline, Memory, Problem, Query, Scope
from recall.errors import StoreBroken
from recall.transport.owntime import own_time
from recall.transport.said import first_line
from recall.transport.tried import Tried
from recall_asked import reading
from recall_asked.reading import ReadingOptions

_MOST_NAMES = 30  # shown in a sentence


class Came(NamedTuple):
    """An answer as it came."""

    sent: str  # what was asked for, one line
    raw: str
    document: Any
    others: int = 0  # parts of the answer that are no text

    def unused(self) -> Iterator[Problem]:
        """What of the answer was passed over."""
        if self.others:
            nothing = self.document in ("", None)
            reason = f"parts of it without text, not used: {self.others}"
            yield Problem("answer", reason, harmless=not nothing)
        if unread := self.raw.count("\ufffd"):
            yield Problem("answer", f"characters of it that could not be read: {unread}", harmless=True)


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
        came = self.ask(query, scope, own_time(deadline))
        yield from reading.memories(came.document, self.options, query.limit)
        yield from came.unused()

    def try_out(self, query: Query, scope: Scope, deadline: Deadline) -> Tried:
        """The question as it was sent, the answer as it came, and what was understood; raises as `search` does."""
        came = self.ask(query, scope, own_time(deadline))
        understood: list[Memory | Problem] = []
        trouble = ""
        try:
            understood.extend(reading.memories(came.document, self.options, query.limit))
            understood.extend(came.unused())
        except StoreBroken as error:
            trouble = str(error)
        return Tried(came.sent, came.raw, tuple(understood), trouble)


def names(items: Iterable[str]) -> str:
    """Names in a sentence."""
    listed = list(items)
    shown = ", ".join(first_line(item) for item in listed[:_MOST_NAMES]) or "none"
    return shown if len(listed) <= _MOST_NAMES else f"{shown} and {len(listed) - _MOST_NAMES} more"
