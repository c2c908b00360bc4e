"""One piece of work in a thread of its own, which nobody waits for longer than it may take.

The thread is a daemon and is never joined: what never ends holds up neither the caller nor the process's end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Piece(Generic[T]):
    """A piece of work, begun; and what came of it, once it is over."""

    def __init__(self, work: Callable[[], T], name: str) -> None:
        self._over = threading.Event()
        self.found: list[T] = []  # what it returned, if it did
        self.error: BaseException | None = None  # what it raised, a SystemExit too
        self._work = work
        self.thread = threading.Thread(target=self._run, name=f"recall-{name}", daemon=True)
        self.thread.start()

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self._over.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for it, at most so long; whether it has ended."""
        return self._over.wait(seconds)

    def _run(self) -> None:
        try:
            self.found.append(self._work())
        except BaseException as error:
            self.error = error
        finally:
            self._over.set()
