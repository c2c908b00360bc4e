"""Serving one client over standard input and output."""

from __future__ import annotations

import json

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server import MCPServer
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage

from recall.server.ending import GRACE
from recall.server.ids import Ids
from recall.server.messages import LONGEST, Refused, read
from recall.server.wire import Wire


def serve(server: MCPServer[None], wire: Wire) -> None:
    """Serve until the client's input ends."""
    anyio.run(_serve, server, wire)


async def _serve(server: MCPServer[None], wire: Wire) -> None:
    # Not the SDK's own reader, which drops the lines that it cannot read.
    protocol = server._lowlevel_server
    arriving, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, leaving = anyio.create_memory_object_stream[SessionMessage]()
    client = _Client(wire)
    async with anyio.create_task_group() as group:
        group.start_soon(client.read, arriving)
        group.start_soon(client.write, leaving)
        await protocol.run(incoming, outgoing, protocol.create_initialization_options())


class _Client:
    """The messages of a client, those for it, and which of its requests are not answered yet."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._ids = Ids()
        self._answered = anyio.Event()

    async def read(self, messages: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Hand over what the client sends, until its input ends; what is no message is answered here."""
        async with messages:
            while (message := await self._wire.next(read, LONGEST)) is not None:
                if not isinstance(message, Refused):
                    for one in self._ids.arriving(message):
                        await messages.send(SessionMessage(one))
                elif message.owed:
                    await self._wire.write(message.answer())
            await self._last_answers()

    async def write(self, messages: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Write what the server sends."""
        async with messages:
            async for one in messages:
                if (message := self._ids.leaving(one.message)) is not None:
                    await self._wire.write(_as_json(message))
                if self._ids.left(one.message):
                    self._answered.set()

    async def _last_answers(self) -> None:
        """The SDK drops what is being answered when the input ends; `printf ... | recall serve` wants it."""
        with anyio.move_on_after(GRACE):
            while len(self._ids):
                self._answered = anyio.Event()
                await self._answered.wait()


def _as_json(message: JSONRPCMessage) -> str:
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True)
    except ValueError:  # half of a character, which the wire replaces
        return json.dumps(message.model_dump(by_alias=True, exclude_unset=True), ensure_ascii=False)
