"""The MCP inspector's command line: schemas that any client can use, each tool called, errors that are errors."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from clients.packages import INSPECTOR
from clients.worlds import MEMORY, QUESTION, TOOLS, URI, World, node_program

TOOL_IS_ERROR = 5  # the inspector's exit code for it
MOST_BYTES = 8 * 1024  # of tools/list: it is in the context of every session


@pytest.fixture
def inspector() -> list[str | Path]:
    return [*node_program(INSPECTOR), "--cli"]


def inspect(
    world: World, inspector: list[str | Path], method: str, *options: str
) -> subprocess.CompletedProcess[str]:
    return world.run([*inspector, world.recall, "serve", "--method", method, *options])


def call(
    world: World, inspector: list[str | Path], tool: str, arguments: Mapping[str, object]
) -> subprocess.CompletedProcess[str]:
    pairs = [part for name, value in arguments.items() for part in ("--tool-arg", f"{name}={value}")]
    return inspect(world, inspector, "tools/call", "--tool-name", tool, *pairs)


def structured(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["structuredContent"]


def test_the_schemas_are_portable_and_small(world: World, inspector: list[str | Path]) -> None:
    done = inspect(world, inspector, "tools/list", "--strict")
    assert (done.returncode, done.stderr) == (0, "")
    tools = json.loads(done.stdout)["tools"]
    assert {tool["name"] for tool in tools} == TOOLS
    assert len(json.dumps({"tools": tools}, separators=(",", ":"), ensure_ascii=False).encode()) <= MOST_BYTES


def test_deep_recall_returns_labelled_memories(world: World, inspector: list[str | Path]) -> None:
    found = structured(call(world, inspector, "deep_recall", {"query": QUESTION, "limit": 2}))
    first = found["memories"][0]
    assert (first["uri"], first["trust"]) == (URI, "untrusted")
    assert MEMORY in first["text"]


def test_memory_health_names_each_source(world: World, inspector: list[str | Path]) -> None:
    found = structured(call(world, inspector, "memory_health", {"probe": "true"}))
    states = {one["provider"]: one["state"] for one in found["providers"]}
    assert (states["serena"], states["claude-mem"]) == ("ready", "empty")


def test_read_memory_returns_it_in_full(world: World, inspector: list[str | Path]) -> None:
    page = structured(call(world, inspector, "read_memory", {"uri": URI}))
    assert MEMORY in page["text"]
    assert page["trust"] == "untrusted"


def test_a_session_is_bootstrapped_and_its_checkpoint_saved(
    world: World, inspector: list[str | Path]
) -> None:
    saved = structured(call(world, inspector, "context_checkpoint", {"kind": "decision", "text": MEMORY}))
    assert saved["saved"] is True
    given = structured(call(world, inspector, "context_bootstrap", {}))
    assert MEMORY in given["text"]
    checked = structured(call(world, inspector, "check_handle", {"handle": given["context_handle"]}))
    assert checked["allowed"] is False  # the server that gave it has ended
    assert "bootstrap" in checked["reason"]


def test_search_and_fetch_have_the_shape_that_connectors_require(
    world: World, inspector: list[str | Path]
) -> None:
    found = json.loads(call(world, inspector, "search", {"query": QUESTION}).stdout)
    results = found["structuredContent"]["results"]
    assert {frozenset(one) for one in results} == {frozenset(("id", "title", "url"))}
    assert [json.loads(part["text"]) for part in found["content"]] == [found["structuredContent"]]
    document = json.loads(call(world, inspector, "fetch", {"id": results[0]["id"]}).stdout)
    assert {"id", "title", "text", "url", "metadata"} == set(document["structuredContent"])
    assert [json.loads(part["text"]) for part in document["content"]] == [document["structuredContent"]]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("deep_recall", {"query": QUESTION, "limt": 3}, "limt"),
        ("deep_recall", {"query": QUESTION, "project": "/nowhere/at/all"}, "no folder"),
        ("read_memory", {"uri": "recall://serena/no-such-memory"}, "no such memory"),
        ("deep_recall", {"query": QUESTION, "limit": 0}, "limit: "),
    ],
)
def test_a_tool_error_is_a_tool_error(
    tool: str, arguments: dict[str, object], said: str, world: World, inspector: list[str | Path]
) -> None:
    done = call(world, inspector, tool, arguments)
    assert done.returncode == TOOL_IS_ERROR
    assert json.loads(done.stderr)["error"]["code"] == "tool_is_error"
    result = json.loads(done.stdout)
    assert result["isError"] is True
    assert said in result["content"][0]["text"]
    assert "Traceback" not in done.stdout + done.stderr


def test_the_prompt_and_a_resource_are_read(world: World, inspector: list[str | Path]) -> None:
    prompts = json.loads(inspect(world, inspector, "prompts/list").stdout)["prompts"]
    prompt = inspect(world, inspector, "prompts/get", "--prompt-name", prompts[0]["name"]).stdout
    assert "never an instruction" in json.loads(prompt)["messages"][0]["content"]["text"]
    resource = inspect(world, inspector, "resources/read", "--uri", URI)
    assert MEMORY in json.loads(resource.stdout)["contents"][0]["text"]


@pytest.fixture
def served(world: World) -> Iterator[list[str]]:
    """An HTTP server's address and the header that opens it, as options of the inspector."""
    with world.served() as (url, token):
        yield [url, "--header", f"Authorization: Bearer {token}"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_it_is_the_same_over_http(
    era: str, world: World, inspector: list[str | Path], served: list[str]
) -> None:
    options = ["--protocol-era", era, "--method", "tools/call", "--tool-name", "deep_recall"]
    done = world.run([*inspector, *served, *options, "--tool-arg", f"query={QUESTION}"])
    assert structured(done)["memories"][0]["uri"] == URI


def test_without_the_token_nothing_is_served(
    world: World, inspector: list[str | Path], served: list[str]
) -> None:
    done = world.run([*inspector, served[0], "--method", "tools/list"])
    assert done.returncode != 0
    assert "deep_recall" not in done.stdout
