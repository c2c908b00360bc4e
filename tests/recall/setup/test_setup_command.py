"""`recall setup` as its users meet it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from recall.setup.clients import CLIENTS
from support.worlds import run_recall, snapshot


def setup(home: Path, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return run_recall(["setup", *arguments], home=home, cwd=cwd or home)


@pytest.mark.parametrize("client", CLIENTS)
def test_it_prints_the_configuration_and_writes_nothing(client: str, tmp_path: Path) -> None:
    done = setup(tmp_path, client)
    assert done.returncode == 0
    parsed = tomllib.loads(done.stdout) if client == "codex" else json.loads(done.stdout)
    (servers,) = parsed.values()
    command = servers["recall"]["command"]
    program = command[0] if isinstance(command, list) else command
    assert os.path.isabs(program)
    assert f"reads this from {tmp_path}" in done.stderr
    assert os.listdir(tmp_path) == []


def test_written_it_says_where_and_the_second_time_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / ".claude.json"
    file.write_text("{}")
    first = setup(tmp_path, "claude-code", "--write")
    assert first.returncode == 0
    assert first.stdout.startswith(f"set up: {file}\nbackup: {file}.bak-")
    assert "claude mcp list" in first.stderr
    before = snapshot(tmp_path)
    second = setup(tmp_path, "claude-code", "--write")
    assert (second.returncode, second.stdout) == (0, f"already set up: {file}\n")
    assert snapshot(tmp_path) == before


def test_a_folder_that_was_missing_raises_the_question_whether_the_client_is_installed(
    tmp_path: Path,
) -> None:
    done = setup(tmp_path, "codex", "--write")
    assert done.stdout == f"set up: {tmp_path}/.codex/config.toml\n"
    assert f"{tmp_path}/.codex was not there and was made: is Codex installed?" in done.stderr


def test_a_file_that_cannot_be_parsed_is_exit_code_two_and_one_line(tmp_path: Path) -> None:
    file = tmp_path / ".claude.json"
    file.write_text('{\n  "a": 1,\n}')
    done = setup(tmp_path, "claude-code", "--write")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.match(
        rf"recall: {re.escape(str(file))}: line \d, column \d+: .*; nothing was changed\n", done.stderr
    )
    assert "recall setup claude-code prints what to add by hand" in done.stderr
    assert file.read_text() == '{\n  "a": 1,\n}'


def test_the_hint_for_a_project_s_file_prints_that_project_s_entry(tmp_path: Path) -> None:
    root = tmp_path / "my app"
    (root / ".git").mkdir(parents=True)
    (root / ".mcp.json").write_text("{")
    for done, folder in (
        (setup(tmp_path, "claude-code", "--write", "--project", cwd=root), ""),
        (setup(tmp_path, "claude-code", "--write", "--project", str(root)), f" '{root}'"),
        (setup(tmp_path, "claude-code", "--remove", "--project", str(root)), f" '{root}'"),
    ):
        assert done.returncode == 2
        assert f"recall setup claude-code --project{folder} prints what to" in done.stderr


@pytest.mark.parametrize("client", CLIENTS)
def test_what_was_written_is_removed_with_a_backup_and_the_second_time_nothing(
    client: str, tmp_path: Path
) -> None:
    written = setup(tmp_path, client, "--write")
    file = Path(written.stdout.removeprefix("set up: ").splitlines()[0])
    before = file.read_bytes()
    done = setup(tmp_path, client, "--remove")
    assert done.returncode == 0
    said = re.fullmatch(r"removed: (.*)\nbackup: (.*)\n", done.stdout)
    assert said
    assert said[1] == str(file)
    assert Path(said[2]).read_bytes() == before
    assert b"recall" not in file.read_bytes()
    state = snapshot(tmp_path)
    again = setup(tmp_path, client, "--remove")
    assert (again.returncode, again.stdout, again.stderr) == (0, f"not set up: {file}\n", "")
    assert snapshot(tmp_path) == state


def test_it_is_removed_from_every_file_the_client_reads(tmp_path: Path) -> None:
    setup(tmp_path, "opencode", "--write")
    first = tmp_path / ".config" / "opencode" / "opencode.json"
    second = first.with_suffix(".jsonc")
    second.write_text(f"// 내 것\n{first.read_text()}")
    done = setup(tmp_path, "opencode", "--remove")
    assert [line for line in done.stdout.splitlines() if line.startswith("removed")] == [
        f"removed: {first}",
        f"removed: {second}",
    ]
    assert second.read_text().startswith("// 내 것\n")


def test_where_nothing_was_ever_set_up_nothing_is_removed_and_nothing_made(tmp_path: Path) -> None:
    done = setup(tmp_path, "gemini", "--remove")
    assert (done.returncode, done.stdout) == (0, f"not set up: {tmp_path}/.gemini/settings.json\n")
    assert os.listdir(tmp_path) == []


def test_a_project_s_file_is_at_its_root(tmp_path: Path) -> None:
    root, below = tmp_path / "app", tmp_path / "app" / "src" / "api"
    below.mkdir(parents=True)
    (root / ".git").mkdir()
    here = setup(tmp_path, "vscode", "--write", "--project", cwd=below)
    assert here.stdout == f"set up: {root}/.vscode/mcp.json\n"
    assert "to share the file: --command recall" in here.stderr
    named = setup(tmp_path, "claude-code", "--write", "--project", str(root), "--command", "recall")
    assert named.stdout == f"set up: {root}/.mcp.json\n"
    assert json.loads((root / ".mcp.json").read_text())["mcpServers"]["recall"]["command"] == "recall"
    assert "share" not in named.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a client: claude-code, codex"),
        (["gemni"], "no client is called 'gemni', did you mean gemini?"),
        (["codex", "--command", "./recall"], "--command: ./recall depends on the folder"),
        (["codex", "--command", "-x"], "--command: -x is an option, no program"),
        (["codex", "--remove", "--write"], "--remove goes with neither --write nor --command"),
        (["codex", "--remove", "--command", "recall"], "--remove goes with neither"),
    ],
)
def test_a_mistake_is_exit_code_two_and_says_what_is_meant(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    done = setup(tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_entries_for_single_folders_are_named_and_stay(tmp_path: Path) -> None:
    file = tmp_path / ".claude.json"
    entry = {"mcpServers": {"recall": {"command": "recall"}}}
    file.write_text(json.dumps({"projects": {"/shop": entry, "/other": {}, "/odd": 7}}))
    before = snapshot(tmp_path)
    done = setup(tmp_path, "claude-code", "--remove")
    assert (done.returncode, done.stdout) == (0, f"set up for single folders only: {file}\n")
    assert (
        "it stays set up for /shop; there, take it out with: claude mcp remove -s local recall" in done.stderr
    )
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("flag", ["--write", "--remove"])
def test_an_entry_over_http_is_left_with_a_hint_that_fits_it(tmp_path: Path, flag: str) -> None:
    (tmp_path / ".claude.json").write_text(
        '{"mcpServers": {"recall": {"type": "http", "url": "http://x/mcp"}}}'
    )
    done = setup(tmp_path, "claude-code", flag)
    assert done.returncode == 2
    assert "reached over HTTP" in done.stderr
    assert "next: keep it, or take that entry out by hand" in done.stderr
    assert "prints what" not in done.stderr
