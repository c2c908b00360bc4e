"""A provider that keeps the contract: a folder of notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recall import documents, files
from recall.api import (
    Authority,
    Deadline,
    Entry,
    Health,
    Memory,
    Problem,
    Scope,
    State,
    hookimpl,
    option,
    utc_from_epoch,
)
from recall.errors import StoreAbsent


@dataclass(frozen=True, slots=True)
class NotesOptions:
    """Where the notes are."""

    folder: str = option("~/notes", "The folder with the notes.")
    max_file_bytes: int = option(100_000, "Most bytes read of one note; a cut is told.", at_least=1024)


class RightNotes:
    """A folder of markdown notes."""

    name = "right-notes"
    authority = Authority.CURATED
    Options: Any = NotesOptions

    def __init__(self, options: NotesOptions) -> None:
        self.options = options

    def folder(self, scope: Scope) -> Path:
        return scope.expand(self.options.folder)

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        try:
            survey = documents.survey(self, scope, deadline)
        except StoreAbsent as error:
            return Health(State.ABSENT, 0, reason=str(error), next_step=error.next_step)
        return survey.health(places=(), facts=(), reason="no note says anything", next_step="write a note")

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        folder = self.folder(scope)
        if not folder.is_dir():
            raise StoreAbsent(f"no folder {folder}", "write a note")
        for path in sorted(folder.glob("*.md")):
            deadline.check()
            yield Entry(path.name, self.stamp(path), path)

    def stamp(self, path: Path) -> str:
        found = path.stat()
        return f"{found.st_mtime_ns}:{found.st_size}"

    def load(self, entry: Entry, scope: Scope) -> Iterator[Memory | Problem]:
        read = files.read_text(entry.locator, self.options.max_file_bytes)
        if read.problem:
            yield Problem(entry.key, read.problem)
        if self.says_something(read.text):
            yield self.memory(entry, read.text)

    def says_something(self, text: str) -> bool:
        return not (documents.is_blank(text) or documents.is_template(text))

    def memory(self, entry: Entry, text: str) -> Memory:
        updated = utc_from_epoch(entry.locator.stat().st_mtime_ns)
        path = files.display_path(entry.locator)
        return Memory(
            entry.key.removesuffix(".md"), text, path=path, updated=updated, date_origin="file time"
        )


@hookimpl
def recall_provider() -> type:
    return RightNotes
