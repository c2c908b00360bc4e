"""Decisions as a source: the records of ADR folders, and the entries of decision logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from recall import conventions, files, project_files
from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope, option, record
from recall.errors import StoreAbsent
from recall.project_files import Look
from recall_decisions import listing

_ABSENT = "no folder of decision records and no decision log in this project"
_NEXT_STEP = "write docs/decisions/0001-title.md, or name a folder under `folders` in [providers.decisions]"


@record
class DecisionsOptions:
    """Settings below `[providers.decisions]`."""

    folders: tuple[str, ...] = option(
        (), "Further folders of decision records; relative means below the project.", from_project="folder"
    )
    max_file_bytes: int = option(
        files.READ_LIMIT, "Most bytes read of one file; what is cut is reported.", at_least=1024
    )


class DecisionsProvider:
    """Decision records and decision logs of the project, with those that no longer hold marked."""

    name = "decisions"
    reading = "4"
    authority = Authority.DECISION
    Options: ClassVar[type] = DecisionsOptions

    def __init__(self, options: DecisionsOptions | None = None) -> None:
        self._options = options or DecisionsOptions()

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        """One entry a record or log; raises StoreAbsent if the project has no place for either."""
        look = Look(scope, deadline)
        yield from listing.entries(look, self._options.folders)
        if not look.present:
            raise StoreAbsent(_ABSENT, _NEXT_STEP)

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:
        """The record, or the entries of the log, in one file."""
        from recall_decisions import log, records  # a question after which nothing changed reads no record

        located: listing.Located = entry.locator
        limit = self._options.max_file_bytes
        project = scope.names[0] if scope.names else ""
        if located.folder is None:
            return log.read(entry.key, located.found, limit, project)
        return records.read(entry.key, located.folder, limit, project)

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """Reads every record and tells what there is."""
        looked = (*self._options.folders, *conventions.DECISION_FOLDERS, "DECISIONS.md", "docs/DECISIONS.md")
        return project_files.health(self, scope, deadline, looked=looked, item="record", next_step=_NEXT_STEP)
