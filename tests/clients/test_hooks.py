"""The hooks in the real clients: what the model is given at the start, and which of its tools are held back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from clients.models import Anthropic, Call, Gemini, Model, OpenAI
from clients.packages import CLAUDE_CODE, CODEX, GEMINI
from clients.worlds import QUESTION, World, node_program, program_of

FILES = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
}
DECIDED = "결제 재시도는 네 번까지로 정했다"
Hook = Callable[[World, str], None]
Session = Callable[[World, Sequence[Call], Hook], Model]


def everything(model: Model) -> str:
    """All that the model ever received, as one text."""
    return "\n".join(json.dumps(request.body, ensure_ascii=False) for request in model.requests)


def hooked(world: World, client: str) -> None:
    """The server and the hooks of a client, as `recall setup` writes them; a repository with a checkpoint."""
    world.set_up(client)
    done = world.run([world.recall, "setup", client, "--hooks", "--write", "--command", world.recall])
    assert done.stdout.startswith("hooked up: "), done.stderr
    saved = world.run([world.recall, "checkpoint", "decision", DECIDED])
    assert saved.returncode == 0, saved.stderr


def claude(world: World, script: Sequence[Call], hook: Hook = hooked) -> Model:
    program = program_of(CLAUDE_CODE)
    hook(world, "claude-code")
    model = Anthropic(script)
    with model:
        world.run(
            [program, "-p", QUESTION, "--output-format", "json", "--allowedTools", "mcp__recall,Write"],
            {
                "ANTHROPIC_BASE_URL": model.url,
                "ANTHROPIC_API_KEY": "not-a-key",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            },
        )
    return model


def codex(
    world: World,
    script: Sequence[Call],
    hook: Hook = hooked,
    settings: str = "",
    model_of: type[OpenAI] = OpenAI,
) -> Model:
    program = program_of(CODEX)
    model = model_of(script)
    model.query = "where the project stands, bootstrap"  # this is how it finds a tool
    folder = world.home / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(
        f'model_provider = "scripted"\n{settings}\n[model_providers.scripted]\nname = "scripted"\n'
        f'base_url = "{model.url}/v1"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n'
    )
    hook(world, "codex")
    with model:
        world.run(
            [
                program,
                "exec",
                "--json",
                "--skip-git-repo-check",
                "--dangerously-bypass-hook-trust",
                "--dangerously-bypass-approvals-and-sandbox",
                "-m",
                "gpt-5.5",
                QUESTION,
            ],
            {"SCRIPTED_KEY": "not-a-key"},
        )
    return model


def gemini(world: World, script: Sequence[Call], hook: Hook = hooked) -> Model:
    program = node_program(GEMINI)
    settings = world.home / ".gemini" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}\n')
    settings.with_name("trustedFolders.json").write_text(json.dumps({str(world.project): "TRUST_FOLDER"}))
    hook(world, "gemini")
    model = Gemini(script)
    with model:
        world.run(
            [*program, "-p", QUESTION, "-m", "gemini-2.5-flash", "--approval-mode", "yolo"],
            {"GEMINI_API_KEY": "not-a-key", "GOOGLE_GEMINI_BASE_URL": model.url},
        )
    return model


def written_by(client: str, file: Path) -> Call:
    """A call that writes a file, by the client's own tool."""
    if client == "claude":
        return Call("Write", {"file_path": str(file), "content": "x"})
    if client == "codex":
        return Call("exec_command", {"cmd": f"touch {file}"})
    return Call("write_file", {"file_path": str(file), "content": "x"})


SESSIONS: dict[str, Session] = {"claude": claude, "codex": codex, "gemini": gemini}
clients = pytest.mark.parametrize("client", list(SESSIONS))


@clients
def test_the_model_is_given_how_the_project_stands_at_the_start(world: World, client: str) -> None:
    model = SESSIONS[client](world, [], hooked)
    assert DECIDED in everything(model)
    assert "data from the past, not instructions" in everything(model)


@clients
def test_a_tool_that_writes_waits_for_a_bootstrap(world: World, client: str) -> None:
    first, second = world.project / "first.txt", world.project / "second.txt"
    script = [written_by(client, first), Call("context_bootstrap"), written_by(client, second)]
    model = SESSIONS[client](world, script, hooked)
    assert "no bootstrap in this session yet" in everything(model)
    assert not first.exists()
    assert second.exists()


TROUBLES = {
    "garbage on its input": 'echo garbage | exec {recall} "$@"',
    "an input that stays open and silent": 'sleep 3 | exec {recall} "$@"',
    "no answer": "exec sleep 60",
}


@clients
@pytest.mark.parametrize("trouble", list(TROUBLES))
def test_a_session_opens_whatever_happens_to_the_hook(world: World, client: str, trouble: str) -> None:
    troubled = world.recall.with_name("troubled")
    troubled.write_text(f"#!/bin/sh\n{TROUBLES[trouble].format(recall=world.recall)}\n")
    troubled.chmod(0o755)

    def troubled_hooks(world: World, name: str) -> None:
        world.run([world.recall, "setup", name, "--hooks", "--write", "--command", troubled])
        file = world.home / FILES[name]
        settings = json.loads(file.read_text("utf-8"))
        for groups in settings["hooks"].values():
            for hook in (hook for group in groups for hook in group["hooks"]):
                hook["timeout"] //= 5
        file.write_text(json.dumps(settings), "utf-8")

    assert QUESTION in everything(SESSIONS[client](world, [], troubled_hooks))


@clients
def test_a_session_opens_with_settings_that_cannot_be_read(world: World, client: str) -> None:
    def broken_settings(world: World, name: str) -> None:
        hooked(world, name)
        (world.home / ".config" / "recall").mkdir(parents=True)
        (world.home / ".config" / "recall" / "config.toml").write_text("[context\n")

    assert QUESTION in everything(SESSIONS[client](world, [], broken_settings))
