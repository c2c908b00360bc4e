"""Standard input and output, taken away from everybody but the protocol before any plugin is imported.

The SDK diverts them too, but only while it serves, and it gives them back at the end: what a plugin prints while
it is imported, or what still lies in a buffer, would then be on the line. It also waits for a reader that cannot
be interrupted. So the descriptors are moved once, for good, and `stdio.py` reads and writes through this object.

No import of mcp here: it takes a second, and the guard comes first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import BinaryIO, TypeVar

from recall.errors import UsageError
from recall.server.ending import Ending

T = TypeVar("T")

_SKIPPED = 1 << 16  # bytes of a line that is too long which are held at once


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

    async def next(self, read: Callable[[bytes], T], longest: int) -> T | None:
        """What `read` makes of the client's next line, which has its end; None once the input has ended.

        read: called off the event loop, so that a line which takes long holds up nobody.
        longest: bytes of a line; of a longer one `read` is given the beginning, which is longer, and the end.
        """
        from anyio.to_thread import run_sync

        def body() -> T | None:
            line = self._line(longest)
            return read(line) if line else None

        # A failing server waits for no client.
        found = await run_sync(body, abandon_on_cancel=True)
        if found is None:
            self._ending.soon()
        return found

    def _line(self, longest: int) -> bytes:
        line = self._input.readline(longest + 1)
        if len(line) <= longest or line.endswith(b"\n"):
            return line
        before, last = b"", b""
        while not last.endswith(b"\n") and (chunk := self._input.readline(_SKIPPED)):
            before, last = last, chunk
        return line + before + last

    async def write(self, text: str) -> None:
        """Write a line, whole."""
        from anyio.to_thread import run_sync

        await run_sync(self._write, text.encode("utf-8", "replace") + b"\n")

    def _write(self, data: bytes) -> None:
        try:
            with self._ending.writing:
                self._output.write(data)
                self._output.flush()
        except OSError:
            self._ending.soon()  # nobody reads any more
