"""Sources made by settings alone: their names, where they may be set, and their life in an engine."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from recall.api import Deadline, Query, State
from recall.engine import Engine
from recall.errors import SettingsError
from recall.settings import trust
from support import mcp_server
from support.ending import is_gone
from support.serving import served
from support.web_server import reply, serving
from support.worlds import run_recall

TABLE = f"""
[providers.mcp.Team_Notes]
command = [{sys.executable!r}, {mcp_server.__file__!r}, "answers", "{{home}}"]
tool = "search_notes"
results = "results[*]"
path = "file"
"""


class World:
    """A home and a project."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "api"
        self.settings = self.home / ".config/recall/config.toml"
        self.settings.parent.mkdir(parents=True)
        self.project.mkdir()

    def start(self, **env: str) -> Engine:
        return Engine.start(self.project, home=self.home, env={"PATH": os.defpath, **env})

    def servers(self) -> list[int]:
        return [int(path.name.removeprefix("started-")) for path in self.home.glob("started-*")]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def outcome_of(answer: Any, name: str) -> Any:
    return next(outcome for outcome in answer.outcomes if outcome.provider == name)


def test_without_settings_there_are_none(world: World) -> None:
    engine = world.start()
    assert not [row.name for row in engine.plugins if row.name.startswith(("mcp", "http"))]
    engine.close()


def test_each_table_is_a_source_by_the_name_of_its_family_and_its_own(world: World) -> None:
    world.settings.write_text(TABLE + '[providers.http.wiki]\nurl = "http://127.0.0.1:9/"\nenabled = false\n')
    engine = world.start(
        RECALL_PROVIDERS__MCP_TEAM_NOTES__TITLE="name", RECALL_PROVIDERS__MCP__TEAM_NOTES__ID="key"
    )
    rows = {row.name: row for row in engine.plugins if row.name.startswith(("mcp", "http"))}
    assert list(rows) == ["http-wiki", "mcp-team-notes"]
    assert (rows["http-wiki"].enabled, rows["http-wiki"].reason) == (False, "disabled in the settings")
    source = engine.sources["mcp-team-notes"]
    assert source.searches
    assert source.provider.name == "mcp-team-notes"
    assert (source.provider.options.title, source.provider.options.id) == ("name", "key")
    engine.close()


def test_a_flat_table_means_the_same(world: World) -> None:
    world.settings.write_text(TABLE.replace("mcp.Team_Notes", "mcp-team-notes"))
    engine = world.start()
    assert engine.sources["mcp-team-notes"].provider.options.tool == "search_notes"
    engine.close()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[providers.mcp.notes]\ntol = "x"\n',
            ':2: providers.mcp-notes.tol: unknown key (did you mean "tool"?)',
        ),
        ('[providers.mcp.notes]\ncommand = ["a"]\ntool = 3\n', ":3: providers.mcp-notes.tool: "),
        ("[providers.mcp]\nenabled = true\n", ":1: providers.mcp: unknown provider"),
        ('[providers.http.wiki]\nurl = "file:///etc/passwd"\n', "url: it begins with http:// or https://"),
        ('[providers.http.wiki]\nurl = "http://x/{q}"\n', "url: nothing fills {q}"),
    ],
)
def test_mistakes_are_told_with_their_line(world: World, text: str, said: str) -> None:
    world.settings.write_text(text)
    with pytest.raises(SettingsError) as told:
        world.start()
    assert f"{world.settings}" in str(told.value)
    assert said in str(told.value)


def test_a_table_without_what_it_needs_is_off_and_says_what(world: World) -> None:
    world.settings.write_text('[providers.mcp.notes]\ntool = "search"\n')
    engine = world.start()
    (row,) = [row for row in engine.plugins if row.name == "mcp-notes"]
    assert not row.enabled
    assert row.reason == "it has neither a command nor a url"
    assert row.next_step == "set one of them below [providers.mcp.notes]"
    engine.close()


def test_a_table_with_nothing_in_it_is_a_row_too(world: World) -> None:
    world.settings.write_text("[providers.http.wiki]\n")
    engine = world.start()
    assert [row.reason for row in engine.plugins if row.name == "http-wiki"] == ["it has no url"]
    engine.close()


def test_a_strangers_project_makes_none_and_changes_none(world: World) -> None:
    file = world.project / ".recall.toml"
    file.write_text(TABLE + '\n[providers.http.wiki]\nenabled = true\nurl = "http://evil.example/"\n')
    engine = world.start()
    assert not {"mcp-team-notes", "http-wiki"} & {row.name for row in engine.plugins}
    assert any("providers.mcp-team-notes" in notice for notice in engine.notices())
    engine.close()
    world.settings.write_text(TABLE)
    file.write_text('[providers.mcp.team-notes]\ncommand = ["/bin/evil"]\nresults = "x"\n')
    engine = world.start()
    options = engine.sources["mcp-team-notes"].provider.options
    assert (options.command[0], options.results) == (sys.executable, "results[*]")
    assert sum("not used until you run" in notice for notice in engine.notices()) == 2
    engine.close()


