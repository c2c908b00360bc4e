"""One thing that is costly to open, kept open between its uses, and closed once it was idle for a while."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Protocol, TypeVar


class Closing(Protocol):
    """What can be kept."""

    over: bool  # it cannot be used any more

    def close(self) -> None:
        """End it; returns at once."""
        ...


T = TypeVar("T", bound=Closing)


class Warm(Generic[T]):
    """Lends one open thing to one or several users; opens another once it is over."""

    def __init__(
        self, open: Callable[[], T], idle: float, timer: Callable[..., Any] = threading.Timer
    ) -> None:
        """idle: seconds without a user after which it is closed."""
        self._open = open
        self._idle = idle
        self._timer = timer
        self._lock = threading.Lock()
        self._held: T | None = None
        self._users = 0
        self._closing: Any = None

    @contextmanager
    def lent(self) -> Iterator[T]:
        """The open thing, which is not closed for being idle meanwhile."""
        with self._lock:
            self._stop_timer()
            if self._held is None or self._held.over:
                self._held = self._open()
            held = self._held
            self._users += 1
        try:
            yield held
        finally:
            with self._lock:
                self._users -= 1
                if not self._users and self._held is held:
                    self._start_timer()

    def close(self) -> None:
        """Close it; a later use opens another."""
        with self._lock:
            self._stop_timer()
            held, self._held = self._held, None
        if held is not None:
            held.close()

    def _close_idle(self) -> None:
        with self._lock:
            if self._users:
                return
            held, self._held = self._held, None
        if held is not None:
            held.close()

    def _start_timer(self) -> None:
        self._closing = self._timer(self._idle, self._close_idle)
        self._closing.daemon = True
        self._closing.start()

    def _stop_timer(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
