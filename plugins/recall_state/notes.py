"""A document of the current state as memories: one, or one for each section of a long one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from recall import conventions, documents, files, outline
from recall.api import Memory, Problem
from recall.errors import StoreBroken
from recall.outline import Section
from recall_state.listing import Located

_LONG = 4_000  # characters, about 1,000 tokens: half of an answer
_MOST_PARTS = 1_000  # memories of one document: one of more headings is no hand-over, and stays whole
_CREATED = re.compile(
    r"^[ \t>*-]*\**(?:created|작성일?|생성일?)\**[ \t]*[:：](.*)$", re.IGNORECASE | re.MULTILINE
)
_UPDATED = re.compile(
    r"^[ \t>*-]*\**(?:(?:last )?(?:updated|modified)|date|(?:마지막 )?(?:갱신|수정)일?|날짜)\**[ \t]*[:：](.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD = 2_000  # characters in which a document says when it was written


def read(key: str, located: Located, limit: int, project: str) -> Iterator[Memory | Problem]:
    """The memories in one document, and what was wrong with its file."""
    found = located.found
    try:
        document = documents.read_document(found, limit)
    except StoreBroken as error:
        yield Problem(key, str(error))
        return
    name = found.relative.rsplit("/", 1)[-1]
    head = document.body[:_HEAD]
    updated, created = (match[1] if match else "" for match in (_UPDATED.search(head), _CREATED.search(head)))
    told = ((updated, "text"), (name, "file name"), (created, "text"))
    dates = documents.dates(document.front, found.mtime_ns, told)
    title = document.title or documents.title_from_name(name)
    standing = located.current.later(located.standing, dates.updated)
    taken: set[str] = set()
    for part in [] if documents.is_template(document.body) else _parts(document.body):
        if documents.is_blank(part.text) or documents.is_template(part.text):
            continue
        whole = part.text == document.body
        identity = (
            key.removesuffix(".md") if whole else f"{key.removesuffix('.md')}/{outline.slug(part.heading)}"
        )
        yield Memory(
            id=files.unique(identity.rstrip("/"), taken),
            text=part.text,
            title=title if whole or part.heading == title else f"{title}: {part.heading}".rstrip(": "),
            path=files.display_path(found.path),
            line=document.body_line + part.line - 1,
            project=project,
            created=dates.created,
            updated=dates.updated,
            date_origin=dates.origin,
            kind=standing.kind(_kind(key, name)),
            authority=standing.authority,
        )
    for problem in document.problems:
        yield Problem(key, problem)


def _parts(body: str) -> Iterator[Section]:
    """The text as a whole, or cut at the highest level of headings that comes more than once."""
    cut = outline.sections(body)
    levels = Counter(part.level for part in cut if part.level)
    level = min((one for one, count in levels.items() if count > 1), default=0)
    if len(body) <= _LONG or not level:
        yield Section(0, "", 1, body, body)
        return
    starts = [number for number, part in enumerate(cut) if part.level <= level or not number]
    if len(starts) > _MOST_PARTS:
        yield Section(0, "", 1, body, body)
        return
    for start, end in zip(starts, [*starts[1:], len(cut)], strict=True):
        text = "\n\n".join(part.source for part in cut[start:end])
        yield Section(cut[start].level, cut[start].heading, cut[start].line, text, text)


def _kind(key: str, name: str) -> str:
    if conventions.is_handoff(name) or "handoff" in key.lower():
        return "handoff"
    if conventions.is_decision_log(name):
        return "decision"
    return "checkpoint" if "checkpoint" in name.lower() else "state"