def test_a_project_that_the_user_trusts_may(world: World) -> None:
    file = world.project / ".recall.toml"
    file.write_text(TABLE)
    engine = world.start()
    trust.trust(str(file.resolve()), file.read_bytes(), engine.places.state)
    engine.close()
    engine = world.start()
    assert "mcp-team-notes" in engine.sources
    engine.close()


def test_one_session_serves_all_questions_of_an_engine_and_ends_with_it(world: World) -> None:
    world.settings.write_text(TABLE)
    engine = world.start()
    for question in ("결제 재시도", "make rollback", "rollback"):
        answer = engine.recall(question, deadline=60)
        assert outcome_of(answer, "mcp-team-notes").state is State.READY
        assert any(hit.ranked.row.uri.startswith("recall://mcp-team-notes/") for hit in answer.hits)
    (server,) = world.servers()
    engine.close()
    assert is_gone(server)


def test_a_server_that_hangs_holds_no_answer_and_is_gone_afterwards(world: World) -> None:
    world.settings.write_text(TABLE.replace('"answers"', '"hangs in a call"'))
    engine = world.start()
    provider = engine.sources["mcp-team-notes"].provider
    provider.health(engine.scope, Deadline.after(60))
    outcome = outcome_of(engine.recall("결제", deadline=0.5), "mcp-team-notes")
    assert outcome.state is State.BUSY
    (server,) = world.servers()
    engine.close()
    assert is_gone(server)


@pytest.mark.parametrize("end", ["end of input", "terminated", "killed"])
def test_recall_serve_keeps_one_session_and_takes_the_server_with_it(world: World, end: str) -> None:
    world.settings.write_text(TABLE.replace('"answers"', '"hangs in the end"'))
    with served(world.home, world.project) as server:
        server.greet()
        for question in ("결제 재시도", "make rollback"):
            answer = server.call("deep_recall", query=question, deadline=30)
            assert "recall://mcp-team-notes/" in answer["content"][0]["text"]
        (pid,) = world.servers()
        if end == "end of input":
            server.end_of_input()
        else:
            server.process.send_signal(signal.SIGTERM if end == "terminated" else signal.SIGKILL)
        assert is_gone(pid)


def test_sources_that_are_files_take_no_part_in_it(world: World) -> None:
    engine = world.start()
    query = Query("x", ("x",))
    assert not [name for name, source in engine.sources.items() if hasattr(source.provider, "try_out")]
    assert query.limit == 50
    engine.close()


def try_out(world: World, *arguments: str) -> Any:
    return run_recall(["providers", "--try", *arguments], home=world.home, cwd=world.project)


def test_the_command_shows_the_raw_answer_beside_what_was_understood(world: World) -> None:
    with serving(reply('{"hits": [{"body": "두 번만\\u001b[31m", "title": "재시도"}]}')) as server:
        table = f'[providers.http.wiki]\nurl = "{server.url}/s?q={{terms}}"\nresults = "hits[*]"\ntext = ["body"]\n'
        world.settings.write_text(table)
        done = try_out(world, "http-wiki", "결제 재시도")
        assert (done.returncode, done.stderr) == (0, "")
        asked, _, raw, answer, *_rest = done.stdout.splitlines()
        assert asked.startswith(f"asked: GET {server.url}/s?q=%EA%B2%B0")
        assert raw.startswith("raw answer (")
        assert answer.startswith('  {"hits": [')
        assert "understood: 1 memory\n  1. 재시도\n" in done.stdout
        assert "\x1b" not in done.stdout
        document = json.loads(try_out(world, "http-wiki", "결제", "--json").stdout)
        assert [found["title"] for found in document["understood"]] == ["재시도"]


def test_the_command_says_why_nothing_came_or_was_understood(world: World) -> None:
    with serving(reply('{"hits": []}')) as server:
        world.settings.write_text(f'[providers.http.wiki]\nurl = "{server.url}"\nresults = "results"\n')
        done = try_out(world, "http-wiki", "결제")
        assert done.returncode == 1
        assert "not understood: nothing is at results = 'results'; the answer holds hits" in done.stdout
    done = try_out(world, "http-wiki", "결제")
    assert done.returncode == 1
    assert done.stdout.startswith("http-wiki: absent: nobody listens at")
    assert "next: start the server" in done.stdout


@pytest.mark.parametrize(
    ("name", "said"),
    [("serena", "serena is read and indexed, not asked"), ("http-wik", "no provider is called 'http-wik'")],
)
def test_the_command_tries_only_what_is_asked(world: World, name: str, said: str) -> None:
    done = try_out(world, name, "결제")
    assert done.returncode == 2
    assert said in done.stderr
