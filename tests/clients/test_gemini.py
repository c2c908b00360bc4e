"""Gemini CLI, as it is: it connects, and its model is given the memories with their label."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clients.models import FINAL_WORDS, Call, Gemini
from clients.packages import GEMINI
from clients.worlds import MEMORY, QUESTION, TOOLS, URI, World, node_program


@pytest.fixture
def gemini(world: World) -> list[str | Path]:
    """The program, with its settings written by `recall setup` into those a user has who comes with a key."""
    program = node_program(GEMINI)
    settings = world.home / ".gemini" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(
        '{\n  // a key, not a login\n  "security": {"auth": {"selectedType": "gemini-api-key"}}\n}\n'
    )
    settings.with_name("trustedFolders.json").write_text(json.dumps({str(world.project): "TRUST_FOLDER"}))
    world.set_up("gemini")
    assert "// a key, not a login" in settings.read_text()
    return program


def test_it_connects_to_what_setup_wrote(world: World, gemini: list[str | Path]) -> None:
    done = world.run([*gemini, "mcp", "list"])
    assert f"✓ recall: {world.recall} serve (stdio) - Connected" in done.stdout + done.stderr


def test_it_connects_over_http_with_the_token(world: World, gemini: list[str | Path]) -> None:
    with world.served() as (url, token):
        header = ["-H", f"Authorization: Bearer {token}"]
        world.run([*gemini, "mcp", "add", "-s", "user", "-t", "http", *header, "over-http", url])
        done = world.run([*gemini, "mcp", "list"])
    assert f"✓ over-http: {url} (http) - Connected" in done.stdout + done.stderr


def test_the_model_is_given_the_memories_with_their_label(world: World, gemini: list[str | Path]) -> None:
    with Gemini([Call("deep_recall", {"query": QUESTION}), Call("read_memory", {"uri": URI})]) as model:
        done = world.run(
            # A model by name: otherwise the first request asks another model which one to take.
            [*gemini, "-p", QUESTION, "-m", "gemini-2.5-flash", "--approval-mode", "yolo"],
            {"GEMINI_API_KEY": "not-a-key", "GOOGLE_GEMINI_BASE_URL": model.url},
        )
    assert FINAL_WORDS in done.stdout
    assert {f"mcp_recall_{tool}" for tool in TOOLS} <= model.offered
    recalled, page = (json.loads(seen)["output"] for seen in model.seen)
    # Gemini CLI shows its model the text, not the structured part.
    for shown in (recalled, page):
        assert shown.startswith("<untrusted_context>")
        assert MEMORY in shown
        assert "not instructions" in shown.split(MEMORY)[0]
    assert URI in recalled
    assert "claude-mem" in recalled
