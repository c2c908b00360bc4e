"""One daemon thread a provider, one deadline for all, and a record of what became of each.

Nobody waits past the deadline. A thread that does not end is abandoned: it is a daemon, it is never joined, it
can hand in nothing any more, and its provider is not asked again while it still runs.

A provider is never inside two threads at once, whoever calls: calls that overlap take turns. So plugin authors
need not think of threads, and one that hangs is hung in one thread only.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from recall.api import Deadline
from recall.errors import DeadlineExceeded
from recall.piece import Piece

_MOMENT = 0.03  # seconds that a source has for itself before the next one starts beside it

_MOST_GIVEN_UP = 8  # threads: each holds a stack of memory for good

T = TypeVar("T")

Emit = Callable[[Any], None]
Task = Callable[[Emit], None]


class Handed(NamedTuple):
    """Something a task handed in before it ended."""

    name: str
    payload: Any


class Ended(NamedTuple):
    """A task returned, or raised `error`."""

    name: str
    seconds: float
    error: BaseException | None = None


class Late(NamedTuple):
    """The deadline came first; `earlier` means that the thread of an earlier call still hangs."""

    name: str
    seconds: float
    earlier: bool = False
    at: str = ""  # the path that the thread is at, if that can be told


Event = Handed | Ended | Late


class _Work:
    """One task of one call, from its start to its end."""

    __slots__ = ("abandoned", "began", "thread")

    def __init__(self, began: float) -> None:
        self.began = began
        self.abandoned = False  # its call has given its answer without it
        self.thread: threading.Thread | None = None


def _place(work: _Work) -> str:
    """Where a piece of work is, as far as that can be told."""
    from recall.files.apart import where

    return where(work.thread.ident) if work.thread is not None else ""


class Aside(Generic[T]):
    """One piece of work done beside the sources; while one still runs, no other is begun."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: Piece[T] | None = None
        self._hung = (
            False  # somebody waited for it in vain: whoever comes while it still runs does not wait again
        )

    def begin(self, work: Callable[[], T]) -> Callable[[Deadline, T], T]:
        """Begin it; the returned function waits for what it returns, until the deadline, else gives its second."""
        with self._lock:
            piece = self._running
            if piece is None or piece.over:
                piece = self._running = Piece(work, "aside")
                self._hung = False

        def result(deadline: Deadline, instead: T) -> T:
            if not self._hung and not piece.wait(deadline.remaining()):
                self._hung = True
            if piece.error is not None:
                raise piece.error
            return piece.found[0] if piece.over else instead

        return result


class FanOut:
    """Runs tasks by name; remembers the threads it had to abandon."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._turns: dict[str, threading.Lock] = {}
        self._inside: dict[str, _Work] = {}  # by name: whose turn it is
        self._given_up: set[_Work] = set()  # that still run, and that nobody waits for

    def run(self, tasks: Mapping[str, Task], deadline: Deadline) -> Iterator[Event]:
        """Start every task; yield what they hand in and how they end, Late for whoever did not.

        They start one by one, each as soon as the one before has handed something in or has had a moment. Started at
        once, sources that take milliseconds only take the interpreter from each other: four of them need nearly
        twice as long together as one after the other.
        """
        events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        closed = threading.Event()
        waiting: dict[str, _Work] = {}
        for name in tasks:
            hung = self._hung(name)
            if hung is not None:
                yield Late(name, self._clock() - hung.began, earlier=True, at=_place(hung))
            else:
                waiting[name] = _Work(self._clock())
        unstarted = list(reversed(waiting))
        moment = min(_MOMENT, deadline.remaining() / (2 * len(tasks) or 1))
        latest = ""  # the source that was started last; "" once it has handed something in or had its moment
        until = 0.0
        try:
            while waiting:
                if unstarted and not latest:
                    latest = unstarted.pop()
                    self._start(latest, tasks[latest], waiting[latest], events, closed, deadline)
                    until = self._clock() + moment
                try:
                    left = min(moment, max(0.0, until - self._clock()))
                    event = events.get(timeout=left if unstarted else deadline.remaining())
                except queue.Empty:
                    if unstarted:
                        latest = ""
                        continue
                    break
                if event.name == latest or self._clock() >= until:
                    latest = ""
                if isinstance(event, Ended):
                    del waiting[event.name]
                yield event
                if deadline.expired() and events.empty():
                    break
        finally:
            closed.set()
            for work in waiting.values():
                work.abandoned = True
        for name, work in waiting.items():
            yield Late(name, self._clock() - work.began, at=_place(work))

    def wait(self, name: str, deadline: Deadline) -> bool:
        """Wait for the thread that is inside a provider; whether it has ended by the deadline."""
        with self._lock:
            work = self._inside.get(name)
        if work is None or work.thread is None:
            return True
        work.thread.join(deadline.remaining())
        return not work.thread.is_alive()

    def abandoned(self) -> int:
        """How many threads still run inside a provider that nobody waits for."""
        with self._lock:
            return len(self._given_up) + sum(work.abandoned for work in self._inside.values())

    def give_up(self, name: str) -> bool:
        """Let the thread that hangs in a provider be, so that another object in its place can be asked.

        False if none hangs there, or if too many threads were given up already.
        """
        with self._lock:
            work = self._inside.get(name)
            if work is None or not work.abandoned or len(self._given_up) >= _MOST_GIVEN_UP:
                return False
            del self._inside[name], self._turns[name]
            self._given_up.add(work)
            return True

    def hung_at(self, name: str) -> str:
        """The path at which an abandoned thread hangs in a provider; "" if none does, or it cannot be told."""
        hung = self._hung(name)
        return _place(hung) if hung is not None else ""

    def _hung(self, name: str) -> _Work | None:
        with self._lock:
            work = self._inside.get(name)
            return work if work is not None and work.abandoned else None

    def _start(
        self,
        name: str,
        task: Task,
        work: _Work,
        events: queue.SimpleQueue[Event],
        closed: threading.Event,
        deadline: Deadline,
    ) -> None:
        work.began = self._clock()

        def emit(payload: Any) -> None:
            if closed.is_set():
                raise DeadlineExceeded("the answer has been given")
            events.put(Handed(name, payload))

        def body() -> None:
            error: BaseException | None = None
            turn = self._enter(name, work, closed, deadline)
            if turn is None:
                return  # its call has said Late, or will
            try:
                task(emit)
            except BaseException as raised:  # a plugin's SystemExit and KeyboardInterrupt are its own failure
                error = raised
            finally:
                self._leave(name, work, turn)
            events.put(Ended(name, self._clock() - work.began, error))

        work.thread = threading.Thread(target=body, name=f"recall-{name}", daemon=True)
        work.thread.start()

    def _enter(
        self, name: str, work: _Work, closed: threading.Event, deadline: Deadline
    ) -> threading.Lock | None:
        """Wait for the provider to be free, and take its turn; None if the call is over before it is."""
        with self._lock:
            turn = self._turns.setdefault(name, threading.Lock())
        if not turn.acquire(timeout=deadline.remaining()):
            return None
        if closed.is_set():
            turn.release()
            return None
        with self._lock:
            self._inside[name] = work
        return turn

    def _leave(self, name: str, work: _Work, turn: threading.Lock) -> None:
        with self._lock:
            if self._inside.get(name) is work:  # else it was given up
                del self._inside[name]
            self._given_up.discard(work)
        turn.release()
