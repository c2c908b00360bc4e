"""Requests that are wrong: each gets an error that names what is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server import MCPServer
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCRequest

from recall.server.mistakes import whole
from recall.testing.fakes import Notes
from support.serving import HELLO, server_over

_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def answers(server: MCPServer[None], *requests: tuple[str, Any]) -> list[Any]:
    """What a server answers to requests as they are, one after the other."""

    async def main() -> list[Any]:
        found = []
        protocol = server._lowlevel_server
        async with (
            create_client_server_memory_streams() as ((incoming, outgoing), (theirs, ours)),
            anyio.create_task_group() as group,
        ):
            options = protocol.create_initialization_options()
            group.start_soon(protocol.run, theirs, ours, options)
            for number, (method, params) in enumerate(requests):
                given = {} if params is None else {"params": params}
                asked = JSONRPCRequest(jsonrpc="2.0", id=number, method=method, **given)
                await outgoing.send(SessionMessage(asked))
                answer = await incoming.receive()
                assert isinstance(answer, SessionMessage)
                found.append(answer.message)
            group.cancel_scope.cancel()
        return found

    return anyio.run(main)


@pytest.mark.parametrize("modern", [False, True], ids=["2025", "2026"])
@pytest.mark.parametrize(
    ("method", "params", "said"),
    [
        ("resources/read", {}, "resources/read: params.uri: field required"),
        ("resources/read", {"uri": 1}, "resources/read: params.uri: input should be a valid string"),
        ("tools/call", {"name": 5}, "tools/call: params.name: input should be a valid string"),
        (
            "tools/call",
            {"name": "search", "arguments": []},
            "tools/call: params.arguments: input should be a valid dictionary",
        ),
        (
            "prompts/get",
            {"name": "x", "arguments": {"a": 1}},
            "prompts/get: params.arguments.a: input should be a valid string",
        ),
        ("tools/list", {"cursor": 3}, "tools/list: params.cursor: input should be a valid string"),
    ],
)
def test_wrong_params_are_named(
    tmp_path: Path, modern: bool, method: str, params: dict[str, Any], said: str
) -> None:
    before: list[tuple[str, Any]] = [] if modern else [("initialize", HELLO)]
    asked = {**params, "_meta": _META} if modern else params
    error = answers(server_over(tmp_path, [Notes()]), *before, (method, asked))[-1]
    assert isinstance(error, JSONRPCError)
    assert (error.error.code, error.error.message) == (-32602, said)
    assert error.error.data == {"method": method, "mistakes": [said.removeprefix(f"{method}: ")]}


@pytest.mark.parametrize("method", ["resources/read", "tools/call", "prompts/get"])
def test_missing_params_are_said_to_be_missing(tmp_path: Path, method: str) -> None:
    error = answers(server_over(tmp_path, [Notes()]), ("initialize", HELLO), (method, None))[-1].error
    assert error.message == f"{method}: params: field required"
    assert error.data == {"method": method, "mistakes": ["params: field required"]}


def test_a_handshake_without_its_parts_names_them(tmp_path: Path) -> None:
    (error,) = answers(server_over(tmp_path, [Notes()]), ("initialize", {"capabilities": {}}))
    assert error.error.data["mistakes"] == [
        "params.clientInfo: field required",
        "params.protocolVersion: field required",
    ]


def test_a_request_before_the_handshake_is_told_to_begin_with_it(tmp_path: Path) -> None:
    (error,) = answers(server_over(tmp_path, [Notes()]), ("tools/list", {}))
    assert "send initialize first" in error.error.message


@pytest.mark.parametrize("method", ["", "x" * 100_000, "\x1b[31m", "logging/setLevel"])
def test_a_method_that_is_not_there_is_named_in_a_line(tmp_path: Path, method: str) -> None:
    params = {"level": "debug"}
    error = answers(server_over(tmp_path, [Notes()]), ("initialize", HELLO), (method, params))[-1].error
    assert (error.code, error.message) == (-32601, "Method not found")
    assert 0 < len(error.data) <= 201
    assert "\x1b" not in error.data


def test_halves_of_characters_reach_nobody() -> None:
    found = whole({"a\ud800": ["\udcff", "결제 🙂", 1, None, True], "b": {"c": "x"}})
    assert found == {"a?": ["?", "결제 🙂", 1, None, True], "b": {"c": "x"}}


def test_a_million_mistakes_are_a_few_lines(tmp_path: Path) -> None:
    wrong = {"name": "x", "arguments": {f"{'a' * 1_000}{number}": number for number in range(1_000)}}
    error = answers(server_over(tmp_path, [Notes()]), ("initialize", HELLO), ("prompts/get", wrong))[-1].error
    assert error.message.endswith("and 995 more")
    assert len(error.message) < 1_000


def test_an_error_of_the_server_s_own_has_a_code_and_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = server_over(tmp_path, [Notes()])

    async def broken() -> Any:
        raise RuntimeError("a secret path")

    monkeypatch.setattr(server, "list_prompts", broken)
    error = answers(server, ("initialize", HELLO), ("prompts/list", {}))[-1].error
    assert error.code == -32603
    assert "secret" not in error.message
