"""Serving one client over standard input and output."""

from __future__ import annotations

from typing import Any, cast

import anyio
from mcp.server import MCPServer
from mcp.server.stdio import stdio_server

from recall.server.wire import Wire


def serve(server: MCPServer[None], wire: Wire) -> None:
    """Serve until the client's input ends."""
    anyio.run(_serve, server, wire)


async def _serve(server: MCPServer[None], wire: Wire) -> None:
    lines = cast(Any, wire)  # all that is asked of the two streams is to iterate, to write and to flush
    protocol = server._lowlevel_server  # its own run over stdio takes no streams
    async with stdio_server(lines, lines) as (incoming, outgoing):
        await protocol.run(incoming, outgoing, protocol.create_initialization_options())
