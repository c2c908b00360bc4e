"""How a provider behaves: it ends, raises nothing else, prints nothing, leaves nothing, changes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from recall.api import Deadline
from recall.errors import DeadlineExceeded, ProviderError
from recall.testing import traces
from recall.testing.finding import Finding
from recall.testing.look import Look
from recall.testing.watched import Watched

_SHOWN = 5  # changed files in one message


def passed() -> Deadline:
    """A deadline that is over."""
    return Deadline(0.0, lambda: 1.0)


def outcome(what: str, done: Watched[Any]) -> Iterator[Finding]:
    """It ended in time, and with nothing but what the contract allows."""
    if done.hung:
        yield Finding(
            "time",
            f"{what} did not end: call deadline.check() in loops, and give every wait deadline.remaining()",
        )
    elif isinstance(done.error, DeadlineExceeded):
        yield Finding("time", f"{what} did not end within its deadline: make it cheaper")
    elif done.error is not None:
        kind = type(done.error).__name__
        yield Finding(
            "errors",
            f"{what} raised {kind}: {done.error}: raise a ProviderError when nothing can be listed, "
            "yield a Problem for anything smaller, and let health say it",
        )


def quiet(what: str, done: Watched[Any]) -> Iterator[Finding]:
    """Nothing was printed."""
    if done.printed:
        yield Finding(
            "quiet",
            f"{what} printed {done.printed[:80]!r}: stdout is the answer's; tell it by a Problem or a fact",
        )


def nothing_left(what: str, done: Watched[Any]) -> Iterator[Finding]:
    """No thread and no child process was left."""
    if done.left:
        yield Finding(
            "threads", f"{what} left {', '.join(done.left)}: end it before you return, and when broken off"
        )


def of_look(look: Look) -> Iterator[Finding]:
    """All of this for both parts of a look."""
    for what, done in look.parts:
        yield from outcome(what, done)
        yield from quiet(what, done)
        yield from nothing_left(what, done)


def listing_out_of_time(done: Watched[int], whole: int) -> Iterator[Finding]:
    """A listing whose deadline had passed was not carried on to its end; `done` counts its entries."""
    if isinstance(done.error, DeadlineExceeded | ProviderError):
        return
    yield from outcome("a listing whose deadline had passed", done)
    if done.value == whole and whole > 1:
        yield Finding(
            "time", "a listing whose deadline had passed lists everything: call deadline.check() in its loop"
        )


def unchanged(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[Finding]:
    """Nothing of the source changed."""
    lines = traces.differences(before, after)
    if lines:
        more = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
        yield Finding(
            "read-only",
            f"reading changed the source ({'; '.join(lines[:_SHOWN])}{more}): "
            "other people's stores are only read (recall.files, recall.databases)",
        )
