"""Serving over streamable HTTP."""

from __future__ import annotations

import socket
from typing import Any, cast

import uvicorn
from mcp.server import MCPServer
from uvicorn.protocols.http.h11_impl import H11Protocol

from recall.errors import UsageError
from recall.server.bodies import readable_bodies
from recall.server.clients import MOST, Clients
from recall.server.guard import App, explained, names, reached_at
from recall.wording import why

PATH = "/mcp"
IDLE = 1_800.0  # seconds after which a session that nobody used is forgotten


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to an address, 0 meaning any free port; raises UsageError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError, TypeError, ValueError) as error:  # the last two of names that are none
        reason = why(error).partition(" (while attempting")[0]  # the address stands there again
        raise UsageError(
            f"cannot listen on {host}:{port}: {reason}", "choose another --port or --host"
        ) from None


def urls(listener: socket.socket) -> list[str]:
    """Where clients reach a socket."""
    host, port = listener.getsockname()[:2]
    return [f"http://{name}:{port}{PATH}" for name in reached_at(host)]


def application(
    server: MCPServer[None], host: str, allowed_hosts: tuple[str, ...] = (), most: int = MOST
) -> App:
    """The server as an ASGI application that checks bodies, Host and Origin; `TokenGuard` goes around it.

    most: sessions that are kept, and twice as many at the worst, when all of them are being answered.
    """
    made = server.streamable_http_app(
        streamable_http_path=PATH,
        transport_security=names(host, allowed_hosts),
        host=host,
        session_idle_timeout=IDLE,
        max_sessions=2 * most,
    )
    return readable_bodies(Clients(explained(cast(App, made)), PATH, most), PATH)


class _HalfClosing(H11Protocol):
    """A connection whose client may say that it is done before it has its answer.

    Without, uvicorn takes the end of what a client sends for the client's leaving, and drops the answer.
    """

    _said_all = False

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """Stay, if a whole request is being answered; a stream that a client listens to ends with its interest."""
        cycle = self.cycle
        answering = cycle is not None and not cycle.more_body and not cycle.response_complete
        self._said_all = answering and self.scope["method"] == "POST"
        return self._said_all

    def on_response_complete(self) -> None:
        """Go on with what the client had sent before, or close."""
        super().on_response_complete()
        if self._said_all and self.cycle.response_complete:
            self.transport.close()


def serve(app: App, listener: socket.socket) -> None:
    """Serve an application on a socket, for ever."""
    # Signals end the process elsewhere: an orderly shutdown would wait for clients that keep a stream open.
    config = uvicorn.Config(
        cast(Any, app),
        http=_HalfClosing,
        log_config=None,
        access_log=False,
        ws="none",
        lifespan="on",
        server_header=False,
    )
    uvicorn.Server(config).run(sockets=[listener])
