"""The ids of one client's requests, exchanged for numbers of our own while they are answered.

The SDK takes 57 and "57" for one id: a cancellation of the one would end the other. Under numbers of ours every
request is a request of its own, whatever a client calls it.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp_types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

CANCELLED = "notifications/cancelled"


class Ids:
    """Which requests are not answered yet, and what their client calls them."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._asked: dict[int, RequestId] = {}

    def __len__(self) -> int:
        """How many requests are not answered yet."""
        return len(self._asked)

    def arriving(self, message: JSONRPCMessage) -> list[JSONRPCMessage]:
        """A client's message as the SDK is to see it: none if it cancels nothing, several if it cancels several."""
        if isinstance(message, JSONRPCRequest):
            number = next(self._numbers)
            self._asked[number] = message.id
            return [message.model_copy(update={"id": number})]
        if not isinstance(message, JSONRPCNotification) or message.method != CANCELLED:
            return [message]
        params = message.params or {}
        meant = [number for number, found in self._asked.items() if same(found, params.get("requestId"))]
        for number in meant:
            del self._asked[number]  # what is cancelled is never answered
        return [message.model_copy(update={"params": {**params, "requestId": number}}) for number in meant]

    def leaving(self, message: JSONRPCMessage) -> JSONRPCMessage | None:
        """A message of the SDK as the client is to see it; None if it is the answer to what was cancelled."""
        if isinstance(message, JSONRPCNotification):
            named = self._named(message.params)
            return message if named is message.params else message.model_copy(update={"params": named})
        number = _answers(message)
        if number is None:
            return message
        if number not in self._asked:
            return None
        changed: dict[str, Any] = {"id": self._asked[number]}
        if isinstance(message, JSONRPCResponse):
            changed["result"] = self._named(message.result)
        return message.model_copy(update=changed)

    def _named(self, content: dict[str, Any] | None) -> dict[str, Any] | None:
        """With the client's own id for the request that subscribed: what it is told says by which it was asked."""
        meta = (content or {}).get("_meta")
        if content is None or not isinstance(meta, dict):
            return content
        number = meta.get(SUBSCRIPTION_ID_META_KEY)
        if not isinstance(number, int) or number not in self._asked:
            return content
        return {**content, "_meta": {**meta, SUBSCRIPTION_ID_META_KEY: self._asked[number]}}

    def left(self, message: JSONRPCMessage) -> bool:
        """Note that a message of the SDK is with the client; returns whether that answered a request."""
        number = _answers(message)
        return number is not None and self._asked.pop(number, None) is not None


def _answers(message: JSONRPCMessage) -> int | None:
    """The number of the request that a message answers."""
    if not isinstance(message, JSONRPCResponse | JSONRPCError):
        return None
    return message.id if isinstance(message.id, int) else None


def same(one: object, other: object) -> bool:
    """Whether two ids are one: 57 is not "57", nor is 1 True."""
    return type(one) is type(other) and one == other
