"""Knowledge items: a folder with `metadata.json`, `timestamps.json` and, at any depth, `artifacts/`.

Any of the three may be missing or half-written, and people put plain notes among them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from recall import documents, files
from recall.api import Memory, Problem, Scope
from recall.documents import Document
from recall.errors import StoreBroken
from recall.frontmatter import FrontMatter
from recall_antigravity import json_files
from recall_antigravity.links import Pointing, linked_files, mostly_here, pointing
from recall_antigravity.listing import Artifact

_MODIFIED = ("updatedAt", "updated_at", "last_updated", "modified", "updated")
_CREATED = ("createdAt", "created_at", "created")
# Of an item's main page: the item's title says more.
_PLAIN_TITLES = (
    "overview",
    "readme",
    "index",
    "summary",
)
_REFERENCES = 20


@dataclass(frozen=True, slots=True)
class About:
    """What `metadata.json` and `timestamps.json` say of an item."""

    title: str = ""
    summary: str = ""
    tags: str = ""
    references: tuple[str, ...] = ()
    files: tuple[str, ...] = ()  # those of the references that are paths
    created: datetime | None = None
    modified: datetime | None = None
    problems: tuple[tuple[str, str], ...] = ()  # file name, reason


def read(identity: str, artifact: Artifact, scope: Scope, limit: int) -> Iterator[Memory | Problem]:
    """One artifact's memory, and what was wrong with its files."""
    about = _about(artifact)
    if artifact.leads:
        folder = artifact.place.removesuffix(artifact.found.relative) + artifact.item
        yield from (Problem(f"{folder}/{name}", reason) for name, reason in about.problems)
    if artifact.found is artifact.metadata:
        if not documents.is_blank(about.summary):
            yield _memory(identity, artifact, about, None, scope)
        return
    try:
        document = documents.read_document(artifact.found.path, limit)
    except StoreBroken as error:
        yield Problem(artifact.place, str(error))
        return
    if not documents.is_blank(document.text(_lead(artifact, about))[0]):
        yield _memory(identity, artifact, about, document, scope)
    for problem in document.problems:
        yield Problem(artifact.place, problem)


def _memory(
    identity: str, artifact: Artifact, about: About, document: Document | None, scope: Scope
) -> Memory:
    text, line = document.text(_lead(artifact, about)) if document else (about.summary, None)
    dates = documents.dates(document.front if document else FrontMatter(), artifact.found.mtime_ns)
    extra = {
        "item": artifact.item,
        "tags": about.tags,
        "references": ", ".join(about.references[:_REFERENCES]),
    }
    return Memory(
        id=identity,
        text=text,
        title=_title(artifact, about, document),
        path=files.display_path(artifact.found.path),
        line=line,
        project=_project(about, text, scope),
        created=about.created or dates.created,
        updated=about.modified or dates.updated,
        date_origin="knowledge item" if about.modified else dates.origin,
        kind="knowledge" if document else "summary",
        extra={name: value for name, value in extra.items() if value},
    )


def _lead(artifact: Artifact, about: About) -> str | None:
    return about.summary if artifact.leads and about.summary else None


def _title(artifact: Artifact, about: About, document: Document | None) -> str:
    """The item's title and the document's, as far as they differ."""
    own = (document.title if document else "") or documents.title_from_name(artifact.found.relative)
    if not about.title:
        return own
    if document is None or own.lower() in (*_PLAIN_TITLES, about.title.lower()) or own in about.title:
        return documents.shorten(about.title)
    return documents.shorten(own if about.title in own else f"{about.title}: {own}")


def _project(about: About, text: str, scope: Scope) -> str:
    """This project's label if the item's files are clearly in it: items themselves name no project."""
    absolute = [path for path in about.files if os.path.isabs(path)]
    here = pointing((*linked_files(text), *absolute), scope) is Pointing.HERE
    return scope.names[0] if scope.names and (here or mostly_here(about.files, scope)) else ""


def _about(artifact: Artifact) -> About:
    metadata, trouble = json_files.fields(artifact.metadata)
    times, late_trouble = json_files.fields(artifact.timestamps)
    references = list(filter(None, map(_reference, json_files.listed(metadata.get("references")))))
    return About(
        title=json_files.text(metadata.get("title")),
        summary=json_files.text(metadata.get("summary")) or json_files.text(metadata.get("description")),
        tags=", ".join(filter(None, map(json_files.text, json_files.listed(metadata.get("tags"))))),
        references=tuple(value for _, value in references),
        files=tuple(_path(value) for kind, value in references if _is_file(kind, value)),
        created=json_files.date(times, ("created",)) or json_files.date(metadata, _CREATED),
        # Never `accessed`: it moves whenever the app looks at the item.
        modified=json_files.date(times, ("modified",)) or json_files.date(metadata, _MODIFIED),
        problems=tuple(
            (name, reason)
            for name, reason in (("metadata.json", trouble), ("timestamps.json", late_trouble))
            if reason
        ),
    )


def _reference(value: object) -> tuple[str, str] | None:
    """A reference's type and value, whether it was written as both or as the value alone."""
    told = value if isinstance(value, dict) else {"value": value}
    target = json_files.text(told.get("value"))
    return (json_files.text(told.get("type")), target) if target else None


def _is_file(kind: str, value: str) -> bool:
    return kind == "file" or (not kind and ("://" not in value or value.startswith("file:///")))


def _path(value: str) -> str:
    return next(linked_files(value), value)
