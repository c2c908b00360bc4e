"""What a client sent, read as one message of the protocol, or refused in one line that says why.

The SDK drops what it cannot read, and takes a request with a wrong id for a notification: whoever sent it over
stdio would wait for ever. Over HTTP it repeats its parser's dump. This room stands before it, for both.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCRequest,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_MARK = "\ufeff"  # some programs begin what they write with a byte-order mark
_DIGITS = 4_000  # Python reads no integer of more than 4,300


class Refused(NamedTuple):
    """Why something is no message: `code` is JSON-RPC's, `id` that of the request where it can be told."""

    code: int
    reason: str
    id: RequestId | None = None
    owed: bool = True  # False: it is a notification or a response, which never gets an answer

    def answer(self) -> str:
        """The error as JSON."""
        kind = "parse error" if self.code == PARSE_ERROR else "invalid request"
        error = ErrorData(code=self.code, message=f"{kind}: {self.reason}")
        made = JSONRPCError(jsonrpc="2.0", id=self.id, error=error)
        return made.model_dump_json(by_alias=True, exclude_unset=True)


def read(data: bytes) -> JSONRPCMessage | Refused:
    """A line or a body as a message."""
    text = readable(data)
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        return _refused(text, error)
    # A request whose id is wrong passes for a notification, and one with an error beside its method for a response.
    return message if isinstance(message, JSONRPCRequest) else _fault(_value(text)) or message


def readable(data: bytes) -> str:
    """Bytes as text that a strict JSON reader takes.

    A client that cuts a text in the middle of an emoji sends half of a character. The SDK refuses all of it, and
    the question would be lost.
    """
    text = data.decode("utf-8", "replace").removeprefix(_MARK)
    if not _HALF.search(text):
        return text
    try:
        whole = json.dumps(json.loads(text), ensure_ascii=False)
    except (ValueError, RecursionError):
        return text
    return whole.encode("utf-8", "replace").decode("utf-8")


def _refused(text: str, error: ValidationError) -> Refused:
    (mistake, *_) = error.errors(include_url=False, include_input=False)
    value = _value(text)
    if mistake["type"] == "json_invalid":
        found = _id(value) if isinstance(value, dict) else None
        return Refused(PARSE_ERROR, str(mistake["ctx"]["error"]), found)
    return _fault(value) or Refused(INVALID_REQUEST, "it is no message of JSON-RPC 2.0")


def _value(text: str) -> Any:
    """The JSON value of a text; None where it cannot be told."""
    try:
        return json.loads(text, parse_int=_integer)
    except (ValueError, RecursionError):
        return None


def _integer(digits: str) -> int | None:
    return int(digits) if len(digits) <= _DIGITS else None


def _id(message: dict[str, Any]) -> RequestId | None:
    """The id of a message, None if it is none that an answer could bear."""
    found = message.get("id")
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def _fault(value: Any) -> Refused | None:
    """What keeps a JSON value from being a message."""
    if isinstance(value, list):
        return Refused(INVALID_REQUEST, "a batch is not served; send its messages one by one")
    if not isinstance(value, dict):
        return Refused(INVALID_REQUEST, "a message is an object")
    method = value.get("method")
    response = "method" not in value and not {"result", "error"}.isdisjoint(value)
    notification = isinstance(method, str) and "id" not in value
    reason = ""
    if value.get("jsonrpc") != "2.0":
        reason = 'jsonrpc must be "2.0"'
    elif "id" in value and _id(value) is None and not (response and value["id"] is None):
        reason = "id must be a string or an integer"
    elif response:
        outcome = value.get("result", value.get("error"))
        reason = "" if isinstance(outcome, dict) else "result and error must be objects"
    elif not isinstance(method, str):
        reason = "method must be a string" if "method" in value else "method is missing"
    elif not isinstance(value.get("params", {}), dict | None):
        reason = "params must be an object"
    elif not {"result", "error"}.isdisjoint(value):
        reason = "a request has neither result nor error"
    owed = not (response or notification)
    return Refused(INVALID_REQUEST, reason, _id(value), owed) if reason else None
