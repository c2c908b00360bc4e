"""Who may talk to the HTTP server: whoever holds the token, under a name that is this machine's.

Listening on loopback alone protects from nothing: every process of the machine reaches it, and so does every web
page in a browser on it.
"""

from __future__ import annotations

import hmac
import ipaddress
import logging
import re
import socket
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from mcp.server.transport_security import TransportSecuritySettings

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

_log = logging.getLogger(__name__)

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_REFUSAL = (
    b'{"error": "invalid_token", "error_description": "send the header Authorization: Bearer TOKEN; '
    b'`recall serve --show-token` prints the token"}'
)
_MALFORMED = (
    b'{"error": "invalid_request", '
    b'"error_description": "Host and Origin are NAME or NAME:PORT, each sent once"}'
)
_WRONG_NAME = (
    b'{"error": "invalid_request", "error_description": "Host or Origin is not a name of this server: '
    b'further ones are named in its settings, [server] allowed_hosts"}'
)
_WRONG_NAME_STATUS = (403, 421)  # of Origin, of Host
_ADDRESS = re.compile(rb"(?:[A-Za-z]+://)?(?:\[[^\]@/]+\]|[^:@/\[\]]+)(?::(?P<port>\d{1,5}))?")
_LAST_PORT = 65_535


class TokenGuard:
    """Lets requests with the token through to an ASGI application, and answers all others with 401."""

    def __init__(self, app: App, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One request."""
        # What clients look for to log in by OAuth is not here, which is no secret: 404 tells them so.
        open_to_all = scope["type"] == "lifespan" or scope.get("path", "").startswith("/.well-known/")
        if scope["type"] == "http" and not _well_formed(scope):
            await answer(send, 400, _MALFORMED)
        elif open_to_all or self._knows(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await answer(send, 401, _REFUSAL, (b"www-authenticate", b'Bearer realm="recall"'))
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _knows(self, scope: Message) -> bool:
        given = [value for name, value in scope.get("headers", ()) if name.lower() == b"authorization"]
        scheme, _, token = given[0].partition(b" ") if len(given) == 1 else (b"", b"", b"")
        return scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token)


def _well_formed(scope: Message) -> bool:
    """Whether Host and Origin are there once at most, and are each a name that ends in a port, if in anything.

    The SDK's patterns take whatever follows the colon; it reads the first of several, and takes an empty one for none.
    """
    given = [(name.lower(), value) for name, value in scope.get("headers", ())]
    addresses = [[value for name, value in given if name == wanted] for wanted in (b"host", b"origin")]
    return all(len(values) <= 1 and all(map(_is_address, values)) for values in addresses)


def _is_address(value: bytes) -> bool:
    found = _ADDRESS.fullmatch(value)
    return found is not None and int(found["port"] or 0) <= _LAST_PORT


def explained(app: App) -> App:
    """An application that says how to let a name in which it refuses; the SDK's own words do not."""

    async def explaining(scope: Message, receive: Receive, send: Send) -> None:
        refused = False

        async def told(message: Message) -> None:
            nonlocal refused
            if message["type"] == "http.response.start" and message["status"] in _WRONG_NAME_STATUS:
                refused = True
                _log.warning("a name that is not this server's was refused: see [server] allowed_hosts")
                await answer(send, message["status"], _WRONG_NAME)
            elif not refused:
                await send(message)

        await app(scope, receive, told)

    return explaining


async def answer(send: Send, status: int, body: bytes, *further: tuple[bytes, bytes]) -> None:
    """Answer a request with JSON, and no application's help."""
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *further,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def names(host: str, further: Iterable[str]) -> TransportSecuritySettings:
    """What Host and Origin may say to a server bound to `host`; `further` are names that the settings allow.

    A web page that makes its own name point here keeps that name in both headers.
    """
    known = [*_LOOPBACK, bracketed(host), *further]
    if not is_loopback(host):
        known.append(socket.gethostname())
    ports = ("", ":*")
    return TransportSecuritySettings(
        allowed_hosts=[f"{name}{port}" for name in known for port in ports],
        allowed_origins=[
            f"{scheme}://{name}{port}" for scheme in ("http", "https") for name in known for port in ports
        ],
    )


def reached_at(host: str) -> tuple[str, ...]:
    """Under which of those names clients reach it: of an address that stands for all of them, two that will do."""
    try:
        every = ipaddress.ip_address(host).is_unspecified
    except ValueError:
        every = False
    return (socket.gethostname(), "127.0.0.1" if "." in host else "[::1]") if every else (bracketed(host),)


def bracketed(host: str) -> str:
    """An address as it stands in a URL and in the header Host."""
    return f"[{host}]" if ":" in host else host


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server that is bound to this address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
