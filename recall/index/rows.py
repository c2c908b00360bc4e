"""What the index keeps and gives back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
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
    flags: str  # words: "instruction-like", "masked:2", ...
    title_tokens: str
    body_tokens: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """An entry's rows as just read, or the problem that kept it from being read."""

    key: str
    stamp: str
    rows: tuple[Row, ...]
    problem: str = ""
    failed: bool = False  # nothing could be read: what is stored stays, and it is tried again next time


@dataclass(frozen=True, slots=True)
class Match:
    """A stored memory that holds some of a question's terms; `score` is BM25, higher is better."""

    row: Row
    score: float
    vanished_at: float | None


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """What the index holds of one provider."""

    memories: int
    vanished: int
    newest: float | None
    read_at: float | None
    problems: tuple[tuple[str, str], ...]  # key, problem
