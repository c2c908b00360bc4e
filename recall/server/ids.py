"""The ids of one client's requests, exchanged for numbers of our own while they are answered.

The SDK takes 57 and "57" for one id: a cancellation of the one would end the other. Under numbers of ours every
request is a request of its own, whatever a client calls it.
"""

from __future__ import annotations

from itertools import count

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
        number = _answers(message)
        if number is None:
            return message
        return message.model_copy(update={"id": self._asked[number]}) if number in self._asked else None

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
