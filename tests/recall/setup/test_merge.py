"""The entry in a client's settings: added once, and nothing else touched."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.errors import Unreadable
from recall.setup.clients import CLIENTS, Client, Format
from recall.setup.merge import language, merged, removed, snippet

LINE = ["/opt/recall/bin/recall", "serve"]
EACH = pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
CODEX, CLAUDE, VSCODE = CLIENTS["codex"], CLIENTS["claude-code"], CLIENTS["vscode"]


def value(client: Client, text: str) -> Any:
    return language(client.format).parse(text)


def test_each_client_gets_the_shape_it_reads() -> None:
    plain = {"command": LINE[0], "args": ["serve"]}
    assert {name: value(client, snippet(client, LINE)) for name, client in CLIENTS.items()} == {
        "claude-code": {"mcpServers": {"recall": {"type": "stdio", **plain, "alwaysLoad": True}}},
        "codex": {"mcp_servers": {"recall": {**plain, "startup_timeout_sec": 20}}},
        "gemini": {"mcpServers": {"recall": {**plain, "timeout": 30_000, "trust": False}}},
        "antigravity": {"mcpServers": {"recall": plain}},
        "cursor": {"mcpServers": {"recall": plain}},
        "vscode": {"servers": {"recall": {"type": "stdio", **plain}}},
        "opencode": {"mcp": {"recall": {"type": "local", "command": LINE, "enabled": True}}},
    }


@EACH
def test_a_second_time_changes_nothing(client: Client) -> None:
    once = snippet(client, LINE)
    assert merged(once, client, LINE) == once


@EACH
def test_another_installation_replaces_only_the_command(client: Client) -> None:
    once = snippet(client, LINE)
    assert merged(once, client, ["/new/recall", "serve"]) == once.replace(LINE[0], "/new/recall")


@EACH
def test_what_the_user_set_in_the_entry_stays(client: Client) -> None:
    entry = {**client.entry(LINE), "env": {"RECALL_LOG": "1"}} | dict.fromkeys(client.defaults, 99)
    if client.format is Format.TOML:
        text = "[mcp_servers.recall]\n" + "".join(
            f"{key} = {json.dumps(item)}\n" for key, item in entry.items() if key != "env"
        )
        text += '[mcp_servers.recall.env]\nRECALL_LOG = "1"\n'
    else:
        text = json.dumps({client.table[0]: {"recall": entry}}, indent=4)
    changed = merged(text, client, ["/new", "serve"])
    found = value(client, changed)[client.table[0]]["recall"]
    assert found == entry | client.needs(["/new", "serve"])


@EACH
def test_arguments_the_user_put_behind_serve_stay(client: Client) -> None:
    own = client.entry([*LINE, "--project", "/x"])
    if client.format is Format.TOML:
        text = "[mcp_servers.recall]\n" + "".join(
            f"{key} = {json.dumps(item)}\n" for key, item in own.items()
        )
    else:
        text = json.dumps({client.table[0]: {"recall": own}}, indent=4)
    assert merged(text, client, LINE) == text
    moved = value(client, merged(text, client, ["/new", "serve"]))[client.table[0]]["recall"]
    assert moved == client.entry(["/new", "serve", "--project", "/x"])


def outcome(text: str, name: str) -> str:
    """The merged text, or the words in which it is refused."""
    try:
        return merged(text, CLIENTS[name], LINE)
    except Unreadable as error:
        return f"refused: {error}"


@pytest.mark.parametrize(
    "text",
    [f"a = {'9' * 6_000}", f"{'a.' * 3_000}a = 1", f"[{'a.' * 3_000}a]", f"a = {'[' * 300}{']' * 300}"],
    ids=["long number", "deep key", "deep table", "deep list"],
)
def test_toml_that_is_too_much_is_refused_in_words_or_kept(text: str) -> None:
    found = outcome(text + "\n", "codex")
    assert found.startswith(text) or "too" in found


@pytest.mark.parametrize("name", ["claude-code", "vscode", "opencode"])
def test_json_that_is_nested_too_deeply_is_refused_in_words_or_kept(name: str) -> None:
    nested = f"{'[' * 900}{']' * 900}"
    found = outcome(f'{{"a": {nested}}}', name)
    assert nested in found or "too" in found


@EACH
@pytest.mark.parametrize("address", ["url", "httpUrl", "serverUrl"])
def test_an_entry_that_is_reached_over_http_is_left_alone(client: Client, address: str) -> None:
    if client.format is Format.TOML:
        text = f'[mcp_servers.recall]\n{address} = "http://127.0.0.1:7777/mcp"\n'
    else:
        text = json.dumps({client.table[0]: {"recall": {address: "http://127.0.0.1:7777/mcp"}}})
    with pytest.raises(Unreadable, match=f"recall has a {address}: it is reached over HTTP"):
        merged(text, client, LINE)


@pytest.mark.parametrize("text", ["[]", "1", '"x"', '{"mcpServers": []}', '{"mcpServers": {"recall": "x"}}'])
def test_settings_of_another_shape_are_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="is not a table of settings"):
        merged(text, CLAUDE, LINE)


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = {}\n",
        'mcp_servers.recall = { command = "x" }\n',
        '[mcp_servers]\nrecall.command = "x"\n',
        '[mcp_servers]\nrecall = { command = "x", args = [] }\n',
    ],
)
def test_a_table_written_in_another_way_is_refused_and_not_broken(text: str) -> None:
    with pytest.raises(Unreadable, match="cannot be changed safely"):
        merged(text, CODEX, LINE)


@pytest.mark.parametrize(
    "text",
    [
        '[mcp_servers.notes]\ncommand = "notes"\n',
        '[mcp_servers]\nnotes = { command = "notes" }\n\n[projects."/src/app"]\ntrust_level = "trusted"\n',
        'mcp_servers.notes.command = "notes"\n',
        '[mcp_servers.recall.env]\nA = "1"\n',
        '[mcp_servers]\nrecall.command = "x"\nrecall.args = []\n',
        '[[profiles]]\nname = "a"\n[[profiles]]\nname = "b"\n',
        'doc = """\n[mcp_servers.recall]\ncommand = "x"\n"""\n',
        'doc = """\n[mcp_servers.recall]\ncommand = "x"\n"""\n[mcp_servers.recall]\ncommand = "x"\n',
        "x = nan\n",
        "[a]\nmcp_servers = 1\n",
    ],
)
def test_codex_settings_of_many_shapes_are_merged(text: str) -> None:
    changed = merged(text, CODEX, LINE)
    found = tomllib.loads(changed, parse_float=str)
    before = tomllib.loads(text, parse_float=str)
    assert found["mcp_servers"]["recall"].items() >= {"command": LINE[0], "args": ["serve"]}.items()
    assert {key: found[key] for key in before if key != "mcp_servers"} == {
        key: before[key] for key in before if key != "mcp_servers"
    }
    assert set(found["mcp_servers"]) == {"recall", *before.get("mcp_servers", {})}
    assert merged(changed, CODEX, LINE) == changed


_LINES = st.sampled_from(
    [
        "# mcp_servers.recall",
        "[tui]",
        "[mcp_servers.notes]",
        "[mcp_servers.recall]",
        '[mcp_servers."recall"] # x',
        "[mcp_servers.recall.env]",
        "[[hooks]]",
        'command = "x" # command = "y"',
        'args = ["a",\n  "]", # b\n]',
        "startup_timeout_sec = 5",
        "name = '''\n[mcp_servers.recall]\ncommand = 'q'\n'''",
        "",
    ]
)


@given(st.lists(_LINES, max_size=8).map(lambda lines: "\n".join(lines)))
def test_any_codex_settings_are_merged_rightly_or_refused(text: str) -> None:
    try:
        before = tomlfile_value(text)
        changed = merged(text, CODEX, LINE)
    except Unreadable:
        return
    expected = dict(before.get("mcp_servers", {}).get("recall", {"startup_timeout_sec": 20}))
    expected |= {"command": LINE[0], "args": ["serve"]}
    assert tomlfile_value(changed) == before | {
        "mcp_servers": before.get("mcp_servers", {}) | {"recall": expected}
    }
    assert merged(changed, CODEX, LINE) == changed


def tomlfile_value(text: str) -> Any:
    return language(Format.TOML).parse(text)


def test_a_large_history_in_the_same_file_is_no_obstacle() -> None:
    history = {f"/src/{number}": {"history": [{"display": "질문 " * 50}] * 20} for number in range(300)}
    text = json.dumps({"projects": history, "mcpServers": {}}, indent=2, ensure_ascii=False)
    changed = merged(text, CLAUDE, LINE)
    assert json.loads(changed)["projects"] == history
    assert len(changed) < len(text) + 300


def test_settings_with_comments_keep_them_for_vs_code() -> None:
    text = '{\n  // 회사 서버\n  "servers": {},\n  "inputs": [], // none\n}\n'
    changed = merged(text, VSCODE, LINE)
    assert "// 회사 서버" in changed
    assert changed.endswith('"inputs": [], // none\n}\n')


# -- taken out ------------------------------------------------------------------------------------------------


@EACH
def test_the_entry_is_taken_out_and_a_second_time_changes_nothing(client: Client) -> None:
    gone = removed(snippet(client, LINE), client)
    assert value(client, gone) in ({}, {client.table[0]: {}})
    assert removed(gone, client) == gone
    assert removed("", client) == ""


@EACH
def test_other_entries_stay_as_they_are(client: Client) -> None:
    if client.format is Format.TOML:
        text = 'a = 1 # 하나\n\n[mcp_servers.notes]\ncommand = "notes"\n\n[tui]\ntheme = "dark"\n'
    else:
        text = json.dumps({client.table[0]: {"notes": {"command": "notes"}}, "a": 1}, indent=2)
    assert removed(merged(text, client, LINE), client) == text
    assert removed(text, client) == text


@EACH
def test_an_entry_over_http_is_not_taken_out(client: Client) -> None:
    address = {"url": "http://127.0.0.1:7777/mcp"}
    if client.format is Format.TOML:
        text = f'[mcp_servers.recall]\nurl = "{address["url"]}"\n'
    else:
        text = json.dumps({client.table[0]: {"recall": address}})
    with pytest.raises(Unreadable, match="recall has a url: it is reached over HTTP"):
        removed(text, client)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[mcp_servers.recall]\n# 내 것\na = 1\n\n# of b\n[b]\n", "\n# of b\n[b]\n"),
        ("[a]\n\n\n[mcp_servers.recall]\na = 1\n[mcp_servers.recall.env]\nb = 2\n[c]\n", "[a]\n[c]\n"),
        ('[mcp_servers]\nrecall.command = "x" # c\nrecall.args = [\n  "]",\n]\n', "[mcp_servers]\n"),
        ('[mcp_servers]\nrecall = { command = "x" }\nnotes.a = 1\n', "[mcp_servers]\nnotes.a = 1\n"),
        ('mcp_servers.recall.command = "x"\nb = 1\n', "b = 1\n"),
        ('[mcp_servers."recall"]\r\na = """\r\n[b]\r\n"""\r\n', ""),
        ("[mcp_servers.recall]\n[[mcp_servers.recall.x]]\n[[hooks]]\na = 1\n", "[[hooks]]\na = 1\n"),
    ],
)
def test_codex_settings_of_many_shapes_lose_the_entry(before: str, after: str) -> None:
    assert removed(before, CODEX) == after


def test_a_table_with_others_inside_one_value_is_refused_and_not_broken() -> None:
    with pytest.raises(Unreadable, match="cannot be changed safely"):
        removed('mcp_servers = { recall = { command = "x" }, notes = { command = "n" } }\n', CODEX)


def test_a_value_of_thousands_of_lines_is_no_obstacle() -> None:
    text = "a = '''\n" + "[mcp_servers.recall] # ]\n" * 3 + "line\n" * 20_000 + "'''\n"
    assert removed(merged(text, CODEX, LINE), CODEX) == text


@given(st.lists(_LINES, max_size=8).map(lambda lines: "\n".join(lines)))
def test_any_codex_settings_lose_the_entry_alone_or_are_refused(text: str) -> None:
    try:
        before = tomlfile_value(text)
        changed = removed(text, CODEX)
    except Unreadable:
        return
    servers = {name: item for name, item in before.get("mcp_servers", {}).items() if name != "recall"}
    found = tomlfile_value(changed)
    assert found.pop("mcp_servers", {}) == servers
    assert found == {key: item for key, item in before.items() if key != "mcp_servers"}
    assert removed(changed, CODEX) == changed
