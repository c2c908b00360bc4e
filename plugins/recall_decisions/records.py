"""One record a file: what it decided, whether it still stands, and which record took its place."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator

from recall import documents, outline
from recall.api import Authority, Memory, Problem
from recall.documents import Document
from recall.errors import StoreBroken
from recall.files import Found
from recall.pages import Page
from recall_decisions import status, words
from recall_decisions.listing import Folder
from recall_decisions.names import Names
from recall_decisions.status import Declared

_ARCHIVE = re.compile(rf"archived?|보관|{words.plain(*words.WITHDRAWN)}", re.IGNORECASE)
# Lines that adr-tools and MADR put where the content would be; MADR's are in braces.
_STOCK = re.compile(
    r"^.*(?:\{[A-Za-z][^{}\n\"':]{0,80}\s[^{}\n]{0,300}\}|The issue motivating this decision"
    r"|The change that we're proposing|What becomes easier or more difficult).*$",
    re.MULTILINE | re.IGNORECASE,
)
_STOCK_FIELD = re.compile(
    r"^[ \t*-]*(?:status|date|상태|날짜)\b.*$"
    rf"|^(?:{words.plain(words.PROPOSED, words.ACCEPTED)})(?:됨|중)?\.?$",
    re.MULTILINE | re.IGNORECASE,
)
_DECIDES = re.compile(
    r"^#{1,6}\s*(?:decision|결정)|\bwe (?:have )?decided\b|결정(?:한다|했다|하였다)",
    re.MULTILINE | re.IGNORECASE,
)


def read(key: str, folder: Folder, limit: int, project: str) -> Iterator[Memory | Problem]:
    """The record in one file, and what was wrong with the file."""
    found = folder.found[key]
    try:
        page = Page(key, found, limit, project)
    except StoreBroken as error:
        yield Problem(key, str(error))
        return
    document = page.document
    if not documents.is_blank(document.text()[0]) and not is_unfilled(document.body):
        names = folder.names
        declared = _declared(document, found)
        withdrawn, successor = _overtaken(declared, key, found, names)
        name = os.path.basename(found.relative)
        told = ((declared.date, "text"), (name, "file name"))
        page.dated(told)
        said = {"status": declared.said, "superseded_by": successor.removesuffix(".md")}
        yield page.memory(
            kind="proposal" if declared.status == words.PROPOSED else "decision",
            authority=None if _is_decision(document, declared, name) else Authority.CURATED,
            withdrawn=withdrawn,
            withdraws=_superseded(declared, key, found, names),
            extra={name: value for name, value in said.items() if value},
        )
    yield from page.problems()


def is_unfilled(body: str) -> bool:
    """Whether a record is a template with nothing filled in."""
    return documents.is_template(_STOCK_FIELD.sub("", _STOCK.sub("", body)))


def _overtaken(declared: Declared, key: str, found: Found, names: Names) -> tuple[str, str]:
    """Why a record no longer stands, or "", and the key of the one that took its place, if it is known."""
    near = posixpath.dirname(found.relative)
    successor = next((other for other in names.find(declared.by, near) if other != key), "")
    withdrawn = declared.withdrawn(_label(successor, names))
    if not withdrawn and any(map(_ARCHIVE.fullmatch, near.split("/"))):
        return "archived", ""
    return withdrawn, successor if withdrawn else ""


def _superseded(declared: Declared, key: str, found: Found, names: Names) -> dict[str, str]:
    """Ids of the records that this one says it supersedes, and what is to be said of them."""
    near = posixpath.dirname(found.relative)
    older = [old for text in declared.supersedes for old in names.find(text, near) if old != key]
    why = f"superseded by {_label(key, names)}"
    return {old.removesuffix(".md"): why for old in older if declared.replaces}


def _label(key: str, names: Names) -> str:
    return f"{names.labels[key]} ({key})" if key else ""


def _declared(document: Document, found: Found) -> Declared:
    title = documents.first_heading(document.body) or document.title or found.relative
    return status.declared(title, outline.sections(document.body), document.front)


def _is_decision(document: Document, declared: Declared, name: str) -> bool:
    """Whether a file decides something: a proposal does not yet, a page without any sign of a record never does."""
    if declared.status:
        return declared.status != words.PROPOSED
    return bool(re.match(r"\D{0,8}\d", name) or _DECIDES.search(document.body))
