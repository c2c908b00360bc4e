"""HTTP for the SDK's client: as much of one response as may come into memory, and no more; nothing packed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2

from recall.transport.said import first_line


class Bounded(httpx2.AsyncHTTPTransport):
    """Connections whose responses break off at a limit."""

    def __init__(self, limit: int, **options: Any) -> None:
        """limit: bytes of one response; options: those of the client library's own transport."""
        super().__init__(**options)
        self._limit = limit

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request."""
        request.headers["Accept-Encoding"] = "identity"
        response = await super().handle_async_request(request)
        packed = response.headers.get("content-encoding", "identity")
        if packed != "identity":  # a small answer could become an endless one
            await response.aclose()
            raise httpx2.ReadError(f"answers packed as {first_line(packed)}, which was not asked for")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Counted(response.stream, self._limit)
        return response


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, limit: int) -> None:
        self._stream = stream
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._limit
        async for chunk in self._stream:
            left -= len(chunk)
            if left < 0:
                raise httpx2.ReadError(f"answers with more than {self._limit:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
