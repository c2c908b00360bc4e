"""What a client writes to a hook, read in time."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator

import pytest

from recall.hooks import payload


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    out, into = os.pipe()
    yield out, into
    for descriptor in (out, into):
        try:
            os.close(descriptor)
        except OSError:
            pass


def test_an_object_is_taken_as_soon_as_it_is_whole_though_the_pipe_stays_open(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], '{"cwd": "/프로젝트", "tool_input": {"a": {}}}\n'.encode())
    assert payload.read(pipe[0], 60) == {"cwd": "/프로젝트", "tool_input": {"a": {}}}


def test_an_object_in_pieces_is_put_together(pipe: tuple[int, int]) -> None:
    pieces = iter([b'{"tool_input": {"a": 1}', b', "cwd"', b': "/x"', b"}", b""])
    assert payload.read(0, 60, lambda _descriptor, _size: next(pieces)) == {
        "tool_input": {"a": 1},
        "cwd": "/x",
    }


def test_a_silent_open_pipe_says_nothing(pipe: tuple[int, int]) -> None:
    assert payload.read(pipe[0], 0.01) == {}


def test_a_closed_or_empty_input_says_nothing() -> None:
    assert payload.read(-1, 60) == {}
    assert payload.read(0, 60, lambda _descriptor, _size: b"") == {}


@pytest.mark.parametrize(
    "data", [b"garbage", b"[1]", b'"text"', b'{"a": 1', b"\xff\xfe{}", b"{}{}", b"{" * 5_000]
)
def test_what_is_no_object_is_an_error_of_one_line(data: bytes) -> None:
    pieces = iter([data, b""])
    with pytest.raises(ValueError, match="no JSON object") as raised:
        payload.read(0, 60, lambda _descriptor, _size: next(pieces))
    assert "\n" not in str(raised.value)


def test_a_reader_that_hangs_is_left_behind() -> None:
    hold = threading.Event()
    try:
        assert payload.read(0, 0.01, lambda _descriptor, _size: bytes(hold.wait(60))) == {}
    finally:
        hold.set()


def test_an_object_full_of_braces_is_looked_at_a_few_times_and_read(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = json.dumps({"tool_name": "Write", "tool_input": {"content": "}" * 5_000}}).encode()
    pieces = iter([*(whole[at : at + 10] for at in range(0, len(whole), 10)), b""])
    looks = []
    parsed = payload._parsed
    monkeypatch.setattr(payload, "_parsed", lambda data: looks.append(data) or parsed(data))
    assert payload.read(0, 60, lambda _descriptor, _size: next(pieces))["tool_name"] == "Write"
    assert len(looks) < 20
