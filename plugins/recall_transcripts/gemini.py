"""Gemini CLI: `tmp/<project>/chats/session-*.jsonl`; files beside them name the project's folder."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from recall import files
from recall.api import Deadline, Problem, Scope
from recall.errors import StoreBroken
from recall.files import Found
from recall_transcripts.clients import About, Client, Name, Turn, moment, own_paths, said, word

_ROLES = {"user": "user", "gemini": "assistant"}
_SMALL = 65_536  # bytes of .project_root and projects.json that are read


def folder(scope: Scope) -> str:
    """Where the projects' folders are."""
    return os.path.join(_home(scope), "tmp")


def listed(scope: Scope, _subagents: bool, deadline: Deadline) -> Iterator[tuple[Found, str] | Problem]:
    """The sessions, each with its project's folder; of other projects only if they are wanted."""
    top, own = folder(scope), own_paths(scope)
    roots = _registered(scope) | {
        hashlib.sha256(path.encode("utf-8", "replace")).hexdigest(): path for path in own
    }

    known: dict[str, str] = {}

    def root_of(name: str) -> str:
        if name not in known:
            known[name] = _read(os.path.join(top, name, ".project_root")).strip() or roots.get(name, "")
        return known[name]

    def enter(relative: str) -> bool:
        name, *below = relative.split("/")
        return below == ["chats"] or (not below and (scope.all_projects or files.lies_in(root_of(name), own)))

    for found in files.walk(top, deadline, suffixes=(".jsonl", ".json"), enter=enter):
        if isinstance(found, Problem):
            yield found
        elif os.path.basename(found.relative).startswith("session-"):
            yield found, root_of(found.relative.split("/")[0])


def learn(record: Mapping[str, Any], about: About) -> None:
    """The head of a session names it, and says whether it is a sub-agent's."""
    about.session = word(record, "sessionId") or about.session
    about.is_side_chain = about.is_side_chain or word(record, "kind") == "subagent"


def turn(record: Mapping[str, Any], _about: About) -> Turn | None:
    """What a record says; one that comes again says more than before."""
    role = _ROLES.get(word(record, "type"), "")
    if not role:
        return None
    shown = record.get("displayContent") if role == "user" else None  # without the files that were put in
    return Turn(role, said(shown or record.get("content")), word(record, "id"), moment(record, "timestamp"))


def _home(scope: Scope) -> str:
    return os.path.join(scope.expand(scope.env.get("GEMINI_CLI_HOME") or "~"), ".gemini")


def _registered(scope: Scope) -> dict[str, str]:
    """Folder name -> project's folder, as the program's own register has it."""
    try:
        register = json.loads(_read(os.path.join(_home(scope), "projects.json")) or "{}")
    except (ValueError, RecursionError):
        return {}
    projects = register.get("projects") if isinstance(register, dict) else None
    pairs = projects.items() if isinstance(projects, dict) else ()
    return {name: path for path, name in pairs if isinstance(name, str)}


def _read(path: str) -> str:
    try:
        return files.read_text(path, _SMALL).text
    except StoreBroken:
        return ""


CLIENT = Client(Name.GEMINI, "Gemini CLI", folder, listed, learn, turn)
