"""One daemon thread a provider, one deadline for all, and a record of what became of each.

Nobody waits past the deadline. A thread that does not end is abandoned: it is a daemon, it is never joined, it
can hand in nothing any more, and its provider is not asked again while it still runs.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from recall.api import Deadline
from recall.errors import DeadlineExceeded

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


Event = Handed | Ended | Late


class FanOut:
    """Runs tasks by name; remembers the threads it had to abandon."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._running: dict[str, tuple[threading.Thread, float]] = {}
        self._lock = threading.Lock()

    def run(self, tasks: Mapping[str, Task], deadline: Deadline) -> Iterator[Event]:
        """Start every task at once; yield what they hand in and how they end, Late for whoever did not."""
        events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        closed = threading.Event()
        waiting: dict[str, float] = {}
        for name, task in tasks.items():
            began = self._clock()
            stuck_since = self._still_running(name)
            if stuck_since is not None:
                yield Late(name, began - stuck_since, earlier=True)
                continue
            waiting[name] = began
            self._start(name, task, events, closed)
        try:
            while waiting:
                try:
                    event = events.get(timeout=deadline.remaining())
                except queue.Empty:
                    break
                if isinstance(event, Ended):
                    del waiting[event.name]
                yield event
                if deadline.expired() and events.empty():
                    break
        finally:
            closed.set()
        for name, began in waiting.items():
            yield Late(name, self._clock() - began)

    def abandoned(self) -> int:
        """How many threads still run that nobody waits for."""
        with self._lock:
            return sum(thread.is_alive() for thread, _began in self._running.values())

    def _still_running(self, name: str) -> float | None:
        with self._lock:
            thread, began = self._running.get(name, (None, 0.0))
            return began if thread is not None and thread.is_alive() else None

    def _start(
        self, name: str, task: Task, events: queue.SimpleQueue[Event], closed: threading.Event
    ) -> None:
        began = self._clock()

        def emit(payload: Any) -> None:
            if closed.is_set():
                raise DeadlineExceeded("the answer has been given")
            events.put(Handed(name, payload))

        def body() -> None:
            error: BaseException | None = None
            try:
                task(emit)
            except (
                BaseException
            ) as raised:  # SystemExit and KeyboardInterrupt of a plugin are its own failure
                error = raised
            events.put(Ended(name, self._clock() - began, error))

        thread = threading.Thread(target=body, name=f"recall-{name}", daemon=True)
        with self._lock:
            self._running[name] = (thread, began)
        thread.start()
