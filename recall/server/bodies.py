"""The bodies of HTTP requests, read before the SDK reads them: what is no message is refused in one line."""

from __future__ import annotations

from typing import Any, cast

from anyio.to_thread import run_sync
from mcp.server.transport_security import RequestBodyLimitMiddleware

from recall.server.clients import MESSAGE
from recall.server.guard import App, Message, Receive, Send, answer
from recall.server.messages import LONGEST, Refused, read, readable

_SOON_READ = 1 << 16  # bytes that are read sooner than a thread is found for them, which holds up nobody


def readable_bodies(app: App, path: str) -> App:
    """An application to which only messages are posted at a path, as text that a strict reader takes.

    The message is in the scope too, as `MESSAGE`. Whoever leaves before the body's end gets no answer; a larger body
    than the SDK takes is its 413.
    """

    async def checked(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] != path:
            await app(scope, receive, send)
            return
        first = await receive()
        if first["type"] != "http.request" or first.get("more_body"):
            return
        body = first["body"]
        message = read(body) if len(body) <= _SOON_READ else await run_sync(read, body)
        if isinstance(message, Refused):
            await answer(send, 400, message.answer().encode("utf-8", "replace"))
            return
        scope[MESSAGE] = message
        first = {**first, "body": readable(body).encode()}
        await app(scope, _after(first, receive), send)

    # The SDK's gathers a body into one part.
    return cast(App, RequestBodyLimitMiddleware(cast(Any, checked), LONGEST))


def _after(first: Message, receive: Receive) -> Receive:
    """A receiver of a message, and then of what else comes."""
    waiting = [first]

    async def following() -> Message:
        return waiting.pop() if waiting else await receive()

    return following
