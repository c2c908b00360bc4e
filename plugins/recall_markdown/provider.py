"""Markdown notes as memories: one file, one memory."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from typing import ClassVar, NamedTuple

from recall import documents, files
from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope, State
from recall.documents import Document
from recall.errors import StoreAbsent, StoreBroken
from recall.files import Found
from recall_markdown import claude_code, findings, memory_index
from recall_markdown.stores import MarkdownOptions, Store, listing, stores

_ABSENT = "no Claude Code memory, sub-agent memory, memory bank or listed folder belongs to this project"
_NEXT_STEP = (
    "let an agent save a memory here, or list a folder of notes under `folders` in [providers.markdown]"
)
_OVERTAKEN = re.compile(r"superseded|rejected|deprecated|withdrawn|obsolete|대체|폐기|반려|철회")
_ABOUT_DECISIONS = re.compile(r"(?:readme|index|.*template.*)\.md", re.IGNORECASE)
_BARE_HEADING = re.compile(r"(?:auto[ -]?)?memory(?:\.md| index)?|index|메모리|기억", re.IGNORECASE)


class Located(NamedTuple):
    """What `load` needs of an entry: a tuple, since a thousand are made for every question."""

    store: Store
    found: Found

    @property
    def place(self) -> str:
        """What a person would look for."""
        return f"{self.store.prefix}/{self.found.relative}"


class MarkdownProvider:
    """Claude Code's memory, its sub-agents', memory banks, and folders the user lists."""

    name = "markdown"
    authority = Authority.CURATED
    Options: ClassVar[type] = MarkdownOptions

    def __init__(self, options: MarkdownOptions) -> None:
        self._options = options

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        """Every note, each real file once; notes on shared folders come as harmless problems."""
        present = [store for store in stores(self._options, scope) if files.look(store.folder) is not None]
        if not present:
            raise StoreAbsent(_ABSENT, _NEXT_STEP)
        own = claude_code.own_paths(scope)
        seen: set[tuple[int, int]] = set()
        taken: set[str] = set()
        for store in present:
            fresh: list[Found] = []
            for item in listing(store, deadline):
                if isinstance(item, Problem):
                    yield item
                elif item.identity not in seen or item.identity == (0, 0):
                    seen.add(item.identity)
                    fresh.append(item)
            if fresh and store.owner is not None and store.owner.mine:
                shared = claude_code.collision(store.owner, own)
                if shared is not None:
                    yield shared
            yield from _entries(store, fresh, taken)

    def load(self, entry: Entry, scope: Scope) -> Iterator[Memory | Problem]:
        """One note."""
        located: Located = entry.locator
        try:
            document = documents.read_document(located.found.path, self._options.max_file_bytes)
        except StoreBroken as error:
            yield Problem(entry.key, str(error))
            return
        text, line, title = _said(located, document)
        if text:
            yield _memory(entry, document, text, line, title, scope)
        for problem in document.problems:
            yield Problem(entry.key, problem)

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """Read every note and tell what there is."""
        looked_at = stores(self._options, scope)
        places = tuple(dict.fromkeys(files.display_path(store.folder) for store in looked_at))
        beyond = tuple(findings.beyond(self._options, scope))
        try:
            survey = documents.survey(self, scope, deadline)
        except StoreAbsent as error:
            return Health(
                State.ABSENT, 0, reason=str(error), next_step=_NEXT_STEP, facts=beyond, places=places
            )
        indexes = findings.indexes(looked_at, self._options.max_file_bytes, deadline)
        survey = findings.doubted(survey, indexes)
        facts = (*findings.counts(survey, looked_at), *findings.drift(indexes), *beyond)
        silent = findings.silent(survey)
        reason = f"nothing but templates or empty files: {silent[0]}" if silent else "folders without a note"
        return survey.health(places=places, facts=facts, reason=reason, next_step=_NEXT_STEP)


def _entries(store: Store, found: list[Found], taken: set[str]) -> Iterator[Entry]:
    """Entries by place; `taken` are the ids so far."""
    names, ending = "", store.ending
    for item in found:
        located = Located(store, item)
        stamp = item.stamp
        if located.store.is_index(
            located.found
        ):  # what it says itself depends on which of its targets are there
            names = names or "\n".join(other.relative for other in found)
            stamp = f"{stamp}:{zlib.crc32(names.encode('utf-8', 'replace')):08x}"
        identity = documents.unique(located.place.removesuffix(ending), taken)
        yield Entry(identity + ending, stamp, located)


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
        authority=_authority(located, said["status"]),
        extra={name: value for name, value in said.items() if value},
    )


def _authority(located: Located, status: str) -> Authority | None:
    """A decision that no longer holds is history, and a page about decisions is none."""
    authority = located.store.authority
    if authority is not Authority.DECISION:
        return authority
    if _OVERTAKEN.search(status):
        return Authority.CAPTURED
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
