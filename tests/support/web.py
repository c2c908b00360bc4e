"""The HTTP server's application under test, without a process or a socket: its sessions and their requests."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx2
from mcp.server import MCPServer

from recall.server import http
from support.serving import HELLO

JSON = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
_MODERN = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": _MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Reply(NamedTuple):
    """What came back."""

    status: int
    message: Any  # the response of the protocol; None without one
    session: str = ""


class Web:
    """Requests to an application."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self._client = client

    async def open(self) -> str:
        """Begin a session; returns its id."""
        hello = await self.post("", {"id": "hello", "method": "initialize", "params": HELLO})
        await self.post(hello.session, {"method": "notifications/initialized"})
        return hello.session

    async def post(self, session: str, message: dict[str, Any], **headers: str) -> Reply:
        """Send a message; jsonrpc is added."""
        if session:
            headers["mcp-session-id"] = session
        body = json.dumps({"jsonrpc": "2.0", **message})
        answer = await self._client.post("/mcp", content=body, headers={**JSON, **headers})
        lines = [line for line in answer.text.splitlines() if line.startswith("data: {")]
        text = lines[-1].removeprefix("data: ") if lines else answer.text
        found = json.loads(text) if text.startswith("{") else None
        return Reply(answer.status_code, found, answer.headers.get("mcp-session-id", ""))

    async def call(self, session: str, tool: str, name: int | str = 1, **arguments: Any) -> Reply:
        """Call a tool in a session, in a request of the given id."""
        params = {"name": tool, "arguments": arguments}
        return await self.post(session, {"id": name, "method": "tools/call", "params": params})

    async def call_without_session(self, tool: str, **arguments: Any) -> Reply:
        """Call a tool as clients do since 2026-07-28: each request stands by itself."""
        params = {"name": tool, "arguments": arguments, "_meta": _META}
        headers = {"mcp-protocol-version": _MODERN, "mcp-method": "tools/call", "mcp-name": tool}
        return await self.post("", {"id": 1, "method": "tools/call", "params": params}, **headers)

    async def alive(self, session: str) -> bool:
        """Whether a session is known; asking is using it."""
        return (await self.post(session, {"id": "alive", "method": "ping"})).status == 200

    async def end(self, session: str) -> int:
        """End a session; returns the status."""
        answer = await self._client.delete("/mcp", headers={**JSON, "mcp-session-id": session})
        return answer.status_code

    async def elsewhere(self, session: str, method: str, path: str) -> int:
        """Ask for another path in the name of a session; returns the status."""
        answer = await self._client.request(method, path, headers={**JSON, "mcp-session-id": session})
        return answer.status_code


@asynccontextmanager
async def web(server: MCPServer[None], **limits: Any) -> AsyncIterator[Web]:
    """The application of a server, in its lifespan."""
    application = http.application(server, "127.0.0.1", **limits)
    transport = httpx2.ASGITransport(application)  # type: ignore[arg-type]
    async with (
        server.session_manager.run(),
        httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client,
    ):
        yield Web(client)
