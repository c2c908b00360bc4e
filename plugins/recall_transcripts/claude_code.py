"""Claude Code: `projects/<folder>/<session>.jsonl`, every record with its own working folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from recall import claude_names, files
from recall.api import Deadline, Problem, Scope
from recall.files import Found
from recall_transcripts.clients import About, Client, Name, Turn, field, moment, own_paths, said, word


def folder(scope: Scope) -> str:
    """Where the projects' folders are."""
    return os.path.join(claude_names.config_root(scope), "projects")


def listed(scope: Scope, subagents: bool, deadline: Deadline) -> Iterator[tuple[Found, str] | Problem]:
    """The sessions in folders that may be of this project: their names say it only roughly."""
    names = tuple(claude_names.slug(path)[: claude_names.SLUG_LENGTH] for path in own_paths(scope))
    forced = claude_names.forced(scope)

    def enter(relative: str) -> bool:
        top, *below = relative.split("/")
        if not (scope.all_projects or top in forced or top.startswith(names)):
            return False
        return not below or (subagents and (len(below) == 1 or below[1:] == ["subagents"]))

    for found in files.walk(folder(scope), deadline, suffixes=(".jsonl",), enter=enter):
        yield found if isinstance(found, Problem) else (found, "")


def learn(record: Mapping[str, Any], about: About) -> None:
    """Every record names its session, folder and branch."""
    about.session = word(record, "sessionId") or about.session
    about.cwd = word(record, "cwd") or about.cwd
    about.branch = word(record, "gitBranch") or about.branch


def turn(record: Mapping[str, Any], about: About) -> Turn | None:
    """What a record says, if a person or the assistant says something in it."""
    role, content = word(record, "type"), field(record, "message", "content")
    if role not in ("user", "assistant") or (record.get("isSidechain") and not about.subagents):
        return None
    if record.get("isCompactSummary"):
        role = "summary"
    elif record.get("isMeta") or record.get("isApiErrorMessage") or _is_made_up(record, content):
        return None
    return Turn(role, said(content), word(record, "uuid"), moment(record, "timestamp"))


def _is_made_up(record: Mapping[str, Any], content: object) -> bool:
    """Whether nobody said it: results of tools, answers of no model."""
    blocks = content if isinstance(content, list) else []
    by_tool = any(word(block, "type") == "tool_result" for block in blocks)
    return by_tool or word(record, "message", "model") == "<synthetic>"


CLIENT = Client(Name.CLAUDE, "Claude Code", folder, listed, learn, turn, by_record=True)
