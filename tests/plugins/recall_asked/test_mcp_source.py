"""A tool of an MCP server as a source."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recall.api import Deadline, Memory, Query, Scope, State
from recall.errors import NotConfigured, StoreAbsent, StoreBroken, StoreBusy
from recall.transport.mcp import Tool
from recall_asked.mcp_provider import McpOptions, McpSource, _forbidden
from support import mcp_server

QUERY = Query("왜 결제가?", ("결제",), 7)


class Made:
    """Sources, closed after the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scope = Scope(folder, folder, folder, folder, ("api",), {"PATH": os.defpath})
        self.sources: list[McpSource] = []

    def __call__(self, behaviour: str = "answers", **options: Any) -> McpSource:
        command = (sys.executable, mcp_server.__file__, behaviour, "{root}")
        defaults: dict[str, Any] = {"tool": "search_notes", "results": "results[*]", "path": "file"}
        self.sources.append(McpSource(McpOptions(command=command, **{**defaults, **options})))
        return self.sources[-1]

    def search(self, source: McpSource, seconds: float = 120) -> list[Any]:
        return list(source.search(QUERY, self.scope, Deadline.after(seconds)))

    def health(self, source: McpSource) -> Any:
        return source.health(self.scope, Deadline.after(120))

    def started(self) -> int:
        return len(list(self.folder.glob("started-*")))


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    sources = Made(tmp_path)
    yield sources
    for source in sources.sources:
        source.close()


def test_one_session_serves_doctor_and_every_question(made: Made) -> None:
    source = made()
    assert made.health(source).state is State.READY
    for _ in range(3):
        first, second = made.search(source)
        assert first == Memory("7", "Retry twice.", "결제 재시도", "notes/retry.md", kind="result")
        assert second.title == "Rollback"
    assert made.started() == 1


def test_a_server_that_died_is_started_again_for_the_next_question(made: Made) -> None:
    source = made("dies in a call")
    for _ in range(2):
        with pytest.raises(StoreBroken, match="disk I/O error"):
            made.search(source)
    assert made.started() == 2


def test_results_can_be_a_text(made: Made) -> None:
    found = made.search(made("text", results="", split="\n---\n"))
    assert [memory.title for memory in found] == ["결제 재시도", "Rollback"]


def test_the_command_gets_the_whole_environment_and_starts_at_home(made: Made) -> None:
    source = made(
        "echoes", env=("NOTES_HOME={home}/notes",), arguments=("query={terms}", "page_size={limit}")
    )
    tried = source.try_out(QUERY, made.scope, Deadline.after(120))
    assert '"arguments": {"query": "\\uacb0\\uc81c", "page_size": 7}' in tried.raw
    assert f'"NOTES_HOME": "{made.folder}/notes"' in tried.raw
    assert f'"cwd": "{made.folder}"' in tried.raw
    assert tried.trouble.startswith("nothing is at results")


def test_doctor_does_not_call_the_tool(made: Made) -> None:
    health = made.health(made())
    assert health.items is None
    assert health.facts == ("answers as scripted 1.2, protocol 2025-11-25; it cannot be counted",)
    assert not (made.folder / "called").exists()


@pytest.mark.parametrize(
    ("options", "state", "reason", "step"),
    [
        ({"tool": "serch"}, State.BROKEN, "the server has no tool 'serch'", "it has: search_notes"),
        (
            {"arguments": ("page_size={limit}",)},
            State.BROKEN,
            "search_notes requires query, which `arguments` does not give",
            "correct `arguments`",
        ),
        (
            {"arguments": ("query={terms}", "pagesize={limit}")},
            State.DEGRADED,
            "search_notes has no argument pagesize (did you mean 'page_size'?)",
            "it has: query, page_size",
        ),
    ],
)
def test_doctor_compares_the_settings_with_what_the_server_offers(
    made: Made, options: dict[str, Any], state: State, reason: str, step: str
) -> None:
    health = made.health(made(**options))
    assert (health.state, health.reason, health.next_step) == (state, reason, step)


def test_a_server_that_is_not_there_is_absent(made: Made) -> None:
    source = McpSource(McpOptions(command=("no-such-server",), tool="x"))
    with pytest.raises(StoreAbsent, match="there is no program 'no-such-server'"):
        made.search(source)


def test_a_program_in_the_project_is_not_run_by_its_name(made: Made) -> None:
    program = made.folder / "notes-server"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    scope = Scope(made.folder, made.folder, made.folder, made.folder, ("api",), {"PATH": str(made.folder)})
    source = McpSource(McpOptions(command=("notes-server",), tool="x"))
    with pytest.raises(StoreAbsent, match="there is no program"):
        list(source.search(QUERY, scope, Deadline.after(60)))


def test_a_server_that_is_slow_is_busy_and_goes_on_starting(made: Made) -> None:
    source = made()
    with pytest.raises(StoreBusy, match="still starting"):
        made.search(source, 0)
    assert len(made.search(source)) == 2
    assert made.started() == 1


def test_a_server_that_hangs_in_call_after_call_is_started_again(made: Made) -> None:
    source = made("hangs in a call")
    made.health(source)
    for _ in range(2):
        with pytest.raises(StoreBusy, match="did not answer in time"):
            made.search(source, 0.3)
    assert made.started() == 1
    made.health(source)
    assert made.started() == 2


def test_an_idle_session_is_ended_and_the_next_question_opens_another(made: Made) -> None:
    source = made(idle_seconds=1.0)
    made.search(source)
    (file,) = made.folder.glob("started-*")
    assert select.select([os.pidfd_open(int(file.name.removeprefix("started-")))], [], [], 60)[0]
    assert len(made.search(source)) == 2
    assert made.started() == 2


def test_a_tool_that_says_it_deletes_is_not_called() -> None:
    assert (
        _forbidden(Tool("wipe", destructive=True)) == "wipe says of itself that it changes or deletes things"
    )
    assert not _forbidden(Tool("search", read_only=True, destructive=True))
    assert not _forbidden(Tool("search"))


def test_without_a_command_or_a_tool_it_is_not_configured() -> None:
    with pytest.raises(NotConfigured, match="neither a command nor a url"):
        McpSource(McpOptions(tool="x"))
    with pytest.raises(NotConfigured, match="it has no tool"):
        McpSource(McpOptions(url="http://127.0.0.1:1/mcp"))
    with pytest.raises(ValueError, match="command and url"):
        McpOptions(command=("a",), url="http://127.0.0.1/")


def test_a_tool_that_the_server_does_not_list_is_not_called(made: Made) -> None:
    with pytest.raises(StoreBroken, match="has no tool 'search_notes'"):
        made.search(made("has no tools"))
    assert not (made.folder / "called").exists()


def test_parts_of_an_answer_that_are_no_text_are_counted(made: Made) -> None:
    (problem,) = made.search(made("images"))
    assert problem.reason == "parts of it without text, not used: 1"
    assert not problem.harmless


def test_a_late_call_asks_for_a_longer_deadline(made: Made) -> None:
    source = made("hangs in a call")
    assert made.health(source).state is State.READY
    with pytest.raises(StoreBusy) as late:
        made.search(source, 0.5)
    assert late.value.next_step == "ask again with a longer deadline"
