"""Where a project stands, as text for an agent and as a document for a program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recall.context import budget
from recall.context.bootstrap import Bootstrap
from recall.context.budget import Section
from recall.context.handle import Verdict
from recall.files import display_path
from recall.git.present import Present
from recall.git.shown import safe
from recall.render.document import SCHEMA_VERSION, TRUST, iso, present
from recall.wording import ago, counted, one_line

_FILES = 200  # that differ, named in the document
_ANY = 1_000_000  # lines left out: a number that is as long as any


def text(given: Bootstrap) -> str:
    """A bootstrap as markdown: a line or a list entry each, whatever the memories hold."""
    lines = [f"**{TRUST}**", "", *_head(given)]
    for section in given.sections:
        lines += ["", *_section(section)] if section.lines or section.left_out else []
    lines += [f"Note: {notice}" for notice in given.notices]
    return "\n".join(map(one_line, lines)) + "\n"


def within(given: Bootstrap, most: int) -> str:
    """The same of at most `most` bytes of UTF-8: its sections are cut again, each within its own share."""
    whole = text(given)
    if len(whole.encode()) <= most:
        return whole
    empty = given._replace(sections=tuple(one._replace(lines=(), left_out=_ANY) for one in given.sections))
    room = most - len(text(empty).encode())
    return text(given._replace(sections=budget.fitted(given.sections, room, budget.utf8)))


def document(given: Bootstrap) -> dict[str, Any]:
    """A bootstrap as a JSON document."""
    return {
        "schema_version": SCHEMA_VERSION,
        "project": given.project,
        "trust": TRUST,
        "now": None if given.present is None else _now(given.present),
        "fingerprint": given.fingerprint,
        "checkpoint": iso(given.checkpoint),
        "journal_read": given.journal_read,
        "changed_since_checkpoint": given.changed,
        "context_handle": given.handle.name if given.handle else None,
        "sections": [section._asdict() for section in given.sections],
        "notices": list(given.notices),
        "seconds": round(given.seconds, 3),
    }


def _now(now: Present) -> dict[str, Any]:
    """How the repository stands, with more of the files that differ than an answer names."""
    tree = now.tree
    files = [_name(path) for path in tree.raw[:_FILES]]
    differ = tree.changed + tree.untracked + tree.conflicted
    return {
        **present(now),
        "detached": bool(now.head) and not now.branch,
        "dirty": differ > 0 if tree.looked else None,
        "files": files,
        "more_files": differ - len(files),
    }


def _name(path: str) -> str:
    """A file's name for a program: as it is, but for what could harm; a tab is a part of a name like any other."""
    return "\t".join(safe(display_path(part)) if part else "" for part in path.split("\t"))


def _head(given: Bootstrap) -> Iterator[str]:
    if given.project:
        yield f"Project: {given.project}"
    if given.present is not None:
        mark = f" · fingerprint {given.fingerprint}" if given.fingerprint else ""
        yield f"Now: {given.present.words()}{mark}"
        if named := ", ".join(given.present.files):
            more = f" and {given.present.more:,} more" if given.present.more > 0 else ""
            yield f"Differs: {named}{more}"
    yield f"Checkpoint: {_checkpoint(given)}"
    if given.handle:
        yield f"Context handle: {given.handle.name} (stale once the branch or HEAD is another one)"


def _checkpoint(given: Bootstrap) -> str:
    if not given.journal_read:
        return "not known; see the notes"
    if given.checkpoint is None:
        return 'none yet; `recall checkpoint decision "..."` writes down what was decided'
    since = {True: "the project has changed since", False: "nothing has changed since"}
    told = "whether anything changed since is not known" if given.changed is None else since[given.changed]
    return f"{ago(given.now - given.checkpoint)}; {told}"


def _section(section: Section) -> Iterator[str]:
    yield f"## {section.title}"
    yield from (line if line.startswith("  ") else f"- {line}" for line in section.lines)
    left = [counted(section.left_out, "more line")] if section.left_out else []
    left += [f"{section.shortened} shortened"] if section.shortened else []
    if left:
        yield f"- … left out here: {', '.join(left)}"


def verdict(given: Verdict) -> str:
    """What the guard says, as text."""
    which = f" ({given.handle})" if given.handle else ""
    return f"go on{which}\n" if given.allowed else f"bootstrap again: {one_line(given.reason)}{which}\n"


def verdict_document(given: Verdict) -> dict[str, Any]:
    """The same as a document."""
    return {
        "schema_version": SCHEMA_VERSION,
        "allowed": given.allowed,
        "finding": str(given.finding),
        "reason": given.reason,
        "context_handle": given.handle or None,
    }
