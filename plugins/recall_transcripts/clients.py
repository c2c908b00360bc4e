"""What the clients' transcripts have in common: a way to list them, and records that become turns."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple
from unicodedata import normalize

from recall.api import Deadline, Problem, Scope, utc_from_epoch, utc_from_text
from recall.files import Found

# What clients put into the user's mouth; a person's own text may well begin with another tag.
_INJECTED = re.compile(
    r"\s*(?:<(?:command-|local-command-|bash-|system-reminder|task-notification|teammate-message|ide_|user-memory-"
    r"|environment_context|user_instructions|INSTRUCTIONS|turn_aborted|skill>|user_shell_command|permissions"
    r"|subagent_notification|session_context|hook_context)"
    r"|# AGENTS\.md instructions|\[Request interrupted by user|Caveat: The messages below were generated)"
)

_YEARS = range(2000, 2100)  # outside of them a date is damage


class Name(StrEnum):
    """The clients whose transcripts are known: in the settings, and as first part of the ids."""

    CLAUDE = "claude"
    CODEX = "codex"
    GEMINI = "gemini"


@dataclass(slots=True)
class About:
    """What a transcript said so far of itself."""

    session: str = ""
    cwd: str = ""
    branch: str = ""
    subagents: bool = False  # whether side chains are wanted
    is_side_chain: bool = False


class Turn(NamedTuple):
    """What one side said."""

    role: str  # "user", "assistant", "summary"
    text: str
    identity: str  # the record's own id, "" if it has none
    when: datetime | None


class Client(NamedTuple):
    """One program's transcripts."""

    name: Name
    title: str  # what people call it
    folder: Callable[[Scope], str]
    listed: Callable[[Scope, bool, Deadline], Iterator[tuple[Found, str] | Problem]]  # with the cwd if known
    learn: Callable[[Mapping[str, Any], About], None]  # take in what a record says of its transcript
    turn: Callable[[Mapping[str, Any], About], Turn | None]  # what is said in it; changes nothing
    by_record: bool = False  # whether every record names its own working folder


def own_paths(scope: Scope) -> tuple[str, ...]:
    """The scope's roots, as given and as they really are, composed and decomposed."""
    given = [os.fspath(path) for path in scope.roots]
    paths = [form for path in given for form in (path, os.path.realpath(path))]
    return tuple(dict.fromkeys(normalize(form, path) for path in paths for form in ("NFC", "NFD")))


def field(record: object, *path: str) -> Any:
    """What is at a path of keys, None if nothing is."""
    for key in path:
        record = record.get(key) if isinstance(record, Mapping) else None
    return record


def word(record: object, *path: str) -> str:
    """The same for text: "" if there is none."""
    value = field(record, *path)
    return value if isinstance(value, str) else ""


def moment(record: object, *path: str) -> datetime | None:
    """The same for a date, as text or epoch."""
    value = field(record, *path)
    when = utc_from_text(value) or utc_from_epoch(value)
    return when if when is not None and when.year in _YEARS else None


def said(content: object, kinds: Iterable[str] = ("text",)) -> str:
    """The text in a message's content: itself, or its parts of these kinds; without what a client put in."""
    if isinstance(content, str):
        parts = [content]
    else:
        listed = content if isinstance(content, list) else [content]
        parts = [word(part, "text") for part in listed if (word(part, "type") or "text") in kinds]
        parts = [*parts, *(part for part in listed if isinstance(part, str))]
    return "\n\n".join(part.strip() for part in parts if part.strip() and not _INJECTED.match(part))
