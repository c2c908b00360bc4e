"""Claude Code: `projects/<folder>/<session>.jsonl`, every record with its own working folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from recall import files
from recall.api import Deadline, Problem, Scope
from recall.files import Found
from recall_transcripts.clients import About, Client, Turn, field, moment, own_paths, said, word

_SLUG_LENGTH = 200  # longer names end in a hash that differs between builds


def folder(scope: Scope) -> str:
    """Where the projects' folders are."""
    return os.path.join(scope.expand(scope.env.get("CLAUDE_CONFIG_DIR") or "~/.claude"), "projects")


def listed(scope: Scope, subagents: bool, deadline: Deadline) -> Iterator[tuple[Found, str] | Problem]:
    """The sessions in folders that may be of this project: their names say it only roughly."""
    names = (*(_slug(path)[:_SLUG_LENGTH] for path in own_paths(scope)), *_forced(scope))

    def enter(relative: str) -> bool:
        top, *below = relative.split("/")
        if not scope.all_projects and not top.startswith(names):
            return False
        return not below or (subagents and (len(below) == 1 or below[1:] == ["subagents"]))

    for found in files.walk(folder(scope), deadline, suffixes=(".jsonl",), enter=enter):
        yield found if isinstance(found, Problem) else (found, "")


def turn(record: Mapping[str, Any], about: About) -> Turn | None:
    """What a record says, if a person or the assistant says something in it."""
    about.session = word(record, "sessionId") or about.session
    about.cwd = word(record, "cwd") or about.cwd
    about.branch = word(record, "gitBranch") or about.branch
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


def _forced(scope: Scope) -> tuple[str, ...]:
    name = scope.env.get("CLAUDE_CODE_PROJECT_DIR_NAME", "")
    return (name,) if name and scope.env.get("CLAUDE_CONFIG_DIR") else ()


def _slug(path: str) -> str:
    """A path as a folder name: each UTF-16 unit outside A-Z, a-z, 0-9 is one "-"."""
    return "".join(
        letter if letter.isascii() and letter.isalnum() else "--" if ord(letter) > 0xFFFF else "-"
        for letter in path
    )


CLIENT = Client("claude", folder, listed, turn, by_record=True)
