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
LONGEST = 4 << 20  # bytes of a message: what the SDK takes over HTTP
_MOST_VALUES = 20_000  # of a message: each costs a parser much more than the bytes it is sent as
_MOST_TEXTS = 2 * _MOST_VALUES  # of so many values, each under a name
_STRUCTURE = (
    b",",
    b"]",
    b"}",
)  # a value is followed by one of them, and a parser gives up on depth by itself
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)  # one without an end reaches to that of the data
# Where programs write a request's id: after its jsonrpc and method, or last of all.
_ID = rb'"id"\s*+:\s*+(?P<id>-?\d{1,18}+|"[^"\\]{0,200}+")\s*+'
_FIRST_ID = re.compile(
    rb'\s*+\{\s*+(?:"(?:jsonrpc|method)"\s*+:\s*+"[^"\\]{0,200}+"\s*+,\s*+)*+' + _ID + rb"[,}]"
)
_LAST_ID = re.compile(rb"[,{]\s*+" + _ID + rb"\}\s*+\Z")
_END = 500  # bytes at the end of a message in which its id may lie


class Refused(NamedTuple):
    """Why something is no message: `code` is JSON-RPC's, `id` that of the request where it can be told."""

    code: int
    reason: str
    id: RequestId | None = None
    owed: bool = True  # False: it is a notification or a response, which never gets an answer

    def answer(self) -> str:
        """The error as JSON; without an id if none is owed, which is how HTTP may say why it refused something."""
        kind = "parse error" if self.code == PARSE_ERROR else "invalid request"
        error = ErrorData(code=self.code, message=f"{kind}: {self.reason}")
        if not self.owed:
            return json.dumps({"jsonrpc": "2.0", "error": {"code": error.code, "message": error.message}})
        made = JSONRPCError(jsonrpc="2.0", id=self.id, error=error)
        return made.model_dump_json(by_alias=True, exclude_unset=True)


def read(data: bytes) -> JSONRPCMessage | Refused:
    """A line or a body as a message; of a longer one than is taken, its beginning and its end are enough."""
    if reason := _too_much(data):
        return Refused(INVALID_REQUEST, reason, _id_in(data))
    text = readable(data)
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as error:
        return _refused(text, error)
    # A request whose id is wrong passes for a notification, and one with an error beside its method for a response.
    return message if isinstance(message, JSONRPCRequest) else _fault(_value(text)) or message


def _too_much(data: bytes) -> str:
    """Why a message is not even parsed, or "". A parser keeps every other thread waiting."""
    if len(data) > LONGEST:
        return f"a message has at most {LONGEST:,} bytes"
    if _values(data) <= _MOST_VALUES:
        return ""
    without_texts, texts = _STRING.subn(b"", data, count=_MOST_TEXTS + 1)
    if texts > _MOST_TEXTS or _values(without_texts) > _MOST_VALUES:
        return f"a message has at most {_MOST_VALUES:,} values"
    return ""


def _values(data: bytes) -> int:
    return sum(map(data.count, _STRUCTURE))


def _id_in(data: bytes) -> RequestId | None:
    """The id of a request that is not parsed, where it lies in one of the usual places."""
    if b'"method"' not in data:  # a response has an id too, which is not its sender's
        return None
    found = _FIRST_ID.match(data) or _LAST_ID.search(data, max(0, len(data) - _END))
    value = _value(found["id"].decode("utf-8", "replace")) if found else None
    return value if isinstance(value, str | int) else None


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
    return _fault(value) or Refused(
        INVALID_REQUEST, "it is no message of JSON-RPC 2.0", owed="method" in value
    )


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
