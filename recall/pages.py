"""A file of notes as it is read: its document, and the memories that are made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, TypeVar

from recall import documents, files, outline
from recall.api import Memory, Problem
from recall.files import Found

T = TypeVar("T")
# Memories of one file: nobody wrote more, and a question has no time for them. The host takes no more than 5,000.
MOST = 4_000


def newest(items: Sequence[T], written: Callable[[T], datetime | None]) -> Sequence[T]:
    """As many as are read: those at the end of a log, or at its beginning where its dates fall."""
    if len(items) <= MOST:
        return items
    first, last = written(items[0]), written(items[-1])
    return items[:MOST] if first and last and first > last else items[-MOST:]


class Page:
    """One file. What its memories share (path, dates, project, ids below the entry's key) is said once."""

    def __init__(self, key: str, found: Found, limit: int, project: str = "") -> None:
        """key: the entry's; limit: most bytes that are read. Raises StoreBroken."""
        self.key = key
        self.found = found
        self.project = project
        self.document = documents.read_document(found, limit)
        self.dates = documents.dates(self.document.front, found.mtime_ns)
        self._taken: set[str] = set()

    @property
    def id(self) -> str:
        """The memory's id, if the file is one memory."""
        return self.key.removesuffix(".md")

    @property
    def title(self) -> str:
        """What the document calls itself, else its file's name."""
        return self.document.title or documents.title_from_name(self.found.relative)

    def dated(self, told: Iterable[tuple[str, str]]) -> documents.Dates:
        """The dates, where the front matter has none also by what is told; see `documents.dates`."""
        self.dates = documents.dates(self.document.front, self.found.mtime_ns, told)
        return self.dates

    def memory(self, text: str | None = None, line: int = 1, name: str = "", **fields: Any) -> Memory:
        """A memory: the whole document, or a text that begins at a line of its body, by a name of its own.

        fields: further fields of the memory, which win.
        """
        if text is None:
            text, first = self.document.text()
        else:
            first = self.document.body_line + line - 1
        common = {
            "id": files.unique(f"{self.id}/{name}" if name else self.id, self._taken),
            "title": self.title,
            "path": files.display_path(self.found.path),
            "line": first,
            "project": self.project,
            "created": self.dates.created,
            "updated": self.dates.updated,
            "date_origin": self.dates.origin,
        }
        return Memory(text=text, **{**common, **fields})

    def parts(self, body: str | None = None, line: int = 1, **fields: Any) -> Iterator[Memory]:
        """The document, a long one in sections; nothing for what is blank or a template nobody filled in.

        body: a part of the document's body that begins at `line` of it; default: all of it.
        """
        body = self.document.body if body is None else body
        for part in () if documents.is_template(body) else outline.parts(body):
            whole = part.text == body
            if whole or not documents.is_template(part.text):
                title = self.title if whole or part.heading == self.title else f"{self.title}: {part.heading}"
                name = "" if whole else outline.slug(part.heading)
                yield self.memory(part.text, line + part.line - 1, name, title=title.rstrip(": "), **fields)

    def problems(self) -> Iterator[Problem]:
        """What was lost while the file was read."""
        for problem in self.document.problems:
            yield Problem(self.key, problem)
