"""What a file of Gemini CLI's says: what it was told to remember, fact by fact, and everything else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recall import documents, notes, outline
from recall.api import Entry, Memory, Problem
from recall.pages import Page

_ADDED = "gemini added memories"  # the section that releases before 0.61 kept
_ITEM = re.compile(r"^[-*+][ \t]+", re.MULTILINE)


def read(entry: Entry, limit: int) -> Iterator[Memory | Problem]:
    """The memories of one file; raises StoreBroken."""
    note: notes.Note = entry.locator
    page = Page(entry.key, note.found, limit, note.folder.project)
    body = page.document.body
    added = [section for section in outline.sections(body) if section.heading.lower() == _ADDED]
    for section in added:
        yield from _facts(page, section)
        # Blank lines in its place, so that the lines of the rest stay.
        body = body.replace(section.source, "\n" * section.source.count("\n"), 1)
    rest = body.lstrip("\n")
    kind = "memory" if note.folder.prefix.startswith("memory/") else "context"
    yield from page.parts(rest.rstrip(), 1 + len(body) - len(rest), kind=kind)
    yield from page.problems()


def _facts(page: Page, section: outline.Section) -> Iterator[Memory]:
    """One memory for each item of the list, which may go on over several lines."""
    starts = [match.start() for match in _ITEM.finditer(section.source)]
    for start, end in zip(starts, [*starts[1:], len(section.source)], strict=True):
        text = _ITEM.sub("", section.source[start:end].strip(), count=1)
        if not documents.is_blank(text):
            title = documents.shorten(documents.one_line(text))
            line = section.line + section.source.count("\n", 0, start)
            yield page.memory(text, line, f"added/{outline.slug(text)}", title=title, kind="memory")
