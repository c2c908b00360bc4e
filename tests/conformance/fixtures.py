"""recall's HTTP server with the tools, resources and prompts that the conformance suite calls by name.

python tests/conformance/fixtures.py HOME PROJECT       serves, and prints its address

Everything else is as in `recall serve --http`: the same server, the same guard. The suite cannot send a token, so
its requests pass through a layer that adds the right one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from recall.engine import Engine
from recall.server import app, guard, http
from recall.server.sessions import Sessions
from recall.server.strict import StrictTool, slim
from recall.settings import ServerSettings

_TOKEN = "a-token-of-the-test"
_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}


async def test_simple_text() -> str:
    """Text."""
    return "This is a simple text response for testing."


async def test_error_handling() -> str:
    """An error on purpose."""
    raise ToolError("This tool intentionally returns an error for testing")


async def test_tool_with_progress(ctx: Context[Any, Any]) -> str:
    """Three steps."""
    for step in (0, 50, 100):
        await ctx.report_progress(step, 100)
    return "done"


async def json_schema_2020_12_tool(name: str = "", address: dict[str, str] | None = None) -> str:
    """Keywords of JSON Schema 2020-12."""
    return name


def mount(server: MCPServer[None]) -> None:
    """Add what the suite calls, in recall's own kind of tool."""
    plain = (test_simple_text, test_error_handling, test_tool_with_progress)
    tools = [StrictTool.of(function, function.__name__, function.__doc__ or "") for function in plain]
    schema = StrictTool.of(json_schema_2020_12_tool, "JSON schema", json_schema_2020_12_tool.__doc__ or "")
    tools.append(schema.model_copy(update={"parameters": slim(_SCHEMA)}))
    for tool in tools:
        # The server takes ready-made tools only when it is made.
        server._tool_manager._tools[tool.name] = tool
    _mount_resources(server)
    _mount_prompts(server)


def _mount_resources(server: MCPServer[None]) -> None:
    @server.resource("test://static-text", description="Text.", mime_type="text/plain")
    def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", description="Bytes.", mime_type="image/png")
    def static_binary() -> bytes:
        return b"\x89PNG\r\n\x1a\n"

    @server.resource("test://template/{id}/data", description="A template.", mime_type="application/json")
    def template(id: str) -> str:
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


def _mount_prompts(server: MCPServer[None]) -> None:
    @server.prompt(description="A prompt.")
    def test_simple_prompt() -> str:
        return "This is a simple prompt for testing."

    @server.prompt(description="A prompt with arguments.")
    def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


def with_token(inner: guard.App, token: str) -> guard.App:
    """The application as a client with the token meets it."""

    async def outer(scope: guard.Message, receive: guard.Receive, send: guard.Send) -> None:
        header = (b"authorization", f"Bearer {token}".encode())
        await inner({**scope, "headers": [*scope.get("headers", ()), header]}, receive, send)

    return outer


def main(home: Path, project: Path) -> None:
    """Serve on a free port of loopback until the process is ended."""
    sessions = Sessions(lambda folder: Engine.start(folder, home=home, env={}), project, home)
    server = app.build(sessions, ServerSettings())
    mount(server)
    listener = http.listen("127.0.0.1", 0)
    guarded = guard.TokenGuard(http.application(server, "127.0.0.1"), _TOKEN)
    print(http.urls(listener)[0], flush=True)
    http.serve(with_token(guarded, _TOKEN), listener)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
