"""Standard input and output, taken away from everybody but the protocol before any plugin is imported.

The SDK diverts them too, but only while it serves, and it gives them back at the end: what a plugin prints while
it is imported, or what still lies in a buffer, would then be on the line. It also waits for a reader that cannot
be interrupted. So the descriptors are moved once, for good, and `stdio.py` reads and writes through this object.

No import of mcp here: it takes a second, and the guard comes first.
"""

from __future__ import annotations

import os
import sys
from typing import BinaryIO

from recall.errors import UsageError
from recall.server.ending import Ending


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

    async def line(self) -> bytes:
        """The client's next line, with its end; empty once the input has ended."""
        from anyio.to_thread import run_sync

        # A failing server waits for no client.
        line = await run_sync(self._input.readline, abandon_on_cancel=True)
        if not line:
            self._ending.soon()
        return line

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
