"""What a client sends: text that a strict reader takes, a message, or a refusal that says why."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from recall.server.messages import Refused, read, readable


def test_a_line_is_utf_8_whatever_else_is_in_it() -> None:
    assert readable("결제 🙂\n".encode()) == "결제 🙂\n"
    assert readable(b'{"query": "\xff"}') == '{"query": "\ufffd"}'


def test_half_a_character_does_not_cost_the_line() -> None:
    assert json.loads(readable(rb'{"id": 1, "query": "cut \ud83d"}')) == {"id": 1, "query": "cut ?"}


def test_a_byte_order_mark_is_no_part_of_a_line() -> None:
    assert readable(b"\xef\xbb\xbf{}") == "{}"


def test_two_halves_are_a_character() -> None:
    assert json.loads(readable(rb'{"query": "\ud83d\ude42"}')) == {"query": "🙂"}


@pytest.mark.parametrize("line", [rb'{"query": "\ud83d', rb"\ud83d", b"[" * 100_000 + rb'"\ud83d"', b""])
def test_what_is_no_json_stays_as_it_is(line: bytes) -> None:
    assert readable(line) == line.decode()


@given(st.recursive(st.text() | st.integers() | st.none(), lambda inner: st.lists(inner), max_leaves=5))
def test_what_is_json_means_the_same(value: Any) -> None:
    assert json.loads(readable(json.dumps(value).encode())) == value


@given(st.binary(max_size=200))
def test_whatever_comes_can_be_encoded(line: bytes) -> None:
    readable(line).encode()


# -- as a message ---------------------------------------------------------------------------------------------


def line(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}).encode()


def refused(data: bytes) -> Refused:
    found = read(data)
    assert isinstance(found, Refused), found
    return found


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (line(id=1, method="ping"), JSONRPCRequest),
        (line(id="a", method="ping", params={}), JSONRPCRequest),
        (line(id=10**30, method="ping", params=None), JSONRPCRequest),
        (b"\xef\xbb\xbf" + line(id=1, method="ping") + b"\r\n", JSONRPCRequest),
        (line(method="notifications/initialized"), JSONRPCNotification),
        (line(method="notifications/cancelled", params={"id": 1}), JSONRPCNotification),
        (line(id=1, result={}), JSONRPCResponse),
        (line(id=None, error={"code": -32600, "message": "no"}), JSONRPCError),
    ],
)
def test_a_message_is_read_as_what_it_is(data: bytes, kind: type) -> None:
    assert isinstance(read(data), kind)


def deep(levels: int, **members: Any) -> bytes:
    """A request with lists in lists."""
    return line(id=7, method="ping", params={"a": "X"}, **members).replace(
        b'"X"', b"[" * levels + b"]" * levels
    )


@pytest.mark.parametrize(
    ("data", "reason", "found"),
    [
        (b"", "EOF while parsing", None),
        (b"\n", "EOF while parsing", None),
        (b"  \r\n", "EOF while parsing", None),
        (b"hello\n", "expected value at line 1 column 1", None),
        (b"\xff\xfe\xfd", "expected value", None),
        (b"\0", "expected value", None),
        (b'{"jsonrpc":"2.0","id":7,"method":', "EOF while parsing", None),
        (b"[" * 200_000, "recursion limit exceeded", None),
        (deep(300), "recursion limit exceeded", 7),
        (line(id=7, method="ping", params={"a": 0}).replace(b"0}", b"9" * 5_000 + b"}"), "out of range", 7),
        (line(id=0, method="ping").replace(b": 0", b": " + b"9" * 5_000), "number out of range", None),
    ],
)
def test_what_cannot_be_parsed_is_a_parse_error(data: bytes, reason: str, found: Any) -> None:
    said = refused(data)
    assert (said.code, said.id, said.owed) == (-32700, found, True)
    assert reason in said.reason


@pytest.mark.parametrize(
    ("data", "reason", "found"),
    [
        (b"[]", "a batch is not served", None),
        (b"[" + line(id=1, method="ping") + b"]", "a batch is not served", None),
        (b"1", "a message is an object", None),
        (b"null", "a message is an object", None),
        (b'"ping"', "a message is an object", None),
        (b"{}", 'jsonrpc must be "2.0"', None),
        (line(), "method is missing", None),
        (line(id=7), "method is missing", 7),
        (line(id=7, params={}), "method is missing", 7),
        (line(id=7, method=1), "method must be a string", 7),
        (line(method=1), "method must be a string", None),
        (line(id=7, method="ping", jsonrpc="1.0"), 'jsonrpc must be "2.0"', 7),
        (line(id=7, method="ping", jsonrpc=2.0), 'jsonrpc must be "2.0"', 7),
        (b'{"id":7,"method":"ping"}', 'jsonrpc must be "2.0"', 7),
        (line(id=7, method="ping", params=[]), "params must be an object", 7),
        (line(id="a", method="ping", params="x"), "params must be an object", "a"),
        *(
            (line(id=bad, method="ping"), "id must be a string or an integer", None)
            for bad in (None, 1.5, 1.0, True, False, [], {}, float("nan"))
        ),
        (line(id=7, method="ping", error={"code": 1, "message": "x"}), "neither result nor error", 7),
    ],
)
def test_json_that_is_no_request_is_an_invalid_request(data: bytes, reason: str, found: Any) -> None:
    said = refused(data)
    assert (said.code, said.id, said.owed) == (-32600, found, True)
    assert reason in said.reason


@pytest.mark.parametrize(
    "data",
    [
        line(method="notifications/initialized", params=[]),
        line(method="notifications/initialized", jsonrpc="1.0"),
        line(id=1, result=[]),
        line(id=1.5, result={}),
        line(id=1, error="no"),
        line(id=1, result={}, jsonrpc="1.0"),
        line(id=1, error={}),
        line(id=1, error={"code": "x", "message": "no"}),
        line(id=1, error={"code": 1}),
        line(id=None, error={"message": "no"}),
        line(id=None, result={}),
        line(error={}),
    ],
)
def test_a_broken_notification_or_response_is_refused_and_owed_nothing(data: bytes) -> None:
    said = refused(data)
    assert said.owed is False
    assert "id" not in json.loads(said.answer())


# -- too much to be parsed ------------------------------------------------------------------------------------


def wide(count: int, value: str = "[]", **members: Any) -> bytes:
    """A request with a list of many values, its members in the given order."""
    return json.dumps({"jsonrpc": "2.0", **members}).replace('"X"', f"[{','.join([value] * count)}]").encode()


WIDE = {"a": "X"}


@pytest.mark.parametrize("value", ["[]", "{}", "1", '"a"', '"]}"'])
def test_a_message_of_very_many_values_is_not_parsed_and_refused_under_its_id(value: str) -> None:
    said = refused(wide(20_001, value, id=7, method="ping", params=WIDE))
    assert (said.code, said.id, said.owed) == (-32600, 7, True)
    assert said.reason == "a message has at most 20,000 values"
    assert isinstance(read(wide(9_000, value, id=7, method="ping", params=WIDE)), JSONRPCRequest)


@pytest.mark.parametrize(
    ("members", "found"),
    [
        ({"id": 7, "method": "ping", "params": WIDE}, 7),
        ({"method": "ping", "id": "a-1", "params": WIDE}, "a-1"),
        ({"method": "ping", "params": WIDE, "id": 7}, 7),
        (
            {"params": WIDE, "method": "ping", "id": "결"},
            None,
        ),  # written with escapes: no place to look closer
        ({"method": "ping", "params": WIDE}, None),
        ({"id": True, "method": "ping", "params": WIDE}, None),
        ({"method": "ping", "params": {"a": "X", "id": 9}}, None),
        ({"id": 7, "result": WIDE}, None),
        ({"result": WIDE, "id": 7}, None),
    ],
)
def test_what_is_not_parsed_is_refused_under_no_id_but_its_own(members: Any, found: Any) -> None:
    assert refused(wide(20_001, **members)).id == found


@pytest.mark.parametrize("filler", [",]}", r"\",", r"\\", "결[]"])
def test_a_long_text_is_one_value_whatever_is_in_it(filler: str) -> None:
    text = json.loads(f'"{filler}"') * 200_000
    message = read(line(id=7, method="ping", params={"q": text}))
    assert isinstance(message, JSONRPCRequest)
    assert message.params == {"q": text}


@pytest.mark.parametrize("junk", [b'"', b'"",', b'"\\', b'\\"', b'"\\\\', b'",'])
def test_junk_that_looks_like_texts_without_end_is_refused(junk: bytes) -> None:
    assert refused(junk * 100_000).owed is True


def test_a_longer_message_than_is_taken_is_refused_by_its_ends() -> None:
    whole = line(id=7, method="ping", params={"q": "x" * (4 << 20)})
    for data in (whole, whole[: (4 << 20) + 1], whole[: 4 << 20] + whole[-10:]):
        assert (refused(data).id, refused(data).reason) == (7, "a message has at most 4,194,304 bytes")
    assert refused(b"x" * (5 << 20)).id is None


def test_a_refusal_is_answered_in_one_line_of_the_protocol() -> None:
    assert json.loads(refused(line(id="결", method=1)).answer()) == {
        "jsonrpc": "2.0",
        "id": "결",
        "error": {"code": -32600, "message": "invalid request: method must be a string"},
    }
    assert json.loads(refused(b"x").answer())["id"] is None
    assert "\n" not in refused(b'{"a":\n\n').answer()


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("2.0"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
MEMBERS = st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error", "other"])


@given(st.dictionaries(MEMBERS, VALUES, max_size=7), st.booleans())
def test_whoever_asks_something_gets_an_answer_and_nobody_else_does(
    message: dict[str, Any], spoken: bool
) -> None:
    if spoken:
        message["jsonrpc"] = "2.0"
    found = read(json.dumps(message).encode())
    asks = "id" in message and "method" in message
    tells = "id" not in message and isinstance(message.get("method"), str)
    if isinstance(found, Refused):
        assert json.loads(found.answer())["error"]["code"] == -32600
        assert found.owed or not asks
        assert not (found.owed and tells)
    else:
        assert isinstance(found, JSONRPCRequest) is asks


@given(st.binary(max_size=200) | st.text(alphabet='{}[]",:\\u d8019.eE-+\n', max_size=60).map(str.encode))
def test_whatever_comes_is_a_message_or_a_refusal_in_one_line(data: bytes) -> None:
    found = read(data)
    if isinstance(found, Refused):
        assert "\n" not in found.answer()
