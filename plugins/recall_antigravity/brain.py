"""Brain documents: plans, task lists and walkthroughs of one conversation, `brain/<conversation>/*.md`."""

from __future__ import annotations

from collections.abc import Iterator

from recall import documents, files
from recall.api import Authority, Memory, Problem, Scope
from recall.documents import Document
from recall.errors import StoreBroken
from recall_antigravity import json_files
from recall_antigravity.links import Pointing, linked_files, pointing
from recall_antigravity.listing import Page

_KINDS = {"task": "task", "implementation_plan": "plan", "walkthrough": "walkthrough"}
_PLAIN_TITLES = ("", "task", "tasks", "plan", "implementation plan", "walkthrough", "summary")


def is_elsewhere(page: Page, scope: Scope, limit: int) -> bool:
    """Whether a conversation clearly was about other projects, and those are not asked for."""
    return not scope.all_projects and _pointing(page, scope, limit) is Pointing.ELSEWHERE


def _pointing(page: Page, scope: Scope, limit: int) -> Pointing:
    paths: list[str] = []
    for member in page.conversation:
        try:
            paths += linked_files(files.read_text(member, limit).text)
        except StoreBroken:
            continue  # told when that document itself is read
    return pointing(paths, scope)


def read(identity: str, page: Page, scope: Scope, limit: int) -> Iterator[Memory | Problem]:
    """One document's memory, unless its conversation was about other projects, and what was wrong with it."""
    told, trouble = json_files.fields(page.metadata)
    if trouble:
        yield Problem(f"{page.place}.metadata.json", trouble)
    try:
        document = documents.read_document(page.found, limit)
    except StoreBroken as error:
        yield Problem(page.place, str(error))
        return
    leads_to = _pointing(page, scope, limit)
    if leads_to is Pointing.ELSEWHERE and not scope.all_projects:
        return
    summary = json_files.text(told.get("summary"))
    text, line = document.text(summary)
    if not documents.is_blank(text):
        updated = json_files.date(told, ("updatedAt",))
        dates = documents.dates(document.front, page.found.mtime_ns)
        yield Memory(
            id=identity,
            text=text,
            title=_title(page, document, summary),
            path=files.display_path(page.found.path),
            line=line,
            project=scope.names[0] if leads_to is Pointing.HERE and scope.names else "",
            created=dates.created,
            updated=updated or dates.updated,
            date_origin="brain metadata" if updated else dates.origin,
            kind=_kind(page, json_files.text(told.get("artifactType"))),
            authority=Authority.CAPTURED,
        )
    for problem in document.problems:
        yield Problem(page.place, problem)


def _title(page: Page, document: Document, summary: str) -> str:
    """Its own heading; where that only says what kind of document it is, the summary."""
    if document.title.lower() not in _PLAIN_TITLES:
        return document.title
    return documents.shorten(summary or document.title or documents.title_from_name(page.found.relative))


def _kind(page: Page, written: str) -> str:
    name = written.removeprefix("ARTIFACT_TYPE_").lower() or documents.title_from_name(page.found.relative)
    return _KINDS.get(name, "document")
