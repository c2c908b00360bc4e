"""Gemini CLI's memories as a source: context files with what they import, and a folder of notes for each project."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import ClassVar

from recall import files, gemini_names, notes
from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope, option, record
from recall.errors import StoreAbsent
from recall.notes import Folder, Shelf
from recall_gemini import imports

_ABSENT = "no GEMINI.md and no memory folder of Gemini CLI for {}"
_NEXT_STEP = "tell Gemini CLI to remember something, or write GEMINI.md"


@record
class GeminiOptions:
    """Settings below `[providers.gemini]`."""

    context_files: bool = option(
        True, "Read GEMINI.md, the global and the project's, with what it imports.", from_project="value"
    )
    memory: bool = option(True, "Read the memory folders that Gemini CLI keeps itself.", from_project="value")
    max_file_bytes: int = option(
        files.READ_LIMIT, "Most bytes read of one file; what is cut is reported.", at_least=1024
    )


class GeminiProvider:
    """Context files and memory folders of Gemini CLI."""

    name = "gemini"
    reading = "1"
    authority = Authority.CURATED
    Options: ClassVar[type] = GeminiOptions

    def __init__(self, options: GeminiOptions) -> None:
        self._options = options
        self._shelf = Shelf()
        self._imports = imports.Imports()

    def entries(self, scope: Scope, deadline: Deadline) -> tuple[Entry | Problem, ...]:
        """One entry a file; raises StoreAbsent if there is none."""
        context = list(_context_folders(scope)) if self._options.context_files else []
        imported, trouble = self._imports.of(context, deadline)
        kept = _memory_folders(scope) if self._options.memory else ()
        absent = StoreAbsent(_ABSENT.format(scope.whose), _NEXT_STEP)
        return self._shelf.entries((*context, *imported, *kept), deadline, absent, trouble)

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:  # noqa: ARG002 - the contract's
        """The memories of one file."""
        from recall_gemini import memories  # a question after which nothing changed reads no file

        return memories.read(entry, self._options.max_file_bytes)

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """Reads every file and counts its memories."""
        from recall import documents

        places = [folder.path for folder in (*_context_folders(scope), *_memory_folders(scope))]
        reason = "nothing but empty files and templates"
        return documents.health(self, scope, deadline, places=places, reason=reason, next_step=_NEXT_STEP)


def _context_folders(scope: Scope) -> Iterator[Folder]:
    """Where context files are: the program's own folder, and the project's from its top to the current one."""
    home = gemini_names.home(scope)
    names = gemini_names.context_names(home)
    yield Folder("global", home, names=names, shared=True)
    yield from notes.own_folders(scope, "project", names)


def _memory_folders(scope: Scope) -> Iterator[Folder]:
    """The memory folder of the project, or of every project."""
    owners = gemini_names.Owners(scope)
    try:
        names = sorted(os.listdir(owners.top))
    except OSError:
        return
    for name in names:
        path = os.path.join(owners.top, name, "memory")
        if files.look(path) is None:
            continue
        own = notes.is_own(scope, owners.of(name))
        if own or scope.all_projects:
            label = scope.names[0] if own and scope.names else os.path.basename(owners.of(name)) or name
            yield Folder(f"memory/{files.display_path(name)}", path, label, enter=_holds_notes)


def _holds_notes(relative: str) -> bool:
    """Whether a folder below memory/ holds notes: proposals (.inbox) were not accepted, skills are no memories."""
    return notes.is_visible(relative) and relative != "skills"
