"""The current state as a source: hand-overs, state documents, and what `.context` holds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

from recall import conventions, files, project_files
from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope, option, record
from recall.errors import StoreAbsent
from recall.project_files import Look
from recall_state import listing

_ABSENT = "no hand-over, state document or .context folder in this project"
_NEXT_STEP = (
    "write where the project stands to HANDOFF.md, or name a folder under `folders` in [providers.state]"
)


@record
class StateOptions:
    """Settings below `[providers.state]`."""

    folders: tuple[str, ...] = option(
        (), "Further folders of hand-overs; relative means below the project.", from_project="folder"
    )
    current_days: float = option(
        30.0,
        "Days after which a state document is believed no more than a decision of its age.",
        from_project="value",
        at_least=0,
    )
    max_file_bytes: int = option(
        files.READ_LIMIT, "Most bytes read of one file; what is cut is reported.", at_least=1024
    )


class StateProvider:
    """Where the project stands: hand-overs, checkpoints, current state documents."""

    name = "state"
    reading = "4"
    authority = Authority.STATE
    Options: ClassVar[type] = StateOptions

    def __init__(self, options: StateOptions | None = None, now: Callable[[], float] = time.time) -> None:
        self._options = options or StateOptions()
        self._now = now  # epoch seconds: a state document gets old without being changed

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        """One entry a file; raises StoreAbsent if there is none."""
        days = self._options.current_days
        current = listing.Current(self._now() - days * 86_400, days)
        look = Look(scope, deadline)
        yield from listing.Listing(look, current).entries(scope, self._options.folders)
        if not look.present:
            raise StoreAbsent(_ABSENT, _NEXT_STEP)

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:
        """The memories of one file."""
        from recall_state import context, notes  # a question after which nothing changed reads no document

        located: listing.Located = entry.locator
        limit = self._options.max_file_bytes
        project = scope.names[0] if scope.names else ""
        if located.found.relative.endswith((".json", ".jsonl")):
            return context.read(entry.key, located, limit, project)
        if located.journal is not None and context.holds_records(located.journal, limit):
            return ()  # a view of what the journal says
        return notes.read(entry.key, located, limit, project)

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """Reads every document and tells what there is."""
        documents = ("HANDOFF.md", "CURRENT_STATE.md", *conventions.HANDOFF_FOLDERS, conventions.CONTEXT)
        looked = (*self._options.folders, *documents)
        return project_files.health(
            self,
            scope,
            deadline,
            looked=looked,
            item="document",
            next_step=_NEXT_STEP,
            made=conventions.CONTEXT,
        )
