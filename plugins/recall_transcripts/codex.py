"""Codex: `sessions/YYYY/MM/DD/rollout-*.jsonl`; the first record names the working folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from recall import files
from recall.api import Deadline, Problem, Scope
from recall.files import Found
from recall_transcripts.clients import About, Client, Name, Turn, field, moment, said, word

_REQUEST = "## My request for Codex:"  # behind what an editor tells of its open files


def folder(scope: Scope) -> str:
    """Where the sessions are."""
    return os.path.join(scope.expand(scope.env.get("CODEX_HOME") or "~/.codex"), "sessions")


def listed(scope: Scope, _subagents: bool, deadline: Deadline) -> Iterator[tuple[Found, str] | Problem]:
    """Every session, of whatever project: only its text says which."""
    for found in files.walk(folder(scope), deadline, suffixes=(".jsonl", ".jsonl.zst", ".json")):
        yield found if isinstance(found, Problem) else (found, "")


def learn(record: Mapping[str, Any], about: About) -> None:
    """The first record tells of the session; a fork copies its parent's behind its own."""
    kind, payload = word(record, "type"), field(record, "payload")
    head = payload if kind == "session_meta" else record if "id" in record and not kind else None
    head = field(record, "session") or head
    if isinstance(head, Mapping) and not about.session:
        about.session = word(head, "id")
        about.cwd = word(head, "cwd").removeprefix("\\\\?\\")
        about.branch = word(head, "git", "branch")
        about.is_side_chain = field(head, "source", "subagent") is not None


def turn(record: Mapping[str, Any], _about: About) -> Turn | None:
    """What a record says; events only repeat it."""
    kind, payload = word(record, "type"), field(record, "payload")
    if kind == "compacted":
        return Turn("summary", word(payload, "message"), "", moment(record, "timestamp"))
    message = payload if kind == "response_item" else record
    role = word(message, "role")
    if word(message, "type") != "message" or role not in ("user", "assistant"):
        return None
    text = said(field(message, "content"), ("input_text", "output_text", "text"))
    text = text.rpartition(_REQUEST)[2].strip() if role == "user" else text
    return Turn(role, text, "", moment(record, "timestamp"))


CLIENT = Client(Name.CODEX, "Codex", folder, listed, learn, turn)
