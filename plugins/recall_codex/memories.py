"""What a file of Codex's says: groups of tasks, each of some project; a summary of all; summaries of sessions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from recall import documents, notes, outline
from recall.api import Authority, Entry, Memory, Problem, Scope, utc_from_text
from recall.outline import Section
from recall.pages import Page

_CWD = re.compile(r"\bcwd[=:][ \t]*([^;,)\n]+)")
_UPDATED = re.compile(r"\bupdated_at[=:][ \t]*([^\s;,)]+)")
_HEAD = re.compile(r"(?:[a-z_]+:[^\n]*\n)+")  # of a session's summary: thread_id, updated_at, cwd, ...
_AROUND = 500  # characters of a group's head by which each of its parts is found, too
_SOURCES = "rollout_summary_files"  # a section that holds paths only
_KINDS = {"user": "preferences", "reusable": "knowledge", "failures": "failures", "task": "task"}


def read(entry: Entry, limit: int, scope: Scope) -> Iterator[Memory | Problem]:
    """The memories of one file; raises StoreBroken."""
    note: notes.Note = entry.locator
    page = Page(entry.key, note.found, limit)
    if entry.key == "MEMORY.md":
        yield from _groups(page, scope)
    elif note.folder.prefix:
        yield from _session(page, scope)
    else:  # the first line is the format's version
        version = "v1\n" if page.document.body.startswith("v1\n") else ""
        yield from page.parts(page.document.body.removeprefix(version), 1 + bool(version), kind="summary")
    yield from page.problems()


def _groups(page: Page, scope: Scope) -> Iterator[Memory]:
    """One memory for each part of a group of tasks: a task, what the user prefers, what was learnt."""
    number = 0

    def group_of(section: Section) -> int:
        nonlocal number
        number += section.level == 1
        return number

    for _number, grouped in groupby(outline.sections(page.document.body), group_of):
        head, *below = grouped
        own = _project(_CWD.findall(head.text) or _CWD.findall(_joined(below)), scope)
        if own is None or (head.level == 0 and not below):
            continue
        parts = list(_parts(below)) or [[head]]
        of_group = _dated(_joined(below))
        for part in parts:
            text = _joined(section for section in part if section.heading != _SOURCES)
            if documents.is_blank(re.sub(r"^#.*", "", text, flags=re.MULTILINE)):
                continue
            group = head.heading.removeprefix("Task Group:").strip()
            heading = part[0].heading if part[0] is not head else ""
            yield page.memory(
                text,
                part[0].line,
                "/".join(filter(None, (outline.slug(group), outline.slug(heading)))),
                title=documents.shorten(": ".join(filter(None, (group, heading)))),
                project=own,
                kind=_KINDS.get(heading.split(" ")[0].lower(), "note"),
                context=head.text[:_AROUND] if heading else "",
                **(_dated(_joined(part)) or of_group),
            )


def _parts(sections: Sequence[Section]) -> Iterator[list[Section]]:
    """Sections of the second level, each with those below it."""
    part: list[Section] = []
    for section in sections:
        if part and section.level <= 2:
            yield part
            part = []
        part.append(section)
    if part:
        yield part


def _session(page: Page, scope: Scope) -> Iterator[Memory]:
    """A summary of one session, whose first lines say which."""
    body = page.document.body
    head = found[0] if (found := _HEAD.match(body)) else ""
    own = _project(_CWD.findall(head), scope)
    if own is not None:
        rest = body[len(head) :]
        line = 1 + head.count("\n") + len(rest) - len(rest.lstrip("\n"))
        yield from page.parts(
            rest.strip("\n"),
            line,
            project=own,
            kind="session",
            authority=Authority.CAPTURED,
            **_dated(head),
        )


def _project(cwds: Sequence[str], scope: Scope) -> str | None:
    """The label of the project that a memory is of, "" if it does not say, None if it is not asked for."""
    if not cwds:
        return ""
    if any(notes.is_own(scope, cwd) for cwd in dict.fromkeys(cwds)):
        return scope.names[0] if scope.names else ""
    return re.split(r"[/\\]", cwds[0].strip().rstrip("/\\"))[-1] if scope.all_projects else None


def _dated(text: str) -> dict[str, Any]:
    """The newest date in a text as fields of a memory; none if it has none."""
    moments = [documents.sane(utc_from_text(written)) for written in _UPDATED.findall(text)]
    known = [moment for moment in moments if moment is not None]
    return {"created": None, "updated": max(known), "date_origin": "text"} if known else {}


def _joined(sections: Iterable[Section]) -> str:
    return "\n\n".join(section.source for section in sections)
