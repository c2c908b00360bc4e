"""Conversations keep the contract."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, ClassVar

import pytest

import recall_transcripts
from recall.claude_names import slug
from recall.testing import FolderCorpus, ProviderContract
from recall.testing.corpus import NOW

_WHEN = "2026-05-18T07:05:00.000Z"


class Sessions(FolderCorpus):
    """A session with Claude Code a memory: a request, its answer, and the next request, which begins another one."""

    def provider(self, **changes: Any) -> Any:
        options = self.provider_class.Options(**changes)
        return self.provider_class(options, lambda: NOW)

    def spoil(self, name: str) -> None:
        self.put(
            self.path(name), b"\x00\xff no record\n"
        )  # without its end a line is one still being written

    def document(self, name: str, text: str) -> str:
        turns = (("user", text), ("assistant", "알겠습니다."), ("user", "지금 묻는 것"))
        records = [
            {
                "type": who,
                "uuid": f"{name}-{number}",
                "sessionId": name,
                "cwd": os.fspath(self.scope.root),
                "timestamp": _WHEN,
                "message": {
                    "role": who,
                    "content": said if who == "user" else [{"type": "text", "text": said}],
                },
            }
            for number, (who, said) in enumerate(turns)
        ]
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


class TestTranscripts(ProviderContract):
    skips: ClassVar[dict[str, str]] = {
        "test_template_text_is_not_content": "nobody fills in a conversation: a request is content, whatever it says",
    }

    @pytest.fixture
    def corpus(self, tmp_path: Path) -> FolderCorpus:
        folder = f"~/.claude/projects/{slug(os.fspath(tmp_path / 'shop-api'))}"
        return Sessions(tmp_path, recall_transcripts, f"{folder}/{{name}}.jsonl", limits={"max_chars": 1000})
