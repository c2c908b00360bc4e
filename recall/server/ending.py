"""Ending at once: signals and the end of input, whatever hangs.

The server runs in a thread, so that the main one is free to be woken; and it is left, not joined: a provider that
hangs would hold an orderly exit for ever.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import NoReturn

GRACE = 0.2  # seconds for the answers that are on their way when the input ends
_OVER = b"\0"  # no signal's number


class Ending:
    """Runs a server until it ends, its client leaves, or a signal comes."""

    def __init__(self) -> None:
        self.writing = threading.Lock()  # held while a line is written: it is never left torn
        self._writer = -1
        self._gone = False  # the client
        self._ended = threading.Event()
        self._code = 0

    def soon(self) -> None:
        """Say that the client is gone."""
        self._gone = True
        try:
            os.write(self._writer, _OVER)
        except OSError:
            pass  # it has been said many times already

    def run(self, serve: Callable[[], None]) -> NoReturn:
        """Run the server, and end the process with 0, with 1 if the server failed, with 128 + a signal's number."""
        # A pipe and not a lock: a signal may be handed to any thread, and a lock would not be woken by it.
        reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), lambda _number, _frame: None)
        signal.set_wakeup_fd(self._writer)
        threading.Thread(target=self._body, args=(serve,), name="recall-serve", daemon=True).start()
        number = os.read(reader, 1)[0]
        if number:
            self._leave(128 + number)
        self._ended.wait(GRACE + 0.1)
        self._leave(self._code)

    def _body(self, serve: Callable[[], None]) -> None:
        try:
            serve()
        except BaseException as error:
            if not self._gone:
                self._code = 1
                sys.stderr.write(f"recall: the server failed: {type(error).__name__}: {error}\n")
        finally:
            self._ended.set()
            self.soon()

    def _leave(self, code: int) -> NoReturn:
        self.writing.acquire(timeout=0.1)
        os._exit(code)
