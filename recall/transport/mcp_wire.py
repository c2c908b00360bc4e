"""A session's own thread: the SDK's client in an event loop, over streams that are ours.

The only importer of the SDK below the server; `recall.transport.mcp` imports it when a session is opened.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, Implementation, TextContent

from recall.api import Deadline
from recall.transport.http import proxy_for
from recall.transport.mcp import Greeting, Kind, Outcome, Remote, Result, Stdio, Tool
from recall.transport.mcp_stdio import StdioStreams
from recall.transport.said import first_line, last_line
from recall.transport.server_process import ServerProcess
from recall.version import version

_MOST_PAGES = 20  # of a listing of tools
_NOT_CONNECTED = ("ConnectError", "ConnectTimeout", "ProxyError")  # of the SDK's own client library
_OTHER_FORM = "ValidationError"  # of the SDK's own models
_NO_MESSAGE = "; its stdout holds what is no message: "
_LEAST = 0.001  # seconds
_HTTP_WAIT = 30.0  # seconds that a connection may be silent; calls have deadlines of their own
_LAST_MOMENT = 1.0  # seconds for what is cancelled to end
_EXIT_CODE = 0.25  # seconds to learn the exit code of a server whose streams have ended


class Wire:
    """One session with a server. `run` lasts as long as it; everything else comes from other threads."""

    def __init__(self, server: Stdio | Remote, process: ServerProcess | None, limit: int) -> None:
        self._server = server
        self._process = process
        self._limit = limit
        self._streams = StdioStreams(process, limit) if process is not None else None
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._client: Client | None = None
        self._task: asyncio.Task[Outcome] | None = None
        self._lock = threading.Lock()
        self._over = False  # no call is begun any more
        self._code_was_asked = False

    def run(self, handshake: float, greeted: Future[Outcome]) -> Outcome:
        """Open the session, tell so by `greeted`, and keep it until it is stopped or ends; returns why it ended."""
        # Its complaints are told as outcomes, and not on anybody's stderr.
        for name in ("mcp.client", "mcp.shared", "client"):  # the last is the name of its session's
            logger = logging.getLogger(name)
            logger.propagate = False
            if not logger.handlers:  # without any, Python prints warnings itself
                logger.addHandler(logging.NullHandler())
        try:
            self._task = self._loop.create_task(self._session(handshake, greeted))
            return self._loop.run_until_complete(self._task)
        finally:
            with self._lock:
                self._over = True
            self._loop.run_until_complete(self._cancel_calls())
            self._loop.close()

    def stop(self) -> None:
        """End the session."""
        try:
            self._loop.call_soon_threadsafe(self._stop)
        except RuntimeError:
            pass  # it has ended

    def _stop(self) -> None:
        self._stopping.set()
        if self._client is None and self._task is not None:
            self._task.cancel()  # a handshake may last longer than anybody wants to wait

    def call(self, tool: str, arguments: Mapping[str, Any], deadline: Deadline) -> Future[Outcome]:
        """Begin to call a tool."""
        with self._lock:
            if not self._over:
                return asyncio.run_coroutine_threadsafe(
                    self._call(tool, dict(arguments), deadline), self._loop
                )
        over: Future[Outcome] = Future()
        over.set_result(self._ended("before it was asked"))
        return over

    def starting(self) -> Outcome:
        """Why there is no greeting yet, as far as it can be told."""
        return self._late("the server is still starting", Kind.STARTING)

    def outcome(self, tool: str, call: Future[Outcome], deadline: Deadline) -> Outcome:
        """What became of a call, at the deadline at the latest."""
        try:
            return call.result(deadline.remaining())
        except TimeoutError:
            call.cancel()
            return self._late(f"{tool} did not answer in time", Kind.LATE)
        except BaseException:  # the loop ended under it
            return self._ended(f"while {tool} was asked")

    async def _session(self, handshake: float, greeted: Future[Outcome]) -> Outcome:
        try:
            async with asyncio.timeout(handshake) as limit:
                about = Implementation(name="recall", version=version())
                async with Client(self._transport(), mode="legacy", client_info=about) as client:
                    greeting = await _greeting(client)
                    limit.reschedule(None)
                    self._client = client
                    greeted.set_result(Outcome(Kind.ANSWERED, value=greeting))
                    await self._until_over()
                    self._client = None
            return self._ended("")
        except asyncio.CancelledError:
            return Outcome(Kind.ENDED, "the session was closed")
        except TimeoutError:
            return self._late(f"no greeting within {handshake:g} s", Kind.SILENT)
        except Exception as error:
            return await self._failed(error, "before it greeted")

    async def _until_over(self) -> None:
        """Until somebody stops it, or the server's stdout has ended."""
        waiting = [asyncio.ensure_future(self._stopping.wait())]
        if self._streams is not None:
            waiting.append(asyncio.ensure_future(self._streams.ended.wait()))
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for one in waiting:
            one.cancel()

    async def _call(self, tool: str, arguments: dict[str, Any], deadline: Deadline) -> Outcome:
        client = self._client
        if client is None:
            return self._ended("before it was asked")
        try:
            async with asyncio.timeout(max(_LEAST, deadline.remaining())):
                answer = await client.call_tool(tool, arguments)
        except TimeoutError:
            return self._late(f"{tool} did not answer in time", Kind.LATE)
        except asyncio.CancelledError:  # nobody waits for it any more, or the session is over
            if self._over:
                return self._ended(f"while {tool} was asked")
            return self._late(f"{tool} did not answer in time", Kind.LATE)
        except Exception as error:
            return await self._failed(error, f"while {tool} was asked")
        return _answered(tool, answer)

    async def _failed(self, error: Exception, when: str) -> Outcome:
        streams = self._streams
        if streams is not None and streams.too_large:
            return Outcome(Kind.TOO_LARGE, streams.too_large)
        if streams is not None and streams.ended.is_set():
            await streams.last_words()
            return self._ended(when)
        cause = _first(error)
        if isinstance(self._server, Remote) and type(cause).__name__ in _NOT_CONNECTED:
            return Outcome(Kind.UNREACHABLE, f"nobody can be reached at {_shown(self._server.url)}")
        if isinstance(cause, MCPError):
            return Outcome(Kind.REFUSED, last_line(f"it refuses: {cause.error.message}"))
        if type(cause).__name__ == _OTHER_FORM:
            said = first_line(" ".join(str(cause).split("\n")[:3]))
            return Outcome(Kind.FAILED, f"it answers otherwise than the protocol says: {said}")
        return Outcome(Kind.FAILED, last_line(f"{type(cause).__name__}: {cause}"))

    def _ended(self, when: str) -> Outcome:
        """The server ended by itself; with its exit code and the last line of its stderr."""
        streams, process = self._streams, self._process
        if streams is None or process is None:
            return Outcome(Kind.ENDED, f"the connection ended {when}".strip())
        if streams.too_large:
            return Outcome(Kind.TOO_LARGE, streams.too_large)
        if not self._code_was_asked:  # it may wait, and so it waits once
            self._code_was_asked = True
            streams.code = process.code(_EXIT_CODE)
        code = streams.code
        coded = f" (exit code {code})" if code is not None else ""
        said = last_line(streams.stderr) or (
            f"it wrote {streams.junk!r}" if streams.junk else "it said nothing"
        )
        return Outcome(Kind.ENDED, f"the server ended {when}".strip() + f"{coded}: {said}")

    def _late(self, what: str, kind: Kind) -> Outcome:
        streams = self._streams
        if streams is None:
            return Outcome(kind, what)
        if streams.junk and kind is Kind.SILENT:
            return Outcome(Kind.JUNK, f"{what}{_NO_MESSAGE}{streams.junk!r}")
        if streams.junk and (kind is Kind.STARTING or streams.junk_since_asked):
            return Outcome(kind, f"{what}{_NO_MESSAGE}{(streams.junk_since_asked or streams.junk)!r}")
        said = last_line(streams.stderr)
        return Outcome(kind, f"{what}{f'; the last it said: {said}' if said else ''}")

    def _transport(self) -> AbstractAsyncContextManager[Any]:
        if self._streams is not None:
            return self._streams.open()
        assert isinstance(self._server, Remote)
        return _http(self._server, self._limit)

    async def _cancel_calls(self) -> None:
        """End the calls that were begun, those too that the loop has not seen yet."""
        await asyncio.sleep(0)
        pending = asyncio.all_tasks() - {asyncio.current_task()}
        for task in pending:
            task.cancel()
        if pending:
            await asyncio.wait(pending, timeout=_LAST_MOMENT)


