"""After a compaction the real client's model is given how the project stands once more."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from clients.models import Anthropic, Call, Model, OpenAI, Request
from clients.packages import CLAUDE_CODE
from clients.test_hooks import codex
from clients.worlds import QUESTION, World, program_of

NEXT = "그 다음은 무엇인가"
# Each start of a session is counted in the journal before it is answered: what a model is given names its start.
COUNTING = """#!/bin/sh
case "$*" in *session-start*)
  cat > {log}.told
  cat {log}.told >> {log}; echo >> {log}
  {recall} checkpoint decision "시작 $(grep -c session_id {log})번" > /dev/null
  exec {recall} "$@" < {log}.told;;
esac
exec {recall} "$@"
"""


def counted(log: Path) -> Callable[[World, str], None]:
    """Hooks that note what each start of a session was told, and count it."""

    def hook(world: World, client: str) -> None:
        world.set_up(client)
        program = world.recall.with_name("counting")
        program.write_text(COUNTING.format(recall=world.recall, log=log))
        program.chmod(0o755)
        done = world.run([world.recall, "setup", client, "--hooks", "--write", "--command", program])
        assert done.stdout.startswith("hooked up: "), done.stderr

    return hook


def sources(log: Path) -> list[str]:
    """Why each session began, in the client's words."""
    return [json.loads(line)["source"] for line in log.read_text("utf-8").splitlines() if line.strip()]


def given(model: Model) -> str:
    """What the model received last."""
    return json.dumps(model.requests[-1].body, ensure_ascii=False)


def test_claude_code_is_given_it_again(world: World, tmp_path: Path) -> None:
    program = program_of(CLAUDE_CODE)
    counted(tmp_path / "log")(world, "claude-code")
    model = Anthropic([])
    said = [
        {"type": "user", "message": {"role": "user", "content": text}}
        for text in (QUESTION, "/compact", NEXT)
    ]
    with model:
        world.run(
            [program, "-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"],
            {
                "ANTHROPIC_BASE_URL": model.url,
                "ANTHROPIC_API_KEY": "not-a-key",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            },
            told="".join(f"{json.dumps(one)}\n" for one in said),
        )
    assert sources(tmp_path / "log") == ["startup", "compact"]
    assert NEXT in given(model)
    assert "시작 2번" in given(model)
    assert "시작 2번" not in json.dumps(model.requests[0].body, ensure_ascii=False)


class Compacted(OpenAI):
    """Calls a tool once, and says that so much was used that the client has to compact before it goes on."""

    tokens = 200_000

    def next_call(self, request: Request) -> tuple[str, Mapping[str, Any]] | None:
        call = super().next_call(request)
        self.script = () if call is not None else self.script  # a compacted history holds no results to count
        return call


def test_codex_is_given_it_again(world: World, tmp_path: Path) -> None:
    limit = "model_auto_compact_token_limit = 100000\n"
    model = codex(world, [Call("exec_command", {"cmd": "true"})], counted(tmp_path / "log"), limit, Compacted)
    assert sources(tmp_path / "log") == ["startup", "compact"]
    assert "시작 2번" in given(model)
    assert "시작 2번" not in json.dumps(model.requests[0].body, ensure_ascii=False)


@pytest.mark.skip(
    reason="Gemini CLI starts no hook after it has compressed a session: its SessionStart knows startup, resume, clear"
)
def test_gemini_cli_is_given_it_again() -> None:
    """Here for the record; its one hook at a compression, PreCompress, can add nothing to the context."""
