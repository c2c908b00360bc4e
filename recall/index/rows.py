"""What the index keeps and gives back.

Named tuples here and in the other rooms a query passes through: creating a frozen dataclass costs 0.8 ms at import,
a named tuple 0.15 ms, and a question must not cost more than a dozen empty interpreters.
"""

from __future__ import annotations

from typing import NamedTuple

from recall.api import Problem
from recall.supersession import Said


class Row(NamedTuple):
    """A memory as it is stored: cleaned, masked, tokenised. Dates are UTC epoch seconds."""

    provider: str
    uri: str
    title: str
    text: str
    path: str
    line: int | None
    project: str
    created: float | None
    updated: float | None
    date_origin: str
    kind: str
    authority: str  # "" = the provider's
    extra: str  # a JSON object of texts
    flags: str  # words: "instruction-like", "masked:2", "amended-by:docs/adr/0012", ...
    title_tokens: str
    body_tokens: str
    context_tokens: str = ""  # of what stands around it: searched, and no part of what it says
    withdrawn: str = ""  # why the source no longer stands by it

    @property
    def dated(self) -> float | None:
        """When it was last written, as far as that is known."""
        return self.updated if self.updated is not None else self.created


class Loaded(NamedTuple):
    """An entry's rows as just read, and what was wrong with it."""

    key: str
    stamp: str
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...] = ()
    store: str = ""
    said: tuple[Said, ...] = ()  # which memories took the place of which, by their uris
    failed: bool = False  # nothing could be read: what is stored stays, and it is tried again next time


class Match(NamedTuple):
    """A stored memory that holds some of a question's terms; `score` is BM25, higher is better."""

    row: Row
    score: float
    vanished_at: float | None


class CorpusCounts(NamedTuple):
    """What the index holds of one provider."""

    memories: int
    vanished: int
    newest: float | None
    read_at: float | None
    problems: tuple[Problem, ...]