@asynccontextmanager
async def _http(server: Remote, limit: int) -> AsyncIterator[Any]:
    """The SDK's streams over HTTP: no proxy for this machine, nothing off the origin (the SDK's own rule)."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    from recall.transport.mcp_http import Bounded

    url = httpx2.URL(server.url)
    proxy = proxy_for(url.scheme, url.host, server.env)
    transport = Bounded(limit, verify=url.scheme == "https", proxy=proxy)
    headers = dict(server.headers)
    client = httpx2.AsyncClient(headers=headers, timeout=_HTTP_WAIT, trust_env=False, transport=transport)
    streams = streamable_http_client(server.url, http_client=client, max_sse_event_size=limit)
    async with client, streams as both:
        yield both


async def _greeting(client: Client) -> Greeting:
    tools: list[Tool] = []
    cursor = None
    for _ in range(_MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += [_tool(tool) for tool in page.tools]
        cursor = page.next_cursor
        if not cursor:
            break
    info = client.server_info
    name = last_line(f"{info.name} {info.version}") if info is not None else ""
    return Greeting(name, client.protocol_version, tuple(tools))


def _tool(tool: Any) -> Tool:
    schema, told = tool.input_schema or {}, tool.annotations
    properties, required = schema.get("properties"), schema.get("required")
    return Tool(
        tool.name,
        tuple(properties) if isinstance(properties, dict) else (),
        tuple(map(str, required)) if isinstance(required, list) else (),
        told.read_only_hint if told is not None else None,
        told.destructive_hint if told is not None else None,
    )


def _answered(tool: str, answer: CallToolResult) -> Outcome:
    texts = tuple(block.text for block in answer.content if isinstance(block, TextContent))
    if answer.is_error:
        said = first_line("\n".join(texts)) or "an error without words"
        return Outcome(Kind.REFUSED, f"{tool}: {said}")
    others = len(answer.content) - len(texts)
    return Outcome(Kind.ANSWERED, value=Result(texts, answer.structured_content), others=others)


def _shown(url: str) -> str:
    """A url without what may be secret in it."""
    scheme, _, rest = url.partition("://")
    return first_line(f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}")


def _first(error: BaseException) -> BaseException:
    """The first error of a group, which is what went wrong."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
