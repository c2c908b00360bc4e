"""stdout is data. While a command works, everything else that is printed, by anyone, goes to stderr."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Mapping
from typing import Any, TextIO

from recall.wording import json_visible, plain_lines, visible


class Output:
    """The data stream, taken away from `print`, from plugins and from their child processes.

    File descriptor 1 itself is pointed at stderr, so that a C library or a subprocess cannot write into the
    data either; the real stdout lives on under another number that only this object knows.
    """

    def __init__(self) -> None:
        self._stdout = sys.stdout
        self.is_terminal = self._stdout.isatty()
        self._stream = self._taken_over()
        sys.stdout = sys.stderr

    def write(self, text: str) -> None:
        """Write data, without control characters; what the stream's encoding cannot hold is replaced, never raised."""
        self._send(plain_lines(text))

    def write_text(self, text: str) -> None:
        """Write text for people, with colour where a person sees it."""
        from recall.cli import colour

        text = plain_lines(text)
        self._send(colour.coloured(text) if colour.wanted(self.is_terminal, os.environ) else text)

    def write_document(self, document: Mapping[str, Any]) -> None:
        """Write one JSON document; it stays JSON in every encoding."""
        encoding = (getattr(self._stream, "encoding", None) or "utf-8").lower().replace("_", "-")
        text = json.dumps(document, ensure_ascii=encoding not in ("utf-8", "utf8"), indent=2)
        self._send(json_visible(text) + "\n")

    def write_message(self, document: Mapping[str, Any]) -> None:
        """Write one JSON document as one line of ASCII: the same bytes whatever the locale."""
        self._send(json.dumps(document) + "\n")

    def _send(self, text: str) -> None:
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))

    def flush(self) -> None:
        """Hand everything to the operating system."""
        self._stream.flush()

    def forget(self) -> None:
        """Let the rest go nowhere: its reader has left, and the interpreter would complain while it ends."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self._stream.fileno())
        os.close(null)

    def release(self) -> None:
        """Give stdout back; only for a process that goes on afterwards."""
        self.flush()
        if self._stream is not self._stdout:
            os.dup2(self._stream.fileno(), 1)
            self._stream.close()
        sys.stdout = self._stdout

    def _taken_over(self) -> TextIO:
        try:
            self._stdout.flush()
            if self._stdout.fileno() != 1:
                return self._stdout
            private = os.dup(1)
            os.dup2(2, 1)
        except (OSError, ValueError, io.UnsupportedOperation):
            return self._stdout  # no real file behind it: an embedding program, a test
        encoding = self._stdout.encoding or "utf-8"
        return open(private, "w", encoding=encoding, errors="backslashreplace", newline="\n")


def note(text: str) -> None:
    """One line for the person, on stderr: a name in it may come from a stranger's folder, line ends and all."""
    encoding = sys.stderr.encoding or "utf-8"
    sys.stderr.write(visible(text).encode(encoding, "backslashreplace").decode(encoding) + "\n")
