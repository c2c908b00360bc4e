"""A client's ids and our numbers: what is asked is answered under its own id, and cancelled by no other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from recall.server.ids import Ids


def request(name: Any) -> JSONRPCRequest:
    return JSONRPCRequest(jsonrpc="2.0", id=name, method="ping")


def cancellation(name: Any) -> JSONRPCNotification:
    params = {"requestId": name, "reason": "late"}
    return JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params=params)


def asked(ids: Ids, name: Any) -> Any:
    """The number under which a request is passed on."""
    (passed,) = ids.arriving(request(name))
    assert isinstance(passed, JSONRPCRequest)
    return passed.id


def answered(ids: Ids, number: Any) -> Any:
    """The id under which an answer leaves; None if it does not."""
    answer = JSONRPCResponse(jsonrpc="2.0", id=number, result={})
    left = ids.leaving(answer)
    assert ids.left(answer) is (left is not None)
    assert left is None or isinstance(left, JSONRPCResponse)
    return left and left.id


@given(st.lists(st.integers() | st.text(), max_size=8), st.randoms())
def test_every_request_is_answered_once_under_the_id_it_was_sent_with(names: list[Any], chance: Any) -> None:
    ids = Ids()
    numbers = [(asked(ids, name), name) for name in names]
    assert len({number for number, _ in numbers}) == len(names)
    chance.shuffle(numbers)
    for number, name in numbers:
        found = answered(ids, number)
        assert (type(found), found) == (type(name), name)
        assert answered(ids, number) is None
    assert len(ids) == 0


@pytest.mark.parametrize(
    ("asked_as", "cancelled_as"), [(57, "57"), ("57", 57), (1, True), (1, 1.0), (57, None)]
)
def test_an_id_of_another_type_is_another_id(asked_as: Any, cancelled_as: Any) -> None:
    ids = Ids()
    number = asked(ids, asked_as)
    assert ids.arriving(cancellation(cancelled_as)) == []
    assert answered(ids, number) == asked_as


@pytest.mark.parametrize("name", [57, "57", "a", 10**30])
def test_a_cancellation_is_passed_on_under_our_number_and_ends_the_wait(name: Any) -> None:
    ids = Ids()
    other, number = asked(ids, "other"), asked(ids, name)
    (passed,) = ids.arriving(cancellation(name))
    assert isinstance(passed, JSONRPCNotification)
    assert passed.params == {"requestId": number, "reason": "late"}
    assert len(ids) == 1
    assert answered(ids, number) is None
    assert answered(ids, other) == "other"


def test_a_cancellation_means_every_request_of_its_id() -> None:
    ids = Ids()
    numbers = [asked(ids, 60), asked(ids, 60)]
    passed = ids.arriving(cancellation(60))
    assert [one.params["requestId"] for one in passed if isinstance(one, JSONRPCNotification)] == numbers


def test_other_messages_pass_as_they_are() -> None:
    ids = Ids()
    others: list[Any] = [
        JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized"),
        JSONRPCResponse(jsonrpc="2.0", id=1, result={}),
    ]
    assert [ids.arriving(one) for one in others] == [[one] for one in others]
    refusal = JSONRPCError.model_validate(
        {"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "x"}}
    )
    assert ids.leaving(refusal) is refusal
    assert ids.leaving(others[0]) is others[0]


@pytest.mark.parametrize("name", ["listen:0", 7])
def test_what_was_subscribed_to_is_told_under_the_client_s_own_id(name: Any) -> None:
    ids = Ids()
    number = asked(ids, name)
    meta = {"io.modelcontextprotocol/subscriptionId": number, "other": 1}
    told = JSONRPCNotification(
        jsonrpc="2.0", method="notifications/subscriptions/acknowledged", params={"_meta": meta, "more": 2}
    )
    left = ids.leaving(told)
    assert isinstance(left, JSONRPCNotification)
    assert left.params == {"_meta": {**meta, "io.modelcontextprotocol/subscriptionId": name}, "more": 2}
    result = ids.leaving(JSONRPCResponse(jsonrpc="2.0", id=number, result={"_meta": meta}))
    assert isinstance(result, JSONRPCResponse)
    assert result.result["_meta"]["io.modelcontextprotocol/subscriptionId"] == name


@pytest.mark.parametrize("params", [None, {}, {"_meta": None}, {"_meta": {}}, {"progress": 1}])
def test_other_notifications_leave_as_they_are(params: Any) -> None:
    ids = Ids()
    asked(ids, "a")
    told = JSONRPCNotification(jsonrpc="2.0", method="notifications/progress", params=params)
    assert ids.leaving(told) == told
