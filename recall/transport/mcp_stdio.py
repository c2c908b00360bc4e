"""The streams of a server that was started, as the SDK's client reads and writes them: bounded, junk noted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCResponse, jsonrpc_message_adapter

from recall.transport.process import ERR_LIMIT
from recall.transport.server_process import ServerProcess

_CHUNK = 1 << 16
_MOST_JUNK = 1_000  # lines that are no message, after which it is no server
_MOST_UNASKED = 10_000  # messages to one of ours that answer nothing, after which it is left: each costs time
_SHOWN = 80  # characters of the first of them
_LAST_WORDS = 0.25  # seconds for the rest of stderr, once stdout has ended


class StdioStreams:
    """Messages to and from a server's process; what it says beside them is kept, as far as it helps."""

    def __init__(self, process: ServerProcess, limit: int) -> None:
        """limit: bytes of one message."""
        self._process = process
        self._limit = limit
        self._err = bytearray()
        self._err_over = asyncio.Event()
        self._junk_lines = 0
        self._unasked = 0  # messages that answer nothing, since the last of ours
        self.ended = asyncio.Event()  # its stdout has
        self.junk = ""  # the first line that was no message
        self.junk_since_asked = ""  # the first since the last message of ours
        self.too_large = ""  # why it was left, if it wrote too much
        self.code: int | None = None  # once it is known

    @property
    def stderr(self) -> str:
        """The end of its stderr, as far as it has come."""
        return self._err.decode("utf-8", "replace")

    async def last_words(self) -> None:
        """Wait a moment for the rest of its stderr."""
        try:
            await asyncio.wait_for(self._err_over.wait(), _LAST_WORDS)
        except TimeoutError:
            pass  # something that it started still holds it

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Any]:
        """The two streams of the SDK's client."""
        loop = asyncio.get_running_loop()
        out, err = asyncio.StreamReader(), asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(out), self._process.stdout)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(err), self._process.stderr)
        to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        from_session, to_server = anyio.create_memory_object_stream[SessionMessage](0)
        transport, protocol = await loop.connect_write_pipe(
            asyncio.streams.FlowControlMixin, self._process.stdin
        )
        writer = asyncio.StreamWriter(transport, protocol, None, loop)
        tasks = [
            asyncio.ensure_future(self._read(out, to_session)),
            asyncio.ensure_future(self._listen(err)),
            asyncio.ensure_future(self._write(to_server, writer)),
        ]
        try:
            yield from_server, from_session
        finally:
            for task in tasks:
                task.cancel()
            transport.abort()
            for stream in (to_session, from_server, from_session, to_server):
                stream.close()

    async def _read(self, out: asyncio.StreamReader, to_session: Any) -> None:
        buffer = bytearray()
        try:
            async with to_session:
                while chunk := await out.read(_CHUNK):
                    *lines, rest = chunk.split(b"\n")
                    for line in lines:
                        buffer += line
                        message = self._message(bytes(buffer))
                        buffer.clear()
                        if message is not None:
                            await to_session.send(message)
                        if self._is_too_much(0):
                            return
                    buffer += rest
                    if self._is_too_much(len(buffer)):
                        return
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            pass  # the session is gone
        finally:
            self.ended.set()

    def _message(self, line: bytes) -> SessionMessage | None:
        """A line as a message; None for one that is none, which is noted."""
        for text in (line, _mended(line)) if line.strip() else ():
            try:
                message = jsonrpc_message_adapter.validate_json(text, by_name=False)
            except ValueError:
                continue
            self._unasked += not isinstance(message, JSONRPCResponse | JSONRPCError)
            return SessionMessage(message)
        self._junk_lines += 1
        shown = line.decode("utf-8", "replace").strip()[:_SHOWN] or "an empty line"
        self.junk = self.junk or shown
        self.junk_since_asked = self.junk_since_asked or shown
        return None

    def _is_too_much(self, pending: int) -> bool:
        if pending > self._limit:
            self.too_large = f"writes a message of more than {self._limit:,} bytes"
        elif self._junk_lines > _MOST_JUNK:
            self.too_large = f"writes line after line that is no message, the first: {self.junk!r}"
        elif self._unasked > _MOST_UNASKED:
            self.too_large = f"writes message after message that answers nothing: {self._unasked:,} of them"
        return bool(self.too_large)

    async def _listen(self, err: asyncio.StreamReader) -> None:
        try:
            while chunk := await err.read(_CHUNK):
                self._err += chunk
                del self._err[:-ERR_LIMIT]
        finally:
            self._err_over.set()

    async def _write(self, to_server: Any, writer: asyncio.StreamWriter) -> None:
        try:
            async with to_server:
                async for sent in to_server:
                    self._unasked, self.junk_since_asked = 0, ""
                    text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                    writer.write(text.encode("utf-8", "replace") + b"\n")
                    await writer.drain()
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            pass  # what it does not read it cannot answer: its stdout ends, or the call is late


def _mended(line: bytes) -> str:
    """A line with halves of characters and bytes that are no UTF-8 replaced, as texts cut by the byte have them.

    A line that is no JSON is given back as text, which the reader then refuses.
    """
    text = line.decode("utf-8", "replace")
    try:
        whole = json.dumps(json.loads(text), ensure_ascii=False)
    except (ValueError, RecursionError):
        return text
    return whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
