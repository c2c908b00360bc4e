"""What a note says: its text, its title, its date, its project, and how much it is to be believed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from recall import documents, files
from recall.api import Authority, Entry, Memory, Problem, Scope
from recall.documents import Document
from recall.errors import StoreBroken
from recall_markdown import claude_code, memory_index
from recall_markdown.stores import Located, Store

_OVERTAKEN = re.compile(r"superseded|rejected|deprecated|withdrawn|obsolete|대체|폐기|반려|철회")
_ABOUT_DECISIONS = re.compile(r"(?:readme|index|.*template.*)\.md", re.IGNORECASE)
_BARE_HEADING = re.compile(r"(?:auto[ -]?)?memory(?:\.md| index)?|index|메모리|기억", re.IGNORECASE)


def read(entry: Entry, limit: int, scope: Scope) -> Iterator[Memory | Problem]:
    """The memory in one note, and what was wrong with its file."""
    located: Located = entry.locator
    try:
        document = documents.read_document(located.found, limit)
    except StoreBroken as error:
        yield Problem(entry.key, str(error))
        return
    text, line, title = _said(located, document)
    if text:
        yield _memory(entry, document, text, line, title, scope)
    for problem in document.problems:
        yield Problem(entry.key, problem)


def _said(located: Located, document: Document) -> tuple[str, int, str]:
    """A note's own text, the line where it begins, and its title; no text if there is nothing to remember."""
    relative = located.found.relative
    if located.store.is_index(located.found):
        rest = memory_index.rest(document.body, os.path.dirname(located.found.path))
        heading = documents.first_heading(rest.text)
        title = relative if _BARE_HEADING.fullmatch(heading) or not heading else heading
        return rest.text, document.body_line + rest.line - 1, title
    text, line = document.text()
    filled = not documents.is_blank(text) and not (
        located.store.templates and documents.is_template(document.body)
    )
    return text if filled else "", line, document.title or documents.title_from_name(relative)


def _memory(entry: Entry, document: Document, text: str, line: int, title: str, scope: Scope) -> Memory:
    located: Located = entry.locator
    front = document.front
    dates = documents.dates(front, located.found.mtime_ns)
    said = {"name": front.text("name"), "status": documents.declared_status(document)}
    if located.store.authority is not Authority.DECISION:
        said["status"] = front.text("status")
    return Memory(
        id=entry.key.removesuffix(located.store.ending),
        text=text,
        title=title,
        path=files.display_path(located.found.path),
        line=line,
        project=_project(located.store, document, scope),
        created=dates.created,
        updated=dates.updated,
        date_origin=dates.origin,
        kind=front.text("metadata", "type") or front.text("type") or "note",
        authority=_authority(located),
        withdrawn=documents.shorten(said["status"]) if _OVERTAKEN.search(said["status"]) else "",
        extra={name: value for name, value in said.items() if value},
    )


def _authority(located: Located) -> Authority | None:
    """What the user says of the folder; a page about decisions is none."""
    authority = located.store.authority
    if authority is not Authority.DECISION:
        return authority
    return None if _ABOUT_DECISIONS.fullmatch(os.path.basename(located.found.path)) else authority


def _project(store: Store, document: Document, scope: Scope) -> str:
    """The project a note belongs to; in a shared folder the session that wrote it tells."""
    if store.owner is None:
        return store.project
    front = document.front
    session = front.text("metadata", "originSessionId") or front.text("originSessionId")
    folder = claude_code.session_folder(store.owner.transcripts, session) if session else ""
    if not folder and not store.owner.mine:
        folder = next(iter(claude_code.recorded_folders(store.owner.transcripts, 1)), "")
        if not folder:
            return files.display_path(store.owner.name)
    if not folder or files.lies_in(folder, claude_code.own_paths(scope)):
        return scope.names[0] if scope.names else ""
    return claude_code.base_name(claude_code.owner(folder, store.owner.name))
