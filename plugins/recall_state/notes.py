"""A document of the current state as memories: one, or one for each section of a long one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recall import conventions
from recall.api import Memory, Problem
from recall.pages import Page
from recall_state.listing import Located

_CREATED = re.compile(
    r"^[ \t>*-]*+(?:created|작성일?|생성일?)\**[ \t]*[:：](.*)$", re.IGNORECASE | re.MULTILINE
)
_UPDATED = re.compile(
    r"^[ \t>*-]*+(?:(?:last )?(?:updated|modified)|date|(?:마지막 )?(?:갱신|수정)일?|날짜)\**[ \t]*[:：](.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD = 2_000  # characters in which a document says when it was written


def read(key: str, located: Located, limit: int, project: str) -> Iterator[Memory | Problem]:
    """The memories in one document, and what was wrong with its file."""
    found = located.found
    page = Page(key, found, limit, project)
    name = found.relative.rsplit("/", 1)[-1]
    head = page.document.body[:_HEAD]
    updated, created = (match[1] if match else "" for match in (_UPDATED.search(head), _CREATED.search(head)))
    dates = page.dated(((updated, "text"), (name, "file name"), (created, "text")))
    standing = located.current.later(located.standing, dates.updated)
    yield from page.parts(kind=standing.kind(_kind(key, name)), authority=standing.authority)
    yield from page.problems()


def _kind(key: str, name: str) -> str:
    if conventions.is_handoff(name) or "handoff" in key.lower():
        return "handoff"
    if conventions.is_decision_log(name):
        return "decision"
    return "checkpoint" if "checkpoint" in name.lower() else "state"
