"""Where to look: memories by their names, from the index alone. The memories themselves are opened when needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from recall import asking, merge, question
from recall.engine import Engine
from recall.index import Row
from recall.wording import ago, counted, one_line

_POOL = 40  # candidates that are scored
QUESTIONS = 3  # that are asked at most: each is a search of the index
# What a bootstrap tells by itself, and what nobody wrote down to be remembered.
_NOT_POINTED_AT = frozenset({"git", "state", "decisions", "transcripts"})


class Pointer(NamedTuple):
    """A memory by its name: `recall show URI` has the rest."""

    title: str
    uri: str
    dated: float | None  # epoch seconds


def find(
    engine: Engine, questions: Iterable[str], most: int, enough: Callable[[], bool] = lambda: False
) -> list[Pointer]:
    """Memories that belong to the first few questions, the best first.

    A memory for all projects is one only if the user listed its source as global.
    enough: whether to stop, as when time is up.
    """
    found: dict[str, Pointer] = {}
    asked = [text for text in questions if text.strip()][:QUESTIONS]
    for text in asked:
        if len(found) >= most or enough():
            break
        for row in _glance(engine, text, most):
            if row.project or row.provider in engine.settings.context.global_sources:
                found.setdefault(row.uri, Pointer(row.title or row.uri, row.uri, row.dated))
    return list(found.values())[:most]


def _glance(engine: Engine, text: str, limit: int) -> list[Row]:
    """The best memories for some words, from the index alone and unchecked: where to look, not what is so."""
    weighed = question.weigh(text, question.words(text, engine.tokenizer), engine.index)
    names = [name for name in engine.sources if name not in _NOT_POINTED_AT]
    matches, _others = engine.index.search(weighed.passes, weighed.frequencies, names, _POOL)
    weights = asking.weights(engine.settings, engine.authority_of, engine.now())
    return [ranked.row for ranked in merge.rank(matches, weighed, weights).ranked[:limit]]


def beyond(engine: Engine, shown: int) -> Iterator[str]:
    """How many more memories the index holds, and which sources it holds nothing of, not having been asked yet."""
    counts = engine.index.counts()
    held = {name: counts[name] for name in engine.sources if name in counts and name not in _NOT_POINTED_AT}
    if more := sum(one.memories - one.vanished for one in held.values()) - shown:
        yield f"{counted(more, 'more memory is', 'more memories are')} indexed; deep_recall finds them"
    unread = [name for name in engine.sources if name not in counts and name not in _NOT_POINTED_AT]
    if unread:
        yield f"not asked yet: {', '.join(unread)}; deep_recall asks them, and more is named here then"


def lines(pointers: Iterable[Pointer], now: float) -> Iterator[str]:
    """A line each: title, uri, age."""
    for one in pointers:
        when = f", {ago(now - one.dated)}" if one.dated is not None else ""
        yield f"{one_line(one.title)} ({one.uri}{when})"
