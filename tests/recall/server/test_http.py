"""`recall serve --http` as a process: the token, Host and Origin, both eras of the protocol, and the end."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from recall.demo import sample
from support.serving import HELLO
from support.worlds import process_env, run_recall

_JSON = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
_INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}


class Running(NamedTuple):
    """A server process and how to reach it."""

    process: subprocess.Popen[str]
    url: str
    token: dict[str, str]  # the header


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    world = sample.build(tmp_path_factory.mktemp("world"), 1_780_000_000.0)
    with serving(world) as found:
        yield found


class serving:  # noqa: N801 - reads as a statement
    """A server process for a `with`."""

    def __init__(self, world: sample.Sample, *arguments: str) -> None:
        self._world = world
        self._arguments = arguments

    def __enter__(self) -> Running:
        world = self._world
        self._process = subprocess.Popen(
            [sys.executable, "-m", "recall", "serve", "--http", "--port", "0", *self._arguments],
            cwd=world.project,
            env=process_env(world.home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stderr is not None
        line = self._process.stderr.readline()
        found = re.search(r"http://\S+/mcp", line)
        assert found, line
        token = run_recall(["serve", "--show-token"], home=world.home, cwd=world.project).stdout.strip()
        return Running(self._process, found[0], {"authorization": f"Bearer {token}"})

    def __exit__(self, *_error: object) -> None:
        self._process.kill()
        self._process.communicate(timeout=30)


def answer(running: Running, **headers: str) -> httpx2.Response:
    with httpx2.Client(trust_env=False) as client:
        return client.post(running.url, json=_INITIALIZE, headers={**_JSON, **headers})


@pytest.mark.parametrize("authorization", [None, "", "Bearer wrong", "Basic dXNlcjpwYXNz"])
def test_without_the_token_nothing_is_answered(running: Running, authorization: str | None) -> None:
    refused = answer(running, **({} if authorization is None else {"authorization": authorization}))
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Bearer")
    assert "recall serve --show-token" in refused.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "localhost:1234"}, 200),
        ({"origin": "http://localhost:6274"}, 200),
        ({"host": "evil.example.org"}, 421),
        ({"host": "127.0.0.1.evil.example.org"}, 421),
        ({"origin": "http://evil.example.org"}, 403),
        ({"origin": "null"}, 403),
    ],
)
def test_host_and_origin_are_this_machines(running: Running, headers: dict[str, str], status: int) -> None:
    assert answer(running, **running.token, **headers).status_code == status


def test_a_refused_name_is_told_where_names_are_allowed(running: Running) -> None:
    for header in ({"host": "memory.example.org"}, {"origin": "https://memory.example.org"}):
        refused = answer(running, **running.token, **header)
        assert "[server] allowed_hosts" in refused.json()["error_description"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one loopback address")
def test_another_loopback_address_serves_its_own_name(tmp_path: Path) -> None:
    with serving(sample.build(tmp_path, 1_780_000_000.0), "--host", "127.0.0.2") as running:
        assert running.url.startswith("http://127.0.0.2:")
        assert answer(running, **running.token).status_code == 200


def test_a_body_that_is_no_message_is_refused_and_the_server_stays(running: Running) -> None:
    with httpx2.Client(trust_env=False, headers={**_JSON, **running.token}) as client:
        for body in (b"junk", b"\xff\xfe", b"[" * 100_000, b"x" * (5 << 20)):
            assert 400 <= client.post(running.url, content=body).status_code < 500
    assert answer(running, **running.token).status_code == 200


_MODERN = {"mcp-protocol-version": "2026-07-28", "mcp-method": "ping"}


@pytest.mark.parametrize("headers", [{}, _MODERN], ids=["2025", "2026"])
@pytest.mark.parametrize(
    ("body", "code", "line"),
    [
        (b"", -32700, "parse error: EOF"),
        (b"junk", -32700, "parse error: expected value at line 1 column 1"),
        (b"[" * 100_000, -32700, "parse error: recursion limit exceeded"),
        (b"[]", -32600, "invalid request: a batch is not served"),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, "invalid request: id must be"),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', -32600, "params must be an object"),
        (b'{"jsonrpc":"2.0","method":"notifications/x","params":[]}', -32600, "params must be an object"),
    ],
)
def test_a_body_that_is_no_message_is_one_clear_line(
    running: Running, headers: dict[str, str], body: bytes, code: int, line: str
) -> None:
    with httpx2.Client(trust_env=False, headers={**_JSON, **running.token, **headers}) as client:
        refused = client.post(running.url, content=body)
    assert refused.status_code == 400
    said = refused.json()
    no_request = {} if b"notifications" in body else {"id": 7 if b'"id":7' in body else None}
    assert said == {"jsonrpc": "2.0", "error": said["error"], **no_request}
    assert said["error"]["code"] == code
    assert line in said["error"]["message"]
    assert "\n" not in said["error"]["message"]


def test_a_body_of_very_many_values_is_refused_under_its_id(running: Running) -> None:
    body = b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":[' + b"[]," * (1 << 20) + b"1]}}"
    with httpx2.Client(trust_env=False, headers={**_JSON, **running.token}) as client:
        refused = client.post(running.url, content=body)
    assert (refused.status_code, refused.json()["id"]) == (400, 7)
    assert "at most 20,000 values" in refused.json()["error"]["message"]


@pytest.mark.parametrize(
    "body", [b'{"jsonrpc":"2.0","id":1,"error":{}}', b'{"jsonrpc":"2.0","id":1,"result":1}']
)
def test_a_response_that_is_none_is_refused_without_an_answer_to_its_id(
    running: Running, body: bytes
) -> None:
    with httpx2.Client(trust_env=False, headers={**_JSON, **running.token}) as client:
        refused = client.post(running.url, content=body)
    assert refused.status_code == 400
    assert "id" not in refused.json()


def raw(running: Running, body: bytes, length: int) -> bytes:
    """All that is answered to a request whose client says at once that it has said everything."""
    address = httpx2.URL(running.url)
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {address.host}:{address.port}\r\nContent-Length: {length}\r\n"
        f"Authorization: {running.token['authorization']}\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\n\r\n"
    )
    with socket.create_connection((address.host, address.port or 0), timeout=30) as client:
        client.sendall(head.encode() + body)
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(1 << 16), b""))


def test_who_has_said_everything_is_answered_and_who_left_in_the_middle_is_not(running: Running) -> None:
    body = json.dumps(_INITIALIZE).encode()
    answered = raw(running, body, len(body))
    assert answered.startswith(b"HTTP/1.1 200 OK")
    assert b'"serverInfo"' in answered
    assert raw(running, body, len(body) + 1) == b""


def test_two_requests_of_one_client_are_answered_before_its_connection_is_closed(running: Running) -> None:
    body = json.dumps(_INITIALIZE).encode()
    second = (
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
        b"Authorization: " + running.token["authorization"].encode() + b"\r\n\r\n[]"
    )
    answered = raw(running, body + second, len(body))
    assert [line for line in answered.split(b"\r\n") if line.startswith(b"HTTP/")] == [
        b"HTTP/1.1 200 OK",
        b"HTTP/1.1 400 Bad Request",
    ]


def test_half_an_emoji_does_not_cost_the_question(running: Running) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    asked = {"query": f"{sample.QUESTION} HALF", "deadline": 20}
    params = {"name": "deep_recall", "arguments": asked, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {**_JSON, **running.token, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call"}
    with httpx2.Client(trust_env=False, headers={**headers, "mcp-name": "deep_recall"}, timeout=60) as client:
        found = client.post(running.url, content=body.replace("HALF", "\\ud83d").encode())
    assert found.status_code == 200
    assert found.json()["result"]["structuredContent"]["memories"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_of_either_era_recalls_over_http(running: Running, mode: str) -> None:
    async def talk() -> Any:
        async with httpx2.AsyncClient(headers=running.token, trust_env=False) as web:
            transport = streamable_http_client(running.url, http_client=web)
            async with Client(transport, mode=mode) as client:
                return await client.call_tool("deep_recall", {"query": sample.QUESTION, "deadline": 20})

    memories = anyio.run(talk).structured_content["memories"]
    assert (memories[0]["source"], memories[0]["trust"]) == ("serena", "untrusted")


def test_a_signal_ends_it_at_once_though_a_client_keeps_a_stream_open(tmp_path: Path) -> None:
    with serving(sample.build(tmp_path, 1_780_000_000.0)) as running:
        with httpx2.Client(trust_env=False, headers={**_JSON, **running.token}) as client:
            session = client.post(running.url, json=_INITIALIZE).headers["mcp-session-id"]
            with client.stream("GET", running.url, headers={"mcp-session-id": session}) as stream:
                assert stream.status_code == 200
                running.process.send_signal(signal.SIGTERM)
                assert running.process.wait(30) == 143
        assert running.process.stdout is not None
        assert running.process.stdout.read() == ""


def test_clients_that_leave_before_the_end_of_what_they_say_cost_nothing(tmp_path: Path) -> None:
    with serving(sample.build(tmp_path, 1_780_000_000.0)) as running:
        address = httpx2.URL(running.url)
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: {address.host}:{address.port}\r\nContent-Length: 1000\r\n"
            f"Authorization: {running.token['authorization']}\r\nContent-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\n\r\n{"
        )
        for _ in range(20):
            with socket.create_connection((address.host, address.port or 0)) as client:
                client.sendall(head.encode())
        assert answer(running, **running.token).status_code == 200
        running.process.terminate()
        assert running.process.wait(30) == 143
        assert running.process.stderr is not None
        assert running.process.stderr.read() == ""


def test_an_address_that_others_reach_is_served_when_it_is_allowed_and_still_checks_the_name(
    tmp_path: Path,
) -> None:
    world = sample.build(tmp_path, 1_780_000_000.0)
    with serving(world, "--host", "0.0.0.0", "--allow-remote") as running:
        name = re.sub(r"http://(.+):\d+/mcp", r"\1", running.url)
        reached = running._replace(url=running.url.replace(name, "127.0.0.1"))
        assert answer(reached, **running.token).status_code == 200
        assert answer(reached, **running.token, host=name).status_code == 200
        assert answer(reached, **running.token, host="evil.example.org").status_code == 421
        assert answer(reached).status_code == 401
