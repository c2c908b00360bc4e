"""The clients: where each keeps its MCP servers, and the shape of an entry there.

Claude Code, Codex, Gemini CLI and opencode were checked against the programs themselves (tests/clients); the
files of Antigravity, Cursor and VS Code are as their documentation states them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

SERVER = "recall"  # the entry's name: tools are called mcp__recall__deep_recall and the like

ADDRESSES = ("url", "httpUrl", "serverUrl")  # an entry with one of these is reached over HTTP


class Format(Enum):
    """How a file is written, which decides what may be in it."""

    JSON = "json"
    COMMENTED_JSON = "json with comments"
    JSONC = "json with comments and trailing commas"
    TOML = "toml"


class Machine(NamedTuple):
    """Whose files these are: `platform` is spelled as in `sys.platform`."""

    home: Path
    env: Mapping[str, str]
    platform: str

    def folder(self, variable: str, *default: str) -> Path:
        """The folder an absolute path in a variable names, else one below the home folder."""
        named = Path(self.env.get(variable, ""))
        return named if named.is_absolute() else self.home.joinpath(*default)


class Local(NamedTuple):
    """Entries for single folders, in the user's file: this never writes them."""

    table: str  # a table by folder, each of which may hold the client's table
    undo: str  # what takes an entry out, typed in its folder


@dataclass(frozen=True, slots=True)
class Client:
    """An agent that can start MCP servers.

    table: the keys above the entry.
    user: the files of the user's own settings; the first that exists is used, else the first.
    project: the same, relative to a project's root.
    needs: what an entry must say for a command line, the program first.
    defaults: what a new entry says besides; from then on the user's to change.
    check: how the user sees that it works.
    local: where its user's file holds entries for single folders.
    """

    name: str
    title: str
    format: Format
    table: tuple[str, ...]
    user: Callable[[Machine], tuple[Path, ...]]
    project: tuple[str, ...]
    needs: Callable[[Sequence[str]], dict[str, Any]]
    check: str
    defaults: Mapping[str, Any] = field(default_factory=dict)
    local: Local | None = None

    def files(self, machine: Machine, project: Path | None) -> tuple[Path, ...]:
        """Where it looks for its servers: the user's, or those of one project's root folder."""
        return self.user(machine) if project is None else tuple(project / name for name in self.project)

    def file(self, machine: Machine, project: Path | None) -> Path:
        """The file to write."""
        files = self.files(machine, project)
        return next((file for file in files if os.path.lexists(file)), files[0])

    def entry(self, command: Sequence[str]) -> dict[str, Any]:
        """A whole new entry that starts this command line."""
        return {**self.needs(command), **self.defaults}


def _plain(command: Sequence[str]) -> dict[str, Any]:
    return {"command": command[0], "args": list(command[1:])}


def _typed(command: Sequence[str]) -> dict[str, Any]:
    return {"type": "stdio", **_plain(command)}


def _local(command: Sequence[str]) -> dict[str, Any]:
    return {"type": "local", "command": list(command)}


def _claude_code(machine: Machine) -> tuple[Path, ...]:
    return (machine.folder("CLAUDE_CONFIG_DIR") / ".claude.json",)


def _codex(machine: Machine) -> tuple[Path, ...]:
    return (machine.folder("CODEX_HOME", ".codex") / "config.toml",)


def _gemini(machine: Machine) -> tuple[Path, ...]:
    return (machine.folder("GEMINI_CLI_HOME") / ".gemini" / "settings.json",)


def _antigravity(machine: Machine) -> tuple[Path, ...]:
    folder = machine.home / ".gemini"
    # The second is where its IDE looked before the command line and the IDE shared one folder.
    return folder / "config" / "mcp_config.json", folder / "antigravity" / "mcp_config.json"


def _cursor(machine: Machine) -> tuple[Path, ...]:
    return (machine.home / ".cursor" / "mcp.json",)


def _vscode(machine: Machine) -> tuple[Path, ...]:
    if machine.platform == "darwin":
        folder = machine.home / "Library" / "Application Support"
    elif machine.platform == "win32":
        folder = machine.folder("APPDATA", "AppData", "Roaming")
    else:
        folder = machine.folder("XDG_CONFIG_HOME", ".config")
    return (folder / "Code" / "User" / "mcp.json",)


def _opencode(machine: Machine) -> tuple[Path, ...]:
    folder = machine.folder("XDG_CONFIG_HOME", ".config") / "opencode"
    return folder / "opencode.json", folder / "opencode.jsonc"


CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            "Claude Code",
            Format.JSON,
            ("mcpServers",),
            _claude_code,
            (".mcp.json",),
            _typed,
            "claude mcp list",
            # Without it the tools are found only by a search, and not at all in a session's first turn.
            {"alwaysLoad": True},
            Local("projects", "claude mcp remove -s local recall"),
        ),
        Client(
            "codex",
            "Codex",
            Format.TOML,
            ("mcp_servers",),
            _codex,
            (".codex/config.toml",),
            _plain,
            "/mcp in a session",
            {"startup_timeout_sec": 20},
        ),
        Client(
            "gemini",
            "Gemini CLI",
            Format.COMMENTED_JSON,
            ("mcpServers",),
            _gemini,
            (".gemini/settings.json",),
            _plain,
            "gemini mcp list",
            {"timeout": 30_000, "trust": False},  # milliseconds
        ),
        Client(
            "antigravity",
            "Antigravity",
            Format.JSON,
            ("mcpServers",),
            _antigravity,
            (".agents/mcp_config.json",),
            _plain,
            "the list of MCP servers in the agent panel",
        ),
        Client(
            "cursor",
            "Cursor",
            Format.JSONC,
            ("mcpServers",),
            _cursor,
            (".cursor/mcp.json",),
            _plain,
            "Settings, Tools & MCP",
        ),
        Client(
            "vscode",
            "VS Code",
            Format.JSONC,
            ("servers",),
            _vscode,
            (".vscode/mcp.json",),
            _typed,
            "the command MCP: List Servers",
        ),
        Client(
            "opencode",
            "opencode",
            Format.JSONC,
            ("mcp",),
            _opencode,
            ("opencode.json", "opencode.jsonc"),
            _local,
            "opencode mcp list",
            {"enabled": True},
        ),
    )
}
