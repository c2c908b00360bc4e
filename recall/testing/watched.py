"""A piece of a provider's work, done as the host does it, in a thread of its own, with an eye on what it leaves."""

from __future__ import annotations

import contextlib
import io
import threading
import time
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from recall.api import Deadline
from recall.testing import traces

SECONDS = 20.0  # real seconds until work is called hung; a busy machine is no fault
_POLL = 0.02  # seconds between two looks at what is ending
_SETTLING = 2.0  # real seconds that threads and servers which are ending have for it

T = TypeVar("T")


class Watched(NamedTuple, Generic[T]):
    """What became of a piece of work."""

    value: T | None = None
    error: BaseException | None = None
    hung: bool = False
    printed: str = ""
    left: tuple[str, ...] = ()  # threads and child processes that still run


def watched(work: Callable[[], T], seconds: float = SECONDS, *, leftovers: bool = False) -> Watched[T]:
    """Do it; a SystemExit or KeyboardInterrupt in it is an error like any other.

    seconds: after which it is given up, and reported as hung.
    leftovers: whether to look for threads and child processes that it leaves, which takes a moment.
    """
    values: list[T] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            values.append(work())
        except BaseException as error:
            errors.append(error)

    threads = traces.threads()
    children = traces.children() if leftovers else set()
    thread = threading.Thread(target=body, name="recall-testing", daemon=True)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        thread.start()
        thread.join(seconds)
    hung = thread.is_alive()
    left = _left(threads, children) if leftovers and not hung else ()
    return Watched(values[0] if values else None, errors[0] if errors else None, hung, out.getvalue(), left)


def _left(threads: set[threading.Thread], children: set[int]) -> tuple[str, ...]:
    """What still runs, once what is ending had its time: a thread that ends may have begun another, or a process."""
    until = Deadline.after(_SETTLING)
    while True:
        began = [thread for thread in traces.threads() - threads if thread.is_alive()]
        started = traces.children() - children
        if not (began or started) or until.expired():
            break
        time.sleep(_POLL)
    still = [f"thread {thread.name!r}" for thread in began]
    return (*still, *(f"child process {pid}" for pid in sorted(started)))
