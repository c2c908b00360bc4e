"""One commit as a memory."""

from __future__ import annotations

import re

from recall.api import Memory, Problem
from recall.git.commits import Commit, Touched, Unread

_FEW = 10  # files that a commit is about: all of them are part of its text
# Of more files: such a commit is about none of them, and would answer every question that names one.
_SHOWN = 3
_SEARCHED = 30  # paths in all that help to find it
_BECAME = {"changed": "MTUX", "added": "AC", "deleted": "D", "renamed": "R"}
_BODY = 20_000  # characters of one message: the rest is most often a pasted log
# What merging writes by itself. Whatever somebody added to it makes it a commit like others.
_MERGE = re.compile(r"Merge (branch|branches|tag|commit|remote-tracking branch|[0-9a-f]{7,})\b.*")
_BOT = re.compile(r"\[bot\]$|^(dependabot|renovate|greenkeeper|github-actions)\b", re.IGNORECASE)


def memory(item: Commit | Unread, project: str) -> Memory | Problem | None:
    """The memory; None for a commit that says nothing.

    project: the label of the project it belongs to.
    """
    if isinstance(item, Unread):
        return Problem(item.sha, item.reason)
    if is_silent(item):
        return None
    return Memory(
        id=item.sha,
        title=item.subject or f"commit {item.sha[:7]} without a subject",
        text="\n\n".join(filter(None, (item.subject, _body(item), "\n".join(item.trailers), _touched(item)))),
        project=project,
        created=item.committed,
        updated=item.committed,
        date_origin="git",
        kind="merge" if len(item.parents) > 1 else "commit",
        extra={"author": item.author, "files": str(len(item.touched))},
        context="\n".join(map(_path, item.touched[_shown(item) : _SEARCHED])),
    )


def is_silent(commit: Commit) -> bool:
    """Whether it is a merge that says no more than that it is one, or has neither a word nor a file in it."""
    if len(commit.parents) > 1:
        return not commit.body and (not commit.subject or _MERGE.fullmatch(commit.subject) is not None)
    return commit.is_wordless and not commit.touched


def _body(commit: Commit) -> str:
    if _BOT.search(commit.author) and commit.body:
        return "(the text of an automatic commit is left out)"  # release notes of others, pages of them
    left_out = len(commit.body) - _BODY
    return commit.body if left_out <= 0 else f"{commit.body[:_BODY]}\n(and {left_out:,} more characters)"


def _shown(commit: Commit) -> int:
    """How many of its paths are part of its text."""
    return _FEW if len(commit.touched) <= _FEW else _SHOWN


def _touched(commit: Commit) -> str:
    """The paths by what became of them; no count but of those left out, for a count would read as a fact."""
    named = commit.touched[: _shown(commit)]
    lines = []
    for word, statuses in _BECAME.items():
        paths = [_path(one) for one in named if one.status in statuses]
        lines += [f"{word}: {', '.join(paths)}"] if paths else []
    left_out = len(commit.touched) - len(named)
    return "\n".join([*lines, f"and {left_out:,} more files"] if left_out else lines)


def _path(one: Touched) -> str:
    return f"{one.old} -> {one.path}" if one.old else one.path
