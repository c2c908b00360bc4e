"""The server under test: in memory with a client of the SDK, and as a process of its own with bare pipes."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
from mcp.client import Client
from mcp.server import MCPServer
from mcp_types import CallToolResult

from recall.engine import Engine
from recall.server import app
from recall.server.sessions import Sessions
from recall.settings import ServerSettings
from support.worlds import make_engine, process_env

T = TypeVar("T")
_PATIENCE = (
    30.0  # seconds after which a process counts as one that never ends; no call in a test has them all
)
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}


def sessions_over(folder: Path, providers: Sequence[Any]) -> Sessions:
    """Sessions of which every project has the same providers, with its index below `folder`."""
    project = folder / "shop-api"
    project.mkdir(parents=True, exist_ok=True)
    return Sessions(lambda _path: make_engine(folder, providers), project, folder / "home")


def server_over(folder: Path, providers: Sequence[Any], **settings: Any) -> MCPServer[None]:
    """A server over the given provider objects."""
    return app.build(sessions_over(folder, providers), ServerSettings(**settings))


def with_client(server: MCPServer[None], talk: Callable[[Client], Awaitable[T]], mode: str = "auto") -> T:
    """What a conversation with a server comes to."""

    async def main() -> T:
        async with Client(server, mode=mode) as client:
            return await talk(client)

    return anyio.run(main)


def called(server: MCPServer[None], tool: str, **arguments: Any) -> CallToolResult:
    """The result of one tool call."""

    async def talk(client: Client) -> CallToolResult:
        return await client.call_tool(tool, arguments)

    return with_client(server, talk)


def document(result: CallToolResult) -> dict[str, Any]:
    """The structured part of a result that is no error."""
    assert not result.is_error, text(result)
    assert isinstance(result.structured_content, dict)
    return dict(result.structured_content)


def text(result: CallToolResult) -> str:
    """The text part of a result."""
    (content,) = result.content
    assert content.type == "text"
    return content.text


def complaint(result: CallToolResult) -> str:
    """The words of a tool error."""
    assert result.is_error
    return text(result)


def engines_of(sessions: Sessions) -> list[Engine]:
    """The engines that sessions hold."""
    return [session.started.result(_PATIENCE) for session in sessions._sessions.values()]


class Served:
    """`recall serve` as a process; every read is bounded, every line of stdout is kept."""

    def __init__(
        self, home: Path, project: Path, env: Mapping[str, str] | None, arguments: Sequence[str]
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "recall", "serve", *arguments],
            cwd=project,
            env=process_env(home, env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: list[bytes] = []
        self.errors: list[bytes] = []
        self._arrived: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._readers = [
            threading.Thread(target=self._read, args=pair, daemon=True)
            for pair in ((self.process.stdout, self.lines), (self.process.stderr, self.errors))
        ]
        for reader in self._readers:
            reader.start()
        self._number = 0

    def greet(self) -> Any:
        """The handshake; returns the server's part of it."""
        hello = self.ask("initialize", HELLO)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return hello

    def ask(self, method: str, parameters: Mapping[str, Any]) -> Any:
        """Send a request and wait for its result."""
        return self.answer_to(self.request(method, parameters))["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool and wait for its result."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def request(self, method: str, parameters: Mapping[str, Any]) -> int:
        """Send a request; returns its number."""
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        return self._number

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message."""
        self.send_bytes(json.dumps(message, ensure_ascii=False).encode() + b"\n")

    def send_bytes(self, data: bytes) -> None:
        """Send whatever."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def answer_to(self, number: int) -> Any:
        """Wait for the answer to a request."""
        return self.answers_to(number)[0]

    def answers_to(self, *numbers: int | str) -> list[Any]:
        """Wait for the answers to some requests, in whatever order they come."""
        found: dict[int | str, Any] = {}
        while len(found) < len(numbers):
            message = json.loads(self._arrived.get(timeout=_PATIENCE))
            if message.get("id") in numbers:
                found[message["id"]] = message
        return [found[number] for number in numbers]

    def end_of_input(self) -> None:
        """Close the server's stdin."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def ended(self) -> int:
        """Wait for the end; returns the exit code. All output has been read then."""
        code = self.process.wait(_PATIENCE)
        for reader in self._readers:
            reader.join(_PATIENCE)
        return code

    def said(self) -> str:
        """What came on stderr."""
        return b"".join(self.errors).decode("utf-8", "replace")

    def _read(self, stream: Any, kept: list[bytes]) -> None:
        for line in stream:
            kept.append(line)
            if kept is self.lines:
                self._arrived.put(line)


@contextmanager
def served(
    home: Path, project: Path, env: Mapping[str, str] | None = None, arguments: Sequence[str] = ()
) -> Iterator[Served]:
    """A server process that is gone afterwards, whatever happens."""
    server = Served(home, project, env, arguments)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait(_PATIENCE)


def plugin_path(folder: Path) -> dict[str, str]:
    """The environment in which a child finds the distributions in a folder beside what is on the path."""
    return {"PYTHONPATH": os.pathsep.join([os.fspath(folder), os.environ.get("PYTHONPATH", "")])}
