"""A home folder and a project to put transcripts into."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from recall.api import Memory, Problem
from recall_transcripts.provider import TranscriptsOptions, TranscriptsProvider
from support.looking import Looking, made_scope

NOW = 1_780_000_000.0
WHEN = "2026-05-18T07:05:00.000Z"


class World(Looking):
    """One home, one project, and what the provider makes of them."""

    @property
    def root(self) -> str:
        return os.fspath(self.scope.root)

    def write(self, path: Path, content: bytes | str | Iterable[object]) -> Path:
        """A file; anything but text and bytes is written as JSON, a record a line; its age is none."""
        path.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, bytes | str):
            content = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.utime(path, (NOW - 3600, NOW - 3600))
        return path

    def claude(self, *records: object, session: str = "s1", cwd: str = "") -> Path:
        """A session of Claude Code, by default of this project; its last request is yet to be answered."""
        slug = re.sub(r"[^A-Za-z0-9]", "-", cwd or self.root)
        records = (*records, self.asks("지금 묻는 것", "now"))
        return self.write(self.scope.home / f".claude/projects/{slug}/{session}.jsonl", records)

    def codex(self, *records: object, name: str = "rollout-2026-05-18T07-05-00-x.jsonl") -> Path:
        """A session of Codex; its last request is yet to be answered."""
        message = {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "지금 묻는 것"}],
        }
        records = (*records, {"type": "response_item", "payload": message})
        return self.write(self.scope.home / ".codex/sessions/2026/05/18" / name, records)

    def gemini(self, *records: object, folder: str = "shop-api", name: str = "session-1.jsonl") -> Path:
        """A session of Gemini CLI in a folder of this project; its last request is yet to be answered."""
        records = (*records, {"id": "now", "type": "user", "content": "지금 묻는 것"})
        top = self.scope.home / ".gemini/tmp" / folder
        self.write(top / ".project_root", self.root)
        return self.write(top / "chats" / name, records)

    def asks(self, text: Any, uuid: str, **more: object) -> dict[str, object]:
        """A person's record in a Claude Code session."""
        return {
            "type": "user",
            "uuid": uuid,
            "sessionId": "s1",
            "cwd": self.root,
            "gitBranch": "main",
            "timestamp": WHEN,
            "message": {"role": "user", "content": text},
            **more,
        }

    def answers(self, text: Any, uuid: str, **more: object) -> dict[str, object]:
        """The assistant's record in a Claude Code session."""
        content = [{"type": "text", "text": text}] if isinstance(text, str) else text
        return (
            self.asks(text, uuid, type="assistant", message={"role": "assistant", "content": content}) | more
        )

    @property
    def provider(self) -> TranscriptsProvider:
        return TranscriptsProvider(self.options, lambda: NOW)

    def memories(self) -> dict[str, Memory]:
        """By id; of copies of one exchange the newest file's, as in the index."""
        return {item.id: item for item in self.loaded() if isinstance(item, Memory)}

    def texts(self) -> list[str]:
        return [item.text for item in self.loaded() if isinstance(item, Memory)]

    def problems(self) -> list[str]:
        return [f"{item.where}: {item.reason}" for item in self.loaded() if isinstance(item, Problem)]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(made_scope(tmp_path), TranscriptsOptions())
