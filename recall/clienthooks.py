"""The hooks of coding agents: at which moments, under whose names, before which tools. The one table of them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Event(StrEnum):
    """A moment of a session, as the command names it."""

    SESSION_START = "session-start"
    PROMPT = "prompt"
    PRE_TOOL = "pre-tool"
    STOP = "stop"
    PRE_COMPACT = "pre-compact"


class Client(StrEnum):
    """Whose contract is spoken."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI = "gemini"


_NAMES = {
    Event.SESSION_START: "SessionStart",
    Event.PROMPT: "UserPromptSubmit",
    Event.PRE_TOOL: "PreToolUse",
    Event.STOP: "Stop",
    Event.PRE_COMPACT: "PreCompact",
}
# The client's own name of each event.
NAMES: Mapping[Client, Mapping[Event, str]] = {
    Client.CLAUDE_CODE: _NAMES,
    Client.CODEX: _NAMES,
    Client.GEMINI: {
        Event.SESSION_START: "SessionStart",
        Event.PROMPT: "BeforeAgent",
        Event.PRE_TOOL: "BeforeTool",
        Event.STOP: "AfterAgent",
        Event.PRE_COMPACT: "PreCompress",
    },
}
# Gemini CLI's PreCompress comes before every request to the model, so nothing is installed there.
NOT_INSTALLED = frozenset({(Client.GEMINI, Event.PRE_COMPACT)})
# The tools of each client that write or run commands.
GUARDED_TOOLS: Mapping[Client, tuple[str, ...]] = {
    Client.CLAUDE_CODE: ("Write", "Edit", "MultiEdit", "NotebookEdit", "Bash"),
    Client.CODEX: ("Bash", "apply_patch", "shell", "exec_command"),
    Client.GEMINI: ("write_file", "replace", "run_shell_command"),
}


def installed(client: Client) -> dict[Event, str]:
    """The events at which a client calls recall, and its own names of them."""
    return {event: name for event, name in NAMES[client].items() if (client, event) not in NOT_INSTALLED}
