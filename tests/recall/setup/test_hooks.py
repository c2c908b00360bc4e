"""The hooks in a client's settings: put there and taken out, and nobody else's touched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.errors import Unreadable
from recall.hooks.contract import Client, Event, event_name
from recall.settings import ContextSettings
from recall.setup.clients import Machine
from recall.setup.hooks import HOOK_FILES, groups, merged, removed, snippet
from support.worlds import REPOSITORY, run_recall

PROGRAM = ["/opt/my tools/recall"]
CLIENTS = list(HOOK_FILES)
THEIRS = {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint.sh", "timeout": 5}]}
clients = pytest.mark.parametrize("client", CLIENTS)


def put(text: str, client: str, program: list[str] | None = None) -> Any:
    return json.loads(merged(text, HOOK_FILES[client], program or PROGRAM))


@clients
def test_every_event_calls_the_command_in_the_clients_own_words(client: str) -> None:
    found = put("", client)["hooks"]
    names = {event_name(Event(event), Client(client)): event for event in HOOK_FILES[client].events}
    assert set(found) == set(names)
    for name, (group,) in found.items():
        (hook,) = group["hooks"]
        assert hook["command"] == f"'/opt/my tools/recall' hook {names[name]} --client {client}"


def test_a_timeout_is_in_seconds_but_for_gemini() -> None:
    assert {group["hooks"][0]["timeout"] for group in groups(HOOK_FILES["codex"], PROGRAM).values()} == {
        10,
        15,
    }
    assert {group["hooks"][0]["timeout"] for group in groups(HOOK_FILES["gemini"], PROGRAM).values()} == {
        10_000,
        15_000,
    }


@clients
def test_every_tool_of_the_matcher_is_one_that_the_guard_asks_a_bootstrap_for(client: str) -> None:
    assert set(HOOK_FILES[client].matcher.split("|")) <= set(ContextSettings().guarded_tools)


@clients
def test_what_is_there_already_is_not_written_twice(client: str) -> None:
    once = merged("", HOOK_FILES[client], PROGRAM)
    assert merged(once, HOOK_FILES[client], PROGRAM) == once


@clients
def test_another_program_takes_the_place_of_the_first_and_keeps_what_the_user_changed(client: str) -> None:
    first = put("", client)
    for found in first["hooks"].values():
        found[0]["hooks"][0]["timeout"] = 77
    second = put(json.dumps(first), client, ["/new/recall"])
    for found in second["hooks"].values():
        (group,) = found
        assert group["hooks"][0]["command"].startswith("/new/recall hook ")
        assert group["hooks"][0]["timeout"] == 77


@clients
def test_the_hooks_of_others_stay_where_they_are(client: str) -> None:
    event = HOOK_FILES[client].events["pre-tool"]
    settings = {"model": "x", "hooks": {event: [THEIRS], "Other": [THEIRS]}}
    text = merged(json.dumps(settings), HOOK_FILES[client], PROGRAM)
    found = json.loads(text)
    assert found["hooks"][event][0] == THEIRS
    assert len(found["hooks"][event]) == 2
    assert json.loads(removed(text, HOOK_FILES[client])) == settings


@clients
def test_a_hook_beside_another_in_one_group_is_taken_out_alone(client: str) -> None:
    event = HOOK_FILES[client].events["stop"]
    (ours,) = put("", client)["hooks"][event]
    mixed = {"hooks": {event: [{"hooks": [*THEIRS["hooks"], *ours["hooks"]]}]}}
    assert json.loads(removed(json.dumps(mixed), HOOK_FILES[client])) == {
        "hooks": {event: [{"hooks": THEIRS["hooks"]}]}
    }


@clients
def test_what_was_put_in_leaves_nothing_behind_when_it_is_taken_out(client: str) -> None:
    text = merged('{\n  "model": "x"\n}\n', HOOK_FILES[client], PROGRAM)
    assert json.loads(removed(text, HOOK_FILES[client])) == {"model": "x"}
    assert removed('{"model": "x"}', HOOK_FILES[client]) == '{"model": "x"}'


@pytest.mark.parametrize(
    "text", ["[]", '{"hooks": []}', '{"hooks": {"SessionStart": {}}}', "{", '{"hooks": 7}']
)
@clients
def test_settings_of_another_shape_are_left_alone(client: str, text: str) -> None:
    with pytest.raises(Unreadable):
        merged(text, HOOK_FILES[client], PROGRAM)


def test_comments_stay_and_a_list_of_others_with_comments_is_not_written_anew() -> None:
    gemini = HOOK_FILES["gemini"]
    assert "// mine" in merged('{\n  // mine\n  "a": 1\n}\n', gemini, PROGRAM)
    with pytest.raises(Unreadable, match="comments"):
        merged('{"hooks": {"BeforeTool": [\n // mine\n {"hooks": []}]}}', gemini, PROGRAM)


HOOK = st.one_of(
    st.none(),
    st.text(max_size=5),
    st.fixed_dictionaries(
        {"command": st.one_of(st.text(max_size=8), st.just("/x/recall hook stop --client codex"))}
    ),
)
GROUP = st.one_of(
    st.none(), st.integers(), st.fixed_dictionaries({}, optional={"hooks": st.lists(HOOK, max_size=3)})
)


@given(st.dictionaries(st.sampled_from(["Stop", "PreToolUse", "Mine"]), st.lists(GROUP, max_size=3)))
def test_taking_out_after_putting_in_leaves_the_hooks_of_others(found: dict[str, list[Any]]) -> None:
    codex = HOOK_FILES["codex"]
    clean = json.loads(removed(json.dumps({"a": 1, "hooks": found}), codex))
    again = json.loads(removed(merged(json.dumps(clean), codex, PROGRAM), codex))

    def filled(settings: dict[str, Any]) -> dict[str, Any]:
        return {name: groups for name, groups in settings.get("hooks", {}).items() if groups}

    assert filled(again) == filled(clean)


def test_the_command_writes_and_takes_out(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    done = run_recall(
        ["setup", "codex", "--hooks", "--write", "--command", "recall"], home=home, cwd=tmp_path
    )
    assert done.stdout == f"hooked up: {home}/.codex/hooks.json\n"
    assert "trust them" in done.stderr
    assert "recall hook stop --client codex" in (home / ".codex/hooks.json").read_text("utf-8")
    done = run_recall(["setup", "codex", "--hooks", "--remove"], home=home, cwd=tmp_path)
    assert done.stdout.startswith("removed: ")
    assert not (home / ".codex/hooks.json").exists()
    done = run_recall(["setup", "vscode", "--hooks"], home=home, cwd=tmp_path)
    assert (done.returncode, "claude-code, codex, gemini have" in done.stderr) == (2, True)


def test_the_plugin_folder_says_the_same(tmp_path: Path) -> None:
    file = REPOSITORY / "integrations" / "claude-code" / "hooks" / "hooks.json"
    expected = snippet(HOOK_FILES["claude-code"], ["${RECALL_BIN:-recall}"])
    assert json.loads(file.read_text("utf-8")) == json.loads(expected)


def test_each_clients_own_variable_moves_its_file() -> None:
    moved = {"CLAUDE_CONFIG_DIR": "/x", "CODEX_HOME": "/x", "GEMINI_CLI_HOME": "/x"}
    machine = Machine(Path("/home/someone"), moved, "linux")
    assert [str(file.user(machine)) for file in HOOK_FILES.values()] == [
        "/x/settings.json",
        "/x/hooks.json",
        "/x/.gemini/settings.json",
    ]
