"""Lines of a client as text that a strict reader takes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.server.wire import readable


def test_a_line_is_utf_8_whatever_else_is_in_it() -> None:
    assert readable("결제 🙂\n".encode()) == "결제 🙂\n"
    assert readable(b'{"query": "\xff"}') == '{"query": "\ufffd"}'


def test_half_a_character_does_not_cost_the_line() -> None:
    assert json.loads(readable(rb'{"id": 1, "query": "cut \ud83d"}')) == {"id": 1, "query": "cut ?"}


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
