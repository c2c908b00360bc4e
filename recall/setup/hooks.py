"""The hooks in a client's settings: put there, or taken out, and nobody else's touched.

The shape is the same in all three clients, `hooks.EVENT: [{matcher, hooks: [{type, command, timeout}]}]`; the events'
names, the file and the unit of a timeout are each client's own (`recall/clienthooks.py`).
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recall.clienthooks import GUARDED_TOOLS, Client, Event, installed
from recall.errors import Unreadable
from recall.setup.clients import Format, Machine
from recall.setup.merge import first, language, table_of, with_value, without_value

_TABLE = "hooks"
_OURS = re.compile(rf"\brecall\b.*\bhook\s+({'|'.join(Event)})\b", re.DOTALL)
_SECONDS = {
    Event.SESSION_START: 15,
    Event.PROMPT: 10,
    Event.PRE_TOOL: 15,
    Event.STOP: 10,
    Event.PRE_COMPACT: 10,
}


@dataclass(frozen=True, slots=True)
class HookFile:
    """Where a client keeps its hooks, and what they are called there.

    second: what a timeout counts a second as.
    """

    client: Client
    title: str
    format: Format
    user: Callable[[Machine], Path]
    project: str  # below a project's root
    second: int
    after: str  # what the user has to do before it works

    @property
    def events(self) -> Mapping[Event, str]:
        """The client's own name by the command's."""
        return installed(self.client)

    @property
    def matcher(self) -> str:
        """The tools before which `pre-tool` is called; the settings' `context.guarded_tools` decides further."""
        return "|".join(GUARDED_TOOLS[self.client])


def _claude_code(machine: Machine) -> Path:
    return machine.folder("CLAUDE_CONFIG_DIR", ".claude") / "settings.json"


def _codex(machine: Machine) -> Path:
    return machine.folder("CODEX_HOME", ".codex") / "hooks.json"


def _gemini(machine: Machine) -> Path:
    return machine.folder("GEMINI_CLI_HOME") / ".gemini" / "settings.json"


HOOK_FILES: Mapping[str, HookFile] = {
    str(one.client): one
    for one in (
        HookFile(
            Client.CLAUDE_CODE,
            "Claude Code",
            Format.JSON,
            _claude_code,
            ".claude/settings.json",
            1,
            "start a new session; /hooks lists them",
        ),
        HookFile(
            Client.CODEX,
            "Codex",
            Format.JSON,
            _codex,
            ".codex/hooks.json",
            1,
            "start a new session and trust them in /hooks: Codex skips hooks that are not trusted, without a word",
        ),
        HookFile(
            Client.GEMINI,
            "Gemini CLI",
            Format.COMMENTED_JSON,
            _gemini,
            ".gemini/settings.json",
            1_000,
            "start a new session in a trusted folder; /hooks lists them",
        ),
    )
}


def groups(file: HookFile, program: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What is added, by the client's event. program: what starts recall, without a subcommand."""
    return {
        name: {
            **({"matcher": file.matcher} if event is Event.PRE_TOOL else {}),
            "hooks": [
                {
                    "type": "command",
                    "command": _line(program, event, file.client),
                    "timeout": _SECONDS[event] * file.second,
                }
            ],
        }
        for event, name in file.events.items()
    }


def snippet(file: HookFile, program: Sequence[str]) -> str:
    """What the client's file must contain."""
    return merged("", file, program)


def merged(text: str, file: HookFile, program: Sequence[str]) -> str:
    """The settings with the hooks in them; the same text if they are there already.

    Of a hook that exists, only the command is changed. Raises Unreadable.
    """

    def wanted(event: str, found: list[Any]) -> list[Any]:
        group = groups(file, program)[event]
        command = group["hooks"][0]["command"]
        kept = [_mapped(one, lambda hook: [{**hook, "command": command}]) for one in found]
        return kept if any(map(_is_ours, found)) else [*kept, group]

    return _edited(text, file, wanted)


def removed(text: str, file: HookFile) -> str:
    """The settings without the hooks; the same text if none is there. Raises Unreadable."""

    def wanted(_event: str, found: list[Any]) -> list[Any]:
        kept = [_mapped(one, lambda _hook: []) for one in found]
        return [after for before, after in zip(found, kept, strict=True) if before == after or after["hooks"]]

    return _edited(text, file, wanted)


def _edited(text: str, file: HookFile, wanted: Callable[[str, list[Any]], list[Any]]) -> str:
    spoken = language(file.format)
    try:
        value = spoken.parse(text)
        before = any(_found(value, event) for event in file.events.values())
        for event in file.events.values():
            found = _found(value, event)
            after = wanted(event, found)
            if after == found:
                continue
            _require_no_comment(text, file, found)
            path = (_TABLE, event)
            if after:
                value = with_value(value, path, after)
                text = first(spoken, spoken.put(text, path, after), path, [value])
            else:
                text = first(spoken, spoken.without(text, path), path, without_value(value, path))
                value = spoken.parse(text)
        if before and value.get(_TABLE) == {}:  # nothing is left but the empty table
            meant = without_value(value, (_TABLE,))
            text = first(spoken, spoken.without(text, (_TABLE,)), (_TABLE,), meant)
    except RecursionError:  # what can just be parsed cannot always be copied and compared
        raise Unreadable("nested too deeply") from None
    return text


def _found(value: Any, event: str) -> list[Any]:
    table = table_of(table_of(value, ()).get(_TABLE, {}), (_TABLE,))
    found = table.get(event, [])
    if not isinstance(found, list):
        raise Unreadable(f"{_TABLE}.{event} is not a list of hooks")
    return found


def _require_no_comment(text: str, file: HookFile, found: list[Any]) -> None:
    """A list that is written anew would lose the comments in it."""
    if found and file.format is not Format.JSON:
        try:
            language(Format.JSON).parse(text)
        except Unreadable:
            raise Unreadable("it has comments and hooks of others, which would be lost") from None


def _hooks(group: Any) -> Iterator[dict[str, Any]]:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return (hook for hook in hooks if isinstance(hook, dict)) if isinstance(hooks, list) else iter(())


def _is_hook_of_ours(hook: Any) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and _OURS.search(command) is not None


def _is_ours(group: Any) -> bool:
    return any(map(_is_hook_of_ours, _hooks(group)))


def _mapped(group: Any, change: Callable[[dict[str, Any]], list[dict[str, Any]]]) -> Any:
    """A group with each of our hooks in it changed; everybody else's as it is."""
    if not _is_ours(group):
        return group
    hooks = [one for hook in group["hooks"] for one in (change(hook) if _is_hook_of_ours(hook) else [hook])]
    return {**group, "hooks": hooks}


def _line(program: Sequence[str], event: str, client: str) -> str:
    """The command as a shell runs it; a variable for the program, as a plugin has one, stays to be expanded."""
    words = [f'"{word}"' if word.startswith("${") else _quoted(word) for word in program]
    return " ".join((*words, "hook", event, "--client", client))


def _quoted(word: str) -> str:
    return shlex.quote(word) if os.name == "posix" else f'"{word}"'
