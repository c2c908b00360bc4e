"""A claude-mem worker as far as it answers questions: rows by word, and every fault that a path is told to have."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from support.web_server import Behaviour, Served, reply, serving

READY = {"status": "ready", "mcpReady": True}


@dataclass
class FakeWorker:
    """What it holds; `faults` takes the place of an answer, by path."""

    database: Path
    observations: list[dict[str, Any]] = field(default_factory=list)
    sessions: list[dict[str, Any]] = field(default_factory=list)
    prompts: list[dict[str, Any]] = field(default_factory=list)
    vectors: str = "disabled"
    faults: dict[str, Behaviour] = field(default_factory=dict)
    served: Served = field(default_factory=lambda: Served(0))

    @property
    def port(self) -> int:
        return self.served.port

    @property
    def asked(self) -> list[str]:
        """The paths that were asked for, with what was asked."""
        return [request.split(" ", 2)[1] for request in self.served.requests]

    @property
    def searched(self) -> list[dict[str, str]]:
        """What each search was asked."""
        urls = [urlsplit(path) for path in self.asked]
        return [
            {name: values[0] for name, values in parse_qs(url.query).items()}
            for url in urls
            if url.path == "/api/search"
        ]

    def behave(self, connection: socket.socket, request: str) -> None:
        """Answer one request."""
        url = urlsplit(request.split(" ", 2)[1])
        if url.path in self.faults:
            self.faults[url.path](connection, request)
        else:
            found = self._answer(url.path, {name: one[0] for name, one in parse_qs(url.query).items()})
            status = "200 OK" if found is not None else "404 Not Found"
            reply(json.dumps(found, ensure_ascii=False), status)(connection, request)

    def _answer(self, path: str, asked: Mapping[str, str]) -> Any:
        rows = [*self.observations, *self.sessions, *self.prompts]
        return {
            "/api/readiness": READY,
            "/api/health": {"status": "ok", "initialized": False},
            "/api/stats": {"worker": {"version": "13.25.3"}, "database": {"path": str(self.database)}},
            "/api/chroma/status": {"status": self.vectors},
            "/api/projects": {"projects": sorted({row["project"] for row in rows})},
            "/api/processing-status": {"isProcessing": False, "queueDepth": 3, "parkedSessions": 1},
            "/api/settings/dependency-health": {
                "degraded": True,
                "statuses": [
                    {"dependency": "claude_cli", "message": "Claude executable not found.\nInstall it."}
                ],
            },
            "/api/search": {
                "observations": self._matching(self.observations, asked),
                "sessions": self._matching(self.sessions, asked),
                "prompts": self._matching(self.prompts, asked),
            },
        }.get(path)

    def _matching(self, rows: list[dict[str, Any]], asked: Mapping[str, str]) -> list[dict[str, Any]]:
        """As the real one: the whole query is one phrase; by meaning, everything is near."""
        phrase, project = asked.get("query", "").lower(), asked.get("project")
        return [
            row
            for row in rows
            if project in (None, row["project"])
            and (self.vectors == "healthy" or phrase in json.dumps(row, ensure_ascii=False).lower())
        ][: int(asked.get("limit", 20))]


def silent(connection: socket.socket, _request: str) -> None:
    """Accepts and says nothing until the client leaves."""
    connection.recv(1)


def dripping(connection: socket.socket, _request: str) -> None:
    """An answer without an end, byte by byte, until the client leaves."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    connection.settimeout(0.02)
    while True:
        connection.sendall(b" ")
        try:
            if not connection.recv(1):
                return
        except TimeoutError:
            continue


def dying(connection: socket.socket, _request: str) -> None:
    """Half an answer, and gone."""
    connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{"observations": [')


@contextmanager
def running(worker: FakeWorker) -> Iterator[FakeWorker]:
    """The worker on a free port of this machine."""
    with serving(worker.behave) as served:
        worker.served = served
        yield worker
