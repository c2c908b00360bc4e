"""Small scripted model servers on loopback: each speaks one vendor's API, calls a tool and then says it is done.

A script is a list of steps. Which step is next is read off the conversation that the client sends, so a client that
repeats a request gets the same answer again. Everything received is kept: what the model was shown is what tests
look at.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

FINAL_WORDS = "the scripted model is done"


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call: the end of the tool's name, whatever the client puts before it."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """A request of the client to its model."""

    path: str
    body: Any


class Model:
    """A server that plays a model; use it as a context manager. Subclasses speak one API."""

    def __init__(self, script: Sequence[Call]) -> None:
        self.script = tuple(script)
        self.requests: list[Request] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Where the client finds it."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def answer(self, request: Request) -> tuple[str, str]:
        """The content type and the text of a reply."""
        raise NotImplementedError

    def tools(self, request: Request) -> list[str]:
        """The names of the tools offered in a request."""
        raise NotImplementedError

    def results(self, request: Request) -> list[str]:
        """The tool results in a request, each as the text that the model sees."""
        raise NotImplementedError

    @property
    def seen(self) -> list[str]:
        """The tool results of the longest conversation."""
        return max((self.results(request) for request in self.requests), key=len, default=[])

    @property
    def offered(self) -> set[str]:
        """Every tool that was ever offered."""
        return {name for request in self.requests for name in self.tools(request)}

    def next_call(self, request: Request) -> tuple[str, Mapping[str, Any]] | None:
        """The offered tool to call next and its arguments; None when the script is over."""
        done = len(self.results(request))
        if done >= len(self.script):
            return None
        call = self.script[done]
        offered = self.tools(request)
        named = [name for name in offered if name == call.tool or name.endswith(f"_{call.tool}")]
        name = next(iter([*named, *(name for name in offered if name.endswith(call.tool))]), None)
        return None if name is None else (name, call.arguments)


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = Request(self.path, json.loads(raw or b"{}"))
            model.requests.append(request)
            self._send(200, *model.answer(request))

        def do_GET(self) -> None:
            model.requests.append(Request(self.path, None))
            self._send(404, "application/json", "{}")

        def _send(self, status: int, kind: str, text: str) -> None:
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_arguments: Any) -> None:
            pass

    return Handler


def events(*items: Mapping[str, Any], named: bool = True) -> tuple[str, str]:
    """A stream of server-sent events."""
    lines = [
        (f"event: {item['type']}\n" if named else "") + f"data: {json.dumps(item, ensure_ascii=False)}\n\n"
        for item in items
    ]
    return "text/event-stream", "".join(lines)


class Anthropic(Model):
    """The Messages API."""

    def tools(self, request: Request) -> list[str]:
        return [tool["name"] for tool in (request.body or {}).get("tools") or [] if "name" in tool]

    def results(self, request: Request) -> list[str]:
        blocks = [
            block
            for message in (request.body or {}).get("messages") or []
            for block in (message["content"] if isinstance(message["content"], list) else [])
        ]
        return [_text(block.get("content")) for block in blocks if block.get("type") == "tool_result"]

    def answer(self, request: Request) -> tuple[str, str]:
        if not request.path.split("?")[0].endswith("/messages"):
            return "application/json", json.dumps({"input_tokens": 1})
        call = self.next_call(request)
        block: dict[str, Any] = {"type": "text", "text": FINAL_WORDS}
        if call is not None:
            name, arguments = call
            identity = f"toolu_{len(self.results(request))}"
            block = {"type": "tool_use", "id": identity, "name": name, "input": dict(arguments)}
        reason = "end_turn" if call is None else "tool_use"
        if not request.body.get("stream"):
            return "application/json", json.dumps(self._message(request, [block], reason))
        return events(
            {"type": "message_start", "message": self._message(request, [], None)},
            {"type": "content_block_start", "index": 0, "content_block": _empty(block)},
            {"type": "content_block_delta", "index": 0, "delta": _delta(block)},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        )

    def _message(self, request: Request, content: list[Any], reason: str | None) -> dict[str, Any]:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": request.body.get("model", "scripted"),
            "content": content,
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }


def _empty(block: Mapping[str, Any]) -> dict[str, Any]:
    return {**block, "input": {}} if block["type"] == "tool_use" else {**block, "text": ""}


def _delta(block: Mapping[str, Any]) -> dict[str, Any]:
    if block["type"] == "text":
        return {"type": "text_delta", "text": block["text"]}
    return {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}


def _text(content: Any) -> str:
    """Text of a result: a string, or the joined text of its parts."""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [])


class Gemini(Model):
    """The generateContent API."""

    def tools(self, request: Request) -> list[str]:
        return [
            declaration["name"]
            for tool in (request.body or {}).get("tools") or []
            for declaration in tool.get("functionDeclarations") or []
        ]

    def results(self, request: Request) -> list[str]:
        parts = [
            part
            for content in (request.body or {}).get("contents") or []
            for part in content.get("parts") or []
        ]
        return [
            json.dumps(part["functionResponse"]["response"], ensure_ascii=False)
            for part in parts
            if "functionResponse" in part
        ]

    def answer(self, request: Request) -> tuple[str, str]:
        call = self.next_call(request)
        part: dict[str, Any] = {"text": FINAL_WORDS}
        if call is not None:
            part = {"functionCall": {"name": call[0], "args": dict(call[1])}}
        reply = {
            "candidates": [
                {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
            ],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        }
        if "streamGenerateContent" in request.path:
            return events(reply, named=False)
        return "application/json", json.dumps(reply)


class OpenAI(Model):
    """The Responses API, as Codex uses it: the tools of MCP servers have to be found by a search first."""

    query = "search agent memory"
    tokens = 2  # that an answer with a call says were used: from its own limit on, a client compacts
    _most_searches = 80
    _pause = 0.25  # seconds before a search is repeated: the first ones come before the server has started

    def __init__(self, script: Sequence[Call]) -> None:
        super().__init__(script)
        self._over = threading.Event()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        super().__exit__(kind, error, trace)

    def tools(self, request: Request) -> list[str]:
        own = [tool for tool in (request.body or {}).get("tools") or [] if tool.get("type") == "function"]
        found = [f"{space}/{tool['name']}" for space, tool in self._found(request)]
        return [*found, *(tool["name"] for tool in own)]

    def described(self, request: Request) -> dict[str, str]:
        """What the model is told of each name space that it found."""
        return {space["name"]: space.get("description", "") for space in self._spaces(request)}

    def results(self, request: Request) -> list[str]:
        return [item["output"] for item in self._items(request, "function_call_output")]

    def answer(self, request: Request) -> tuple[str, str]:
        call = self.next_call(request)
        done, searches = len(self.results(request)), len(self._items(request, "tool_search_output"))
        item: dict[str, Any] = {"type": "message", "role": "assistant", "id": f"m{done}"}
        item["content"] = [{"type": "output_text", "text": FINAL_WORDS}]
        if call is not None:
            space, _, name = call[0].rpartition("/")
            item = {"type": "function_call", "id": f"f{done}", "call_id": f"call{done}"}
            item |= {"namespace": space} if space else {}
            item |= {"name": name, "arguments": json.dumps(call[1])}
        elif done < len(self.script) and searches < self._most_searches:
            self._over.wait(self._pause if searches else 0)
            item = {"type": "tool_search_call", "call_id": f"search{searches}", "execution": "client"}
            item |= {"status": "completed", "arguments": {"query": self.query}}
        response = {
            "id": f"r{len(self.requests)}",
            "usage": {**_NO_TOKENS, "total_tokens": self.tokens if call is not None else 2},
        }
        return events(
            {"type": "response.created", "response": response},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response},
        )

    def _found(self, request: Request) -> list[tuple[str, Any]]:
        return [(space["name"], tool) for space in self._spaces(request) for tool in space.get("tools") or []]

    def _spaces(self, request: Request) -> list[Any]:
        return [space for item in self._items(request, "tool_search_output") for space in item["tools"]]

    def _items(self, request: Request, kind: str) -> list[Any]:
        return [item for item in (request.body or {}).get("input") or [] if item.get("type") == kind]


_NO_TOKENS = {
    "input_tokens": 1,
    "input_tokens_details": None,
    "output_tokens": 1,
    "output_tokens_details": None,
    "total_tokens": 2,
}
