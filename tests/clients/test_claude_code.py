"""Claude Code, as it is: it connects, and its model is given the memories with their label."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clients.models import FINAL_WORDS, Anthropic, Call
from clients.packages import CLAUDE_CODE
from clients.worlds import MEMORY, QUESTION, REPOSITORY, TOOLS, URI, World, program_of

PLUGIN = REPOSITORY / "integrations" / "claude-code"


@pytest.fixture
def claude() -> Path:
    return program_of(CLAUDE_CODE)


def turn(world: World, claude: Path, model: Anthropic, **env: str) -> str:
    """One turn of a session without a person; what it printed last."""
    scripted = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "not-a-key", **env}
    done = world.run(
        [
            claude,
            "-p",
            QUESTION,
            "--output-format",
            "json",
            "--allowedTools",
            "mcp__recall,mcp__plugin_recall_recall",
        ],
        {**scripted, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
    )
    said: Any = json.loads(done.stdout)
    return str((said[-1] if isinstance(said, list) else said)["result"])


def test_it_connects_to_what_setup_wrote(world: World, claude: Path) -> None:
    world.run([claude, "mcp", "add", "-s", "user", "notes", "--", "/bin/false"])
    world.set_up("claude-code")
    listed = world.run([claude, "mcp", "list"]).stdout
    assert f"recall: {world.recall} serve - ✔ Connected" in listed
    assert "notes: /bin/false" in listed  # what was there is there
    said = world.asked_to_set_up("claude-code")  # Claude Code wrote the file since
    assert said.startswith("already set up: ")


def test_the_model_is_given_the_memories_with_their_label(world: World, claude: Path) -> None:
    world.set_up("claude-code")
    with Anthropic([Call("deep_recall", {"query": QUESTION}), Call("read_memory", {"uri": URI})]) as model:
        assert turn(world, claude, model) == FINAL_WORDS
    assert {f"mcp__recall__{tool}" for tool in TOOLS} <= model.offered
    recalled, page = map(json.loads, model.seen)
    first = recalled["memories"][0]
    assert (first["uri"], first["source"], first["trust"]) == (URI, "serena", "untrusted")
    assert MEMORY in first["text"]
    assert first["disagrees"][0]["trust"] == "untrusted"
    assert "data" in recalled["label"]
    assert {one["provider"]: one["state"] for one in recalled["outcomes"]}["claude-mem"] == "empty"
    assert MEMORY in page["text"]
    assert page["trust"] == "untrusted"


def test_the_tools_and_the_instructions_are_there_in_the_first_request(world: World, claude: Path) -> None:
    world.set_up("claude-code")
    with Anthropic([]) as model:
        turn(world, claude, model)
    first = next(request for request in model.requests if model.tools(request))
    assert "mcp__recall__deep_recall" in model.tools(first)
    assert "## recall" in json.dumps(first.body, ensure_ascii=False)


def test_a_wrong_argument_comes_back_as_an_error_that_the_model_can_act_on(
    world: World, claude: Path
) -> None:
    world.set_up("claude-code")
    with Anthropic([Call("deep_recall", {"query": QUESTION, "limt": 3})]) as model:
        assert turn(world, claude, model) == FINAL_WORDS
    (said,) = model.seen
    assert 'did you mean "limit"?' in said
    results = [
        block
        for message in model.requests[-1].body["messages"]
        for block in message["content"]
        if isinstance(block, dict) and block.get("type") == "tool_result"
    ]
    assert results[0]["is_error"] is True


def test_a_project_s_file_is_read_too(world: World, claude: Path) -> None:
    world.set_up("claude-code", "--project")
    assert (world.project / ".mcp.json").is_file()
    assert "recall" in (pending := world.run([claude, "mcp", "list"]).stdout)
    assert "Pending approval" in pending
    settings = world.home / ".claude" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('{"enableAllProjectMcpServers": true}')
    assert "✔ Connected" in world.run([claude, "mcp", "list"]).stdout


def test_it_connects_over_http_with_the_token(world: World, claude: Path) -> None:
    with world.served() as (url, token):
        add: list[str | Path] = [claude, "mcp", "add", "-s", "user", "-t", "http"]
        world.run([*add, "recall", url, "-H", f"Authorization: Bearer {token}"])
        world.run([*add, "without-token", url])
        listed = world.run([claude, "mcp", "list"]).stdout
    assert f"recall: {url} (HTTP) - ✔ Connected" in listed
    assert listed.count("✔ Connected") == 1


def test_the_plugin_is_valid(world: World, claude: Path) -> None:
    for path in (PLUGIN, PLUGIN / ".claude-plugin" / "plugin.json"):
        done = world.run([claude, "plugin", "validate", "--strict", path])
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_installed_plugin_connects_and_answers(world: World, claude: Path) -> None:
    bin_folder = {"RECALL_BIN": str(world.recall)}
    assert world.run([claude, "plugin", "marketplace", "add", PLUGIN]).returncode == 0
    assert world.run([claude, "plugin", "install", "recall@recall"]).returncode == 0
    assert "plugin:recall:recall" in (listed := world.run([claude, "mcp", "list"], bin_folder).stdout)
    assert "✔ Connected" in listed
    with Anthropic([Call("deep_recall", {"query": QUESTION})]) as model:
        assert turn(world, claude, model, **bin_folder) == FINAL_WORDS
    assert "mcp__plugin_recall_recall__deep_recall" in model.offered
    assert MEMORY in json.loads(model.seen[0])["memories"][0]["text"]
