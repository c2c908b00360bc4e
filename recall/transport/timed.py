"""HTTP connections of which every single wait ends with the deadline of the request that is under way.

A client's time-outs are counted anew with every byte that comes, so a server that drips would hold it for ever.
This is the only importer of the client library's lower half; `recall.transport.http` imports it at the first request.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Iterator
from typing import Any

import httpcore
import httpx

from recall.api import Deadline


class Transport(httpx.BaseTransport):
    """Connections to one origin; `begin` tells until when the next request may last."""

    def __init__(self, scheme: str, proxy: str | None) -> None:
        """proxy: the url of the one to ask through."""
        self._clock = _Clock()
        context = httpx.create_ssl_context() if scheme == "https" else None
        backend = _Backend(self._clock)
        self._pool: httpcore.ConnectionPool
        if proxy is None:
            self._pool = httpcore.ConnectionPool(ssl_context=context, network_backend=backend)
        else:
            self._pool = httpcore.HTTPProxy(proxy, ssl_context=context, network_backend=backend)

    @property
    def received(self) -> int:
        """Bytes that came since the request began."""
        return self._clock.received

    @property
    def refused(self) -> bool:
        """Whether nobody listens where it would connect to."""
        return self._clock.refused

    def begin(self, deadline: Deadline) -> None:
        """A request begins."""
        self._clock.deadline, self._clock.received, self._clock.refused = deadline, 0, False

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; the body of the response is read from the connection as it is asked for."""
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        asked = httpcore.Request(
            request.method, url, headers=request.headers.raw, content=request.read(), extensions={}
        )
        response = self._pool.handle_request(asked)
        assert isinstance(response.stream, Iterable)
        return httpx.Response(response.status, headers=response.headers, stream=_Body(response.stream))

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()


class _Clock:
    """The request that is under way."""

    def __init__(self) -> None:
        self.deadline = Deadline(0.0)
        self.received = 0
        self.refused = False

    def left(self, error: type[Exception]) -> float:
        """Seconds to wait at most; raises `error` if there are none."""
        seconds = self.deadline.remaining()
        if not seconds:
            raise error("the time is over")
        return seconds


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Iterable[bytes]) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        yield from self._stream

    def close(self) -> None:
        if hasattr(self._stream, "close"):
            self._stream.close()


class _Backend(httpcore.NetworkBackend):
    def __init__(self, clock: _Clock) -> None:
        self._clock = clock
        self._real = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        left = self._clock.left(httpcore.ConnectTimeout)
        try:
            stream = self._real.connect_tcp(host, port, left, local_address, socket_options)
        except httpcore.ConnectError as error:
            self._clock.refused = isinstance(error.__cause__, ConnectionRefusedError)
            raise
        return _Stream(stream, self._clock)


class _Stream(httpcore.NetworkStream):
    def __init__(self, real: httpcore.NetworkStream, clock: _Clock) -> None:
        self._real = real
        self._clock = clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._real.read(max_bytes, self._clock.left(httpcore.ReadTimeout))
        self._clock.received += len(data)
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._real.write(buffer, self._clock.left(httpcore.WriteTimeout))

    def close(self) -> None:
        self._real.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = self._clock.left(httpcore.ConnectTimeout)
        return _Stream(self._real.start_tls(ssl_context, server_hostname, left), self._clock)

    def get_extra_info(self, info: str) -> Any:
        return self._real.get_extra_info(info)
