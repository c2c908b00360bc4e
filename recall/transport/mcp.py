"""An MCP server as plain blocking calls, over stdio or streamable HTTP, each with its own deadline.

Nothing is raised for what a server does: an `Outcome` says what became of the handshake or of a call. The protocol
is the SDK's, imported in the session's own thread while the server starts; the process and its end are ours
(`recall.transport.server_process`). A handshake that takes longer than a caller may wait goes on without it, so that
the next one finds the session open.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from recall import scratch
from recall.api import Deadline
from recall.transport.said import last_line
from recall.wording import why

if TYPE_CHECKING:
    from recall.transport.mcp_wire import Wire

_STARTING = "the server is still starting"
HANDSHAKE = 30.0  # seconds to start and greet; large servers were seen to take twelve on a cold machine
ANSWER_LIMIT = 8 << 20  # bytes of one message


class Kind(StrEnum):
    """What became of a handshake or a call."""

    ANSWERED = "answered"
    NOT_STARTED = "not started"  # no such program, or it may not be run
    UNREACHABLE = "unreachable"  # nobody listens at its url, or there is no such host
    STARTING = "starting"  # the caller's time was over first; the handshake goes on
    SILENT = "silent"  # no greeting in its time
    LATE = "late"  # a call without an answer in time
    ENDED = "ended"  # the server or the connection ended by itself
    JUNK = "junk"  # no greeting, and what it writes is no message
    TOO_LARGE = "too large"
    REFUSED = "refused"  # it answered with an error
    FAILED = "failed"  # everything else


@dataclass(frozen=True, slots=True)
class Stdio:
    """A server that is started: with an absolute program, and the whole of its environment."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    cwd: str = os.sep
    scratch: str = ""  # a folder of its own (`recall.scratch`), removed when it has ended


@dataclass(frozen=True, slots=True)
class Remote:
    """A server that runs already, over streamable HTTP."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)  # holds the proxies


class Tool(NamedTuple):
    """What a server says of one of its tools."""

    name: str
    arguments: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    read_only: bool | None = None  # its own word; None: it says nothing
    destructive: bool | None = None


class Greeting(NamedTuple):
    """What a handshake brought."""

    server: str  # name and version, as it tells them
    protocol: str
    tools: tuple[Tool, ...]


class Result(NamedTuple):
    """What a tool answered."""

    texts: tuple[str, ...]
    structured: Any = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a handshake or a call."""

    kind: Kind
    reason: str = ""  # one line; "" if it was answered
    value: Any = None  # a Greeting, or a Result
    others: int = 0  # parts of a result that are no text

    @property
    def ok(self) -> bool:
        """Whether there is an answer to use."""
        return self.kind is Kind.ANSWERED


class Session:
    """One session with one server: opened at its first use, over at `close` or when the server ends.

    Safe to use from several threads; calls run side by side.
    """

    def __init__(
        self, server: Stdio | Remote, *, handshake: float = HANDSHAKE, limit: int = ANSWER_LIMIT
    ) -> None:
        """handshake: seconds to start and greet; limit: bytes of one message."""
        self._server = server
        self._handshake = handshake
        self._limit = limit
        self._lock = threading.Lock()
        self._greeted: Future[Outcome] = Future()
        self._wire: Wire | None = None
        self._begun = False
        self._closed = False
        self.over = False  # it cannot be used any more

    def ready(self, deadline: Deadline) -> Outcome:
        """Open it, or wait for it to be open; the value is a Greeting."""
        self._begin()
        try:
            return self._greeted.result(deadline.remaining())
        except (TimeoutError, FutureTimeout):
            wire = self._wire
            return wire.starting() if wire is not None else Outcome(Kind.STARTING, _STARTING)

    def call(self, tool: str, arguments: Mapping[str, Any], deadline: Deadline) -> Outcome:
        """Call a tool; the value is a Result."""
        return self.calls([(tool, arguments)], deadline)[0]

    def calls(self, asked: Sequence[tuple[str, Mapping[str, Any]]], deadline: Deadline) -> list[Outcome]:
        """Call several tools side by side, each with the whole of the time."""
        ready = self.ready(deadline)
        if not ready.ok or self._wire is None:
            return [ready for _ in asked]
        wire = self._wire
        begun = [(tool, wire.call(tool, arguments, deadline)) for tool, arguments in asked]
        found = [wire.outcome(tool, call, deadline) for tool, call in begun]
        if any(outcome.kind in (Kind.ENDED, Kind.TOO_LARGE) for outcome in found):
            self.over = True  # its thread is about to find that out
        return found

    def close(self) -> None:
        """End it; returns at once."""
        with self._lock:
            self._closed = self.over = True
            wire = self._wire
        if wire is not None:
            wire.stop()

    def _begin(self) -> None:
        with self._lock:
            if self._begun:
                return
            self._begun = True
        threading.Thread(target=self._run, name="recall-mcp", daemon=True).start()

    def _run(self) -> None:
        try:
            outcome = self._serve()
        except BaseException as error:
            outcome = Outcome(Kind.FAILED, last_line(f"{type(error).__name__}: {error}"))
        self.over = True
        if not self._greeted.done():
            self._greeted.set_result(outcome)

    def _serve(self) -> Outcome:
        """The session from its beginning to its end, on its own thread; says why it ended."""
        process = None
        if isinstance(self._server, Stdio):
            if os.name != "posix":
                return Outcome(Kind.NOT_STARTED, "servers are started on POSIX systems only")
            from recall.transport.server_process import ServerProcess

            server = self._server
            try:  # it starts while the SDK is imported
                process = ServerProcess(server.argv, cwd=server.cwd, env=server.env, scratch=server.scratch)
            except (OSError, ValueError) as error:
                if server.scratch:
                    scratch.remove(server.scratch)
                return Outcome(Kind.NOT_STARTED, last_line(f"{server.argv[0]}: {why(error)}"))
        try:
            from recall.transport.mcp_wire import Wire

            wire = Wire(self._server, process, self._limit)
            with self._lock:
                self._wire = wire
                closed = self._closed
            if closed:
                return Outcome(Kind.ENDED, "the session was closed")
            return wire.run(self._handshake, self._greeted)
        finally:
            self.over = True
            if process is not None:
                process.end()
