"""The sessions of HTTP clients: never too many of them, and in each one never two requests under one id.

Clients come and go without a word, and whoever sends an id twice would have one of both answers only: the SDK keeps
the sessions of the one, and hands the answers of the other to whichever request came last.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp_types import INVALID_REQUEST, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, RequestId

from recall.server.guard import App, Message, Receive, Send, answer
from recall.server.ids import CANCELLED, same
from recall.server.messages import Refused

MESSAGE = "recall.message"  # in an ASGI scope: the message that the body is
MOST = 200  # sessions, of about 40 KB each: more than one machine's agents keep
_ASKED = "recall.asked"  # in an ASGI scope: the request that is being answered
_SESSION = b"mcp-session-id"
_TWICE = "a request with this id is still being answered in this session"


class Clients:
    """Lets requests through to the SDK's ASGI application, and has it forget the sessions that are too many."""

    def __init__(self, app: App, path: str, most: int = MOST) -> None:
        """path: where sessions are.

        most: sessions; beyond them the one that was used least recently is ended, unless it is being answered.
        """
        self._app = app
        self._path = path
        self._most = most
        self._open: OrderedDict[bytes, dict[RequestId, _Asked]] = OrderedDict()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One request."""
        session = _header(scope.get("headers", ()), _SESSION)
        if scope.get("path") != self._path:
            await self._app(scope, receive, send)
        elif session in self._open:
            await self._in_session(session, scope, receive, send)
        else:
            unrouted = dict(scope)
            await self._app(scope, receive, self._noting_start(send))
            await self._end_oldest(unrouted)

    async def _in_session(self, session: bytes, scope: Message, receive: Receive, send: Send) -> None:
        self._open.move_to_end(session)
        asked, message = self._open[session], scope.get(MESSAGE)
        if isinstance(message, JSONRPCRequest) and _key(message.id) in asked:
            refused = Refused(INVALID_REQUEST, _TWICE, message.id)
            await answer(send, 400, refused.answer().encode("utf-8", "replace"))
        elif _is_cancellation(message) and not _means_one(message, asked):
            await send({"type": "http.response.start", "status": 202, "headers": []})
            await send({"type": "http.response.body"})
        else:
            with _Asked.of(message, asked) as scope[_ASKED]:
                await self._app(scope, receive, self._noting_end(session, scope["method"], send))

    def _noting_end(self, session: bytes, method: str, send: Send) -> Send:
        """A sender that notes whether an answer says that the session is over."""

        def note(status: int, _headers: Any) -> None:
            if status == 404 or (method == "DELETE" and status < 400):
                self._open.pop(session, None)

        return _noting(send, note)

    def _noting_start(self, send: Send) -> Send:
        """A sender that notes the session which an answer opens."""

        def note(status: int, headers: Any) -> None:
            if status < 400 and (opened := _header(headers, _SESSION)):
                self._open[opened] = {}

        return _noting(send, note)

    async def _end_oldest(self, scope: Message) -> None:
        """End what is too many, as if its client had asked for it."""
        while len(self._open) > self._most:
            *others, _newest = self._open.items()
            session = next((name for name, asked in others if not asked), None)
            if session is None:
                return
            del self._open[session]
            hosts = [pair for pair in scope["headers"] if pair[0] == b"host"]
            ending = {**scope, "method": "DELETE", "headers": [*hosts, (_SESSION, session)]}
            await self._app(ending, _nothing, _nowhere)


class _Asked:
    """A request, from its arrival until both its answer is sent, or its client has left, and the work is done."""

    def __init__(self, name: RequestId, asked: dict[RequestId, _Asked]) -> None:
        self.id = name
        self._among = asked
        self._holders = 0

    @classmethod
    def of(cls, message: JSONRPCMessage | None, asked: dict[RequestId, _Asked]) -> Any:
        """A context for the time in which a message is answered, if it is one that has an answer."""
        if not isinstance(message, JSONRPCRequest):
            return nullcontext()
        made = asked[_key(message.id)] = cls(message.id, asked)
        return made

    def __enter__(self) -> _Asked:
        self._holders += 1
        return self

    def __exit__(self, *_error: object) -> None:
        self._holders -= 1
        if not self._holders and self._among.get(_key(self.id)) is self:
            del self._among[_key(self.id)]


async def while_asked(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware: a request is being answered as long as its work goes on, whether its client is there or not."""
    asked = ctx.request.scope.get(_ASKED) if ctx.request is not None else None
    with asked or nullcontext():
        return await call_next(ctx)


def _key(name: RequestId) -> RequestId:
    """What the SDK takes for one id: a number and its digits."""
    try:
        return int(name)
    except ValueError:
        return name


def _is_cancellation(message: JSONRPCMessage | None) -> bool:
    return isinstance(message, JSONRPCNotification) and message.method == CANCELLED


def _means_one(message: Any, asked: dict[RequestId, _Asked]) -> bool:
    """Whether a cancellation means one of the requests: the SDK would also end one whose id merely reads the same."""
    meant = (message.params or {}).get("requestId")
    return any(same(one.id, meant) for one in asked.values())


def _header(headers: Any, wanted: bytes) -> bytes:
    return next((value for name, value in headers if name.lower() == wanted), b"")


def _noting(send: Send, note: Callable[[int, Any], object]) -> Send:
    """A sender that hands the status and the headers of the answer to `note` first."""

    async def noted(message: Message) -> None:
        if message["type"] == "http.response.start":
            note(message["status"], message.get("headers", ()))
        await send(message)

    return noted


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _nowhere(_message: Message) -> None:
    pass
