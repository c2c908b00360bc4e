"""What each client says to a hook and wants to hear, as measured on the programs themselves.

|             | Claude Code, Codex                                    | Gemini CLI             |
|-------------|-------------------------------------------------------|------------------------|
| context     | hookSpecificOutput.additionalContext                  | the same               |
| deny a tool | hookSpecificOutput.permissionDecision "deny" + Reason | decision "deny", reason |
| go on       | decision "block", reason                              | decision "deny", reason |
| tell a user | systemMessage                                         | the same               |

Codex keeps 10,000 bytes of context, Claude Code 10,000 characters; what is longer is cut by them in the middle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from recall.clienthooks import NAMES, Client, Event
from recall.wording import plain_lines

CONTEXT_BYTES = 9_000  # of UTF-8: below what every client keeps


class Call(NamedTuple):
    """What a client told its hook; "" where it told nothing."""

    session: str = ""
    folder: str = ""
    source: str = ""  # of a session's start: startup, resume, clear, compact
    prompt: str = ""
    tool: str = ""
    command: str = ""  # what a shell is to run
    again: bool = False  # the agent goes on already because a hook asked it to


class Surroundings(NamedTuple):
    """Where a hook runs, passed in."""

    home: Path
    env: Mapping[str, str]
    here: Callable[[], Path]  # the folder it was started in
    now: Callable[[], float]  # epoch seconds
    program: str = ""  # the path of recall that runs; "" where it is started otherwise


class Reply(NamedTuple):
    """What a hook answers; empty parts are not said."""

    context: str = ""  # put before the model
    deny: str = ""  # why a tool may not be used
    ask: str = ""  # why the agent should go on
    say: str = ""  # one line for the user


def event_name(event: Event, client: Client) -> str:
    """The client's own name of an event."""
    return NAMES[client][event]


def client_of(payload: Mapping[str, Any], env: Mapping[str, str]) -> Client:
    """Which client speaks, where it was not said: only Gemini's answers differ."""
    own = set(NAMES[Client.GEMINI].values()) - set(NAMES[Client.CLAUDE_CODE].values())
    gemini = payload.get("hook_event_name") in own
    return Client.GEMINI if gemini or env.get("GEMINI_SESSION_ID") else Client.CLAUDE_CODE


def call(payload: Mapping[str, Any]) -> Call:
    """What a client told, whatever else it may hold."""
    tool_input = payload.get("tool_input")
    command = tool_input.get("command") if isinstance(tool_input, dict) else ""
    if isinstance(command, list):  # Codex gives a program and its arguments
        command = " ".join(map(str, command))
    return Call(
        session=_text(payload, "session_id"),
        folder=_text(payload, "cwd"),
        source=_text(payload, "source"),
        prompt=_text(payload, "prompt"),
        tool=_text(payload, "tool_name"),
        command=command if isinstance(command, str) else "",
        again=payload.get("stop_hook_active") is True,
    )


def document(reply: Reply, event: Event, client: Client) -> dict[str, Any]:
    """A reply in the client's own words."""
    said: dict[str, Any] = {}
    own: dict[str, Any] = {}
    if reply.context:
        own["additionalContext"] = _sayable(reply.context)
    if reply.deny and client is Client.GEMINI:
        said |= {"decision": "deny", "reason": _sayable(reply.deny)}
    elif reply.deny:
        own |= {"permissionDecision": "deny", "permissionDecisionReason": _sayable(reply.deny)}
    if reply.ask:
        said |= {"decision": "deny" if client is Client.GEMINI else "block", "reason": _sayable(reply.ask)}
    if reply.say:
        said["systemMessage"] = _sayable(reply.say)
    if own:
        said["hookSpecificOutput"] = {"hookEventName": event_name(event, client), **own}
    return said


def _sayable(text: str) -> str:
    """Text without control characters and half characters: it goes straight into a model's context."""
    return plain_lines(text).encode("utf-8", "replace").decode("utf-8")


def _text(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""
