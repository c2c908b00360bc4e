"""`recall hook` as a process: one JSON document, whatever it is given."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from recall.cli.hooked import asked
from support.worlds import process_env, run_recall


def hooked(folder: Path, event: str, told: bytes, **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "recall", "hook", event],
        cwd=folder,
        env={**process_env(folder, env), **env},
        input=told,
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_its_answer_is_one_line_of_ascii_in_every_locale(tmp_path: Path) -> None:
    (tmp_path / ".serena").mkdir()
    run_recall(["checkpoint", "decision", "네 번 재시도한다"], home=tmp_path, cwd=tmp_path)
    for env in ({"LC_ALL": "C", "LANG": "C"}, {"PYTHONIOENCODING": "cp949"}, {}):
        done = hooked(tmp_path, "session-start", b"{}", **env)
        assert done.returncode == 0
        assert done.stdout.isascii()
        assert done.stdout.count(b"\n") == 1
        context = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
        assert "네 번 재시도한다" in context


@pytest.mark.parametrize("event", ["session-start", "prompt", "pre-tool", "stop", "pre-compact"])
def test_garbage_costs_one_line_and_no_session(tmp_path: Path, event: str) -> None:
    done = hooked(tmp_path, event, b"garbage")
    assert (done.returncode, json.loads(done.stdout)) == (0, {})
    assert done.stderr.count(b"\n") == 1
    assert b"Traceback" not in done.stderr


def test_a_mistake_in_the_command_itself_is_told_and_blocks_no_session(tmp_path: Path) -> None:
    done = run_recall(["hook", "stopp"], home=tmp_path, cwd=tmp_path)
    assert done.returncode == 0  # clients take 2 as a refusal
    assert "'stopp' is not one of" in done.stderr
    assert "Usage: recall hook" in run_recall(["hook", "--help"], home=tmp_path, cwd=tmp_path).stdout


def test_a_hook_imports_no_parser_of_options(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "recall", "hook", "pre-tool"],
        cwd=tmp_path,
        env=process_env(tmp_path),
        input=b"{}",
        capture_output=True,
        timeout=60,
        check=False,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert not {"click", "recall.engine", "sqlite3", "pydantic"} & loaded


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["hook", "stop"], ("stop", None)),
        (["hook", "stop", "--client", "codex"], ("stop", "codex")),
        (["hook", "stop", "--client", "emacs"], None),
        (["hook", "stop", "--json"], None),
        (["hook"], None),
        (["query", "stop"], None),
    ],
)
def test_only_a_whole_command_line_without_a_mistake_takes_the_short_way(
    arguments: list[str], found: tuple[str, str | None] | None
) -> None:
    assert asked(arguments) == found
