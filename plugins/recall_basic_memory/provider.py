"""Basic Memory as a source: the notes of its projects; its database, an index of them, is not read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from recall import files
from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope, option, record
from recall.errors import StoreAbsent
from recall.notes import Folder, Shelf
from recall_basic_memory.projects import folders

_NEXT_STEP = (
    "write a note with Basic Memory, or name its projects under `projects` in [providers.basic-memory]"
)


@record
class BasicMemoryOptions:
    """Settings below `[providers.basic-memory]`."""

    config: str = option(
        "", "Basic Memory's folder of settings; empty: $BASIC_MEMORY_CONFIG_DIR, else ~/.basic-memory."
    )
    projects: tuple[str, ...] = option(
        (), "Further projects of Basic Memory whose notes belong to this project.", from_project="value"
    )
    default_project: bool = option(
        True, "Read the default project as notes for all projects.", from_project="value"
    )
    max_file_bytes: int = option(
        files.READ_LIMIT, "Most bytes read of one file; what is cut is reported.", at_least=1024
    )


class BasicMemoryProvider:
    """Notes of the Basic Memory projects that belong to the scope, and of the default one."""

    name = "basic-memory"
    reading = "2"
    authority = Authority.CURATED
    Options: ClassVar[type] = BasicMemoryOptions

    def __init__(self, options: BasicMemoryOptions) -> None:
        self._options = options
        self._shelf = Shelf()

    def entries(self, scope: Scope, deadline: Deadline) -> tuple[Entry | Problem, ...]:
        """One entry a note; raises StoreAbsent if no folder of a project is there."""
        found, trouble = self._folders(scope)
        absent = StoreAbsent(f"no Basic Memory project for {scope.whose}", _NEXT_STEP)
        return self._shelf.entries(found, deadline, absent, trouble)

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:  # noqa: ARG002 - the contract's
        """The memories of one note."""
        from recall_basic_memory import memories  # a question after which nothing changed reads no note

        return memories.read(entry, self._options.max_file_bytes)

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """Reads every note and counts its memories, those of this project and all."""
        from recall import documents

        places = [folder.path for folder in self._folders(scope)[0]]
        reason = "folders without a note that says anything"
        return documents.health(self, scope, deadline, places=places, reason=reason, next_step=_NEXT_STEP)

    def _folders(self, scope: Scope) -> tuple[list[Folder], tuple[Problem, ...]]:
        options = self._options
        return folders(scope, options.config, options.projects, default=options.default_project)
