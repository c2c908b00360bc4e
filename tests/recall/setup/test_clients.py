"""Where each client's settings are."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall.setup.clients import CLIENTS, Machine
from support.worlds import REPOSITORY

HOME = Path("/home/someone")


def file(client: str, env: dict[str, str] | None = None, platform: str = "linux", home: Path = HOME) -> str:
    return str(CLIENTS[client].file(Machine(home, env or {}, platform), None))


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        ("claude-code", ".claude.json"),
        ("codex", ".codex/config.toml"),
        ("gemini", ".gemini/settings.json"),
        ("antigravity", ".gemini/config/mcp_config.json"),
        ("cursor", ".cursor/mcp.json"),
        ("vscode", ".config/Code/User/mcp.json"),
        ("opencode", ".config/opencode/opencode.json"),
    ],
)
def test_the_user_s_file_is_where_the_client_looks(client: str, expected: str) -> None:
    assert file(client) == f"{HOME}/{expected}"


@pytest.mark.parametrize(
    ("client", "variable", "expected"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "/srv/x/.claude.json"),
        ("codex", "CODEX_HOME", "/srv/x/config.toml"),
        ("gemini", "GEMINI_CLI_HOME", "/srv/x/.gemini/settings.json"),
        ("vscode", "XDG_CONFIG_HOME", "/srv/x/Code/User/mcp.json"),
        ("opencode", "XDG_CONFIG_HOME", "/srv/x/opencode/opencode.json"),
    ],
)
def test_the_client_s_own_variable_moves_it(client: str, variable: str, expected: str) -> None:
    assert file(client, {variable: "/srv/x"}) == expected
    assert file(client, {variable: "relative"}) == file(client)


def test_vs_code_is_elsewhere_on_other_systems() -> None:
    assert file("vscode", platform="darwin") == f"{HOME}/Library/Application Support/Code/User/mcp.json"
    assert file("vscode", platform="win32") == f"{HOME}/AppData/Roaming/Code/User/mcp.json"


@pytest.mark.parametrize(
    ("client", "other"),
    [("antigravity", ".gemini/antigravity/mcp_config.json"), ("opencode", ".config/opencode/opencode.jsonc")],
)
def test_of_two_places_the_one_in_use_is_taken(client: str, other: str, tmp_path: Path) -> None:
    (tmp_path / other).parent.mkdir(parents=True)
    (tmp_path / other).write_text("")
    assert file(client, home=tmp_path) == str(tmp_path / other)
    first = Path(file(client))
    (tmp_path / first.relative_to(HOME)).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / first.relative_to(HOME)).write_text("")
    assert file(client, home=tmp_path) == str(tmp_path / first.relative_to(HOME))


def test_every_client_has_a_file_in_a_project(tmp_path: Path) -> None:
    machine = Machine(HOME, {}, "linux")
    found = {name: client.file(machine, tmp_path) for name, client in CLIENTS.items()}
    assert {name: str(path.relative_to(tmp_path)) for name, path in found.items()} == {
        "claude-code": ".mcp.json",
        "codex": ".codex/config.toml",
        "gemini": ".gemini/settings.json",
        "antigravity": ".agents/mcp_config.json",
        "cursor": ".cursor/mcp.json",
        "vscode": ".vscode/mcp.json",
        "opencode": "opencode.json",
    }


def test_the_table_of_the_documentation_is_what_is_done() -> None:
    text = (REPOSITORY / "docs" / "clients.md").read_text(encoding="utf-8")
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line[:1] == "|"
    ]
    table = {row[1].strip("`"): row for row in cells if row[1].strip("`") in CLIENTS}
    assert list(table) == list(CLIENTS)
    for name, (title, _, user, project, check) in table.items():
        client, machine = CLIENTS[name], Machine(Path("~"), {}, "linux")
        assert title == client.title
        assert user == " or ".join(f"`{file}`" for file in client.files(machine, None))
        assert project == " or ".join(f"`{file}`" for file in client.project)
        assert check.replace("`", "") == client.check
