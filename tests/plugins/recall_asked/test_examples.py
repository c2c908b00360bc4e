"""The examples of the pages can be used as they stand, and read what those servers answer."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from recall.api import Memory
from recall_asked import reading
from recall_asked.http_provider import HttpOptions, HttpSource
from recall_asked.mcp_provider import McpOptions, McpSource
from support.worlds import REPOSITORY


def tables(page: str) -> dict[str, dict[str, Any]]:
    """The tables of a page's examples, by family and name."""
    text = (REPOSITORY / "docs/providers" / page).read_text("utf-8")
    found: dict[str, dict[str, Any]] = {}
    for block in re.findall(r"```toml\n(.+?)```", text, re.DOTALL):
        for family, members in tomllib.loads(block)["providers"].items():
            found |= {f"{family}-{name}": table for name, table in members.items()}
    return found


def values(table: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


EXAMPLES = {**tables("mcp.md"), **tables("http.md")}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_a_source(name: str) -> None:
    if name.startswith("mcp-"):
        assert McpSource(McpOptions(**values(EXAMPLES[name]))).options.tool
    else:
        assert HttpSource(HttpOptions(**values(EXAMPLES[name]))).options.url


def read(name: str, answer: Any) -> list[Memory]:
    options = McpOptions(**values(EXAMPLES[name]))
    return [item for item in reading.memories(answer, options, 50) if isinstance(item, Memory)]


def test_an_answer_of_basic_memory_is_read() -> None:
    result = {
        "title": "결제 재시도",
        "type": "entity",
        "score": 1.2,
        "permalink": "main/decisions/payment-retry",
        "content": "실패한 결제는 두 번만 재시도한다.",
        "file_path": "decisions/payment-retry.md",
        "updated_at": "2026-05-01T09:00:00",
        "metadata": None,
    }
    (memory,) = read("mcp-basic-memory", {"results": [result], "current_page": 1, "page_size": 50})
    assert (memory.id, memory.path) == ("main/decisions/payment-retry", "decisions/payment-retry.md")
    assert memory.text == "실패한 결제는 두 번만 재시도한다."
    assert memory.updated is not None
    assert read("mcp-basic-memory", "# Search Complete - No Results Found\n\nTry other words.") == []


def test_an_answer_of_mempalace_is_read() -> None:
    result = {
        "drawer_id": "drawer_api_1",
        "text": "Webhooks are signed with the endpoint's own key.",
        "wing": "api",
        "room": "decisions",
        "source_file": "webhooks.md",
        "source_path": "/notes/webhooks.md",
        "created_at": "2026-04-02T10:00:00",
        "similarity": 0.61,
    }
    (memory,) = read("mcp-mempalace", {"query": "webhook", "results": [result]})
    assert (memory.id, memory.project, memory.path) == ("drawer_api_1", "api", "/notes/webhooks.md")
    assert memory.updated is not None
