"""Serving over streamable HTTP."""

from __future__ import annotations

import socket
from typing import Any, cast

import uvicorn
from mcp.server import MCPServer

from recall.errors import UsageError
from recall.server.bodies import readable_bodies
from recall.server.guard import App, explained, names, reached_at
from recall.wording import why

PATH = "/mcp"


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


def application(server: MCPServer[None], host: str, allowed_hosts: tuple[str, ...] = ()) -> App:
    """The server as an ASGI application that checks bodies, Host and Origin; `TokenGuard` goes around it."""
    made = server.streamable_http_app(
        streamable_http_path=PATH, transport_security=names(host, allowed_hosts), host=host
    )
    return readable_bodies(explained(cast(App, made)), PATH)


def serve(app: App, listener: socket.socket) -> None:
    """Serve an application on a socket, for ever."""
    # Signals end the process elsewhere: an orderly shutdown would wait for clients that keep a stream open.
    config = uvicorn.Config(
        cast(Any, app), log_config=None, access_log=False, ws="none", lifespan="on", server_header=False
    )
    uvicorn.Server(config).run(sockets=[listener])
