"""Gemini CLI: `tmp/<project>/chats/session-*.jsonl`; files beside them name the project's folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from recall import files
from recall.api import Deadline, Problem, Scope
from recall.files import Found
from recall.gemini_names import Owners, home
from recall_transcripts.clients import About, Client, Name, Turn, moment, own_paths, said, word

_ROLES = {"user": "user", "gemini": "assistant"}


def folder(scope: Scope) -> str:
    """Where the projects' folders are."""
    return os.path.join(home(scope), "tmp")


def listed(scope: Scope, _subagents: bool, deadline: Deadline) -> Iterator[tuple[Found, str] | Problem]:
    """The sessions, each with its project's folder; of other projects only if they are wanted."""
    owners, own = Owners(scope), own_paths(scope)

    def enter(relative: str) -> bool:
        name, *below = relative.split("/")
        return below == ["chats"] or (
            not below and (scope.all_projects or files.lies_in(owners.of(name), own))
        )

    for found in files.walk(owners.top, deadline, suffixes=(".jsonl", ".json"), enter=enter):
        if isinstance(found, Problem):
            yield found
        elif os.path.basename(found.relative).startswith("session-"):
            yield found, owners.of(found.relative.split("/")[0])


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


CLIENT = Client(Name.GEMINI, "Gemini CLI", folder, listed, learn, turn)
