"""Standard input and output, taken away from everybody but the protocol before any plugin is imported.

The SDK diverts them too, but only while it serves, and it gives them back at the end: what a plugin prints while
it is imported, or what still lies in a buffer, would then be on the line. It also waits for a reader that cannot
be interrupted. So the descriptors are moved once, for good, and the SDK is handed this object instead.

No import of mcp here: it takes a second, and the guard comes first.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from typing import BinaryIO

from recall.errors import UsageError
from recall.server.ending import GRACE, Ending

_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class Wire:
    """The lines of a client, and the lines for it; both are UTF-8, whatever the locale."""

    def __init__(self, ending: Ending) -> None:
        """Take the descriptors: from now on 0 is at its end and 1 is stderr. Raises UsageError."""
        self._ending = ending
        try:
            self._input: BinaryIO = os.fdopen(os.dup(0), "rb")
            self._output: BinaryIO = os.fdopen(os.dup(1), "wb")
        except OSError:
            raise UsageError(
                "standard input or output is closed", "let a client start it, or use --http"
            ) from None
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        try:
            os.dup2(2, 1)
        except OSError:  # there is no stderr
            os.dup2(nowhere, 1)
        os.close(nowhere)
        sys.stdout = sys.stderr
        self._unanswered = 0
        self._answered: Callable[[], None] = lambda: None

    def __aiter__(self) -> Wire:
        return self

    async def __anext__(self) -> str:
        from anyio.to_thread import run_sync

        line = await run_sync(self._input.readline)
        if not line:
            self._ending.soon()
            await self._last_answers()
            raise StopAsyncIteration
        self._unanswered += b'"method"' in line and b'"id"' in line
        return readable(line)

    async def write(self, text: str) -> None:
        """Write a line, whole."""
        from anyio.to_thread import run_sync

        await run_sync(self._write, text.encode("utf-8", "replace"))
        self._unanswered -= '"id"' in text[:40]
        self._answered()

    async def flush(self) -> None:
        """Nothing is ever held back."""

    async def _last_answers(self) -> None:
        """The SDK drops what is being answered when the input ends; `printf ... | recall serve` wants it."""
        from anyio import Event, move_on_after

        with move_on_after(GRACE):
            while self._unanswered > 0:
                answered = Event()
                self._answered = answered.set
                await answered.wait()

    def _write(self, data: bytes) -> None:
        try:
            with self._ending.writing:
                self._output.write(data)
                self._output.flush()
        except OSError:
            self._ending.soon()  # nobody reads any more


def readable(line: bytes) -> str:
    """A line as text that a strict JSON reader takes.

    A client that cuts a text in the middle of an emoji sends half of a character. The SDK drops such a line, and
    the request would never be answered.
    """
    text = line.decode("utf-8", "replace")
    if not _HALF.search(text):
        return text
    try:
        whole = json.dumps(json.loads(text), ensure_ascii=False)
    except (ValueError, RecursionError):
        return text
    return whole.encode("utf-8", "replace").decode("utf-8")
