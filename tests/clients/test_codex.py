"""Codex, as it is: in a session its model finds the tools by a search, and is given the memories with their label."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clients.models import FINAL_WORDS, Call, OpenAI
from clients.packages import CODEX
from clients.worlds import MEMORY, QUESTION, URI, World, program_of


@pytest.fixture
def codex() -> Path:
    return program_of(CODEX)


def session(world: World, codex: Path, model: OpenAI, server: str = "", **env: str) -> list[Any]:
    """One session without a person, with strictly checked settings; its events.

    server: the settings of the server, else what `recall setup` writes.
    """
    folder = world.home / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(
        'model_provider = "scripted" # 시험용\n\n[model_providers.scripted]\nname = "scripted"\n'
        f'base_url = "{model.url}/v1"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n'
    )
    if server:
        with (folder / "config.toml").open("a", encoding="utf-8") as file:
            file.write(server)
    else:
        world.set_up("codex")
    done = world.run(
        [codex, "exec", "--json", "--strict-config", "--skip-git-repo-check", "-m", "gpt-5.5", QUESTION],
        {"SCRIPTED_KEY": "not-a-key", **env},
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_it_reads_what_setup_wrote(world: World, codex: Path) -> None:
    world.run([codex, "mcp", "add", "notes", "--", "/bin/false"])
    world.set_up("codex")
    listed = {one["name"]: one for one in json.loads(world.run([codex, "mcp", "list", "--json"]).stdout)}
    assert set(listed) == {"notes", "recall"}
    assert listed["recall"]["transport"]["command"] == str(world.recall)
    world.run([codex, "mcp", "add", "more", "--", "/bin/false"])
    assert world.asked_to_set_up("codex").startswith("already set up: ")  # Codex wrote the file since


def test_the_model_finds_the_tools_and_is_given_the_memories_with_their_label(
    world: World, codex: Path
) -> None:
    with OpenAI([Call("deep_recall", {"query": QUESTION}), Call("read_memory", {"uri": URI})]) as model:
        said = session(world, codex, model)
    assert FINAL_WORDS in [event["item"].get("text") for event in said if event["type"] == "item.completed"]
    recalled, page = (json.loads(shown.partition("Output:\n")[2]) for shown in model.seen)
    first = recalled["memories"][0]
    assert (first["uri"], first["trust"]) == (URI, "untrusted")
    assert MEMORY in first["text"]
    assert "data" in recalled["label"]
    assert page["trust"] == "untrusted"
    assert MEMORY in page["text"]


def test_the_tools_are_described_by_all_of_the_server_s_instructions(world: World, codex: Path) -> None:
    with OpenAI([Call("memory_health")]) as model:
        session(world, codex, model)
    described = model.described(model.requests[-1])["mcp__recall"]
    assert "call deep_recall" in described
    assert "current code and Git win" in described


def test_it_is_the_same_over_http_with_the_token(world: World, codex: Path) -> None:
    with world.served() as (url, token), OpenAI([Call("deep_recall", {"query": QUESTION})]) as model:
        server = f'\n[mcp_servers.recall]\nurl = "{url}"\nbearer_token_env_var = "MCP_RECALL_TOKEN"\n'
        session(world, codex, model, server, MCP_RECALL_TOKEN=token)
    assert MEMORY in model.seen[0]
