"""Serena as a source: its markdown memories, read from disk; Serena itself is never started."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope, option, record
from recall.errors import StoreAbsent, StoreBroken
from recall.files import READ_LIMIT, Walker
from recall.kept import Kept
from recall_serena.layout import Layout, survey
from recall_serena.notes import Note, Walked, list_notes, walk_trees


@record
class SerenaOptions:
    """Settings below `[providers.serena]`."""

    home: str = option("", "Serena's home folder; empty: $SERENA_HOME, else ~/.serena")
    global_memories: bool = option(
        True, "also read Serena's memories for all projects (<home>/memories/global)", from_project="value"
    )
    max_file_bytes: int = option(READ_LIMIT, "how much of one memory file is read, in bytes", at_least=1)


class SerenaProvider:
    """Memories of the project and of all projects, as files."""

    name = "serena"
    reading = "1"
    authority = Authority.CURATED
    Options: ClassVar[type] = SerenaOptions

    def __init__(self, options: SerenaOptions | None = None) -> None:
        self._options = options or SerenaOptions()
        self._walker = Walker()
        self._kept: Kept[tuple[Entry | Problem, ...]] = Kept()

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """Reads every memory: a file that is there proves nothing."""
        from recall_serena.texts import read_note
        from recall_serena.verdict import Reading, verdict

        options = self._options
        layout = survey(scope, options.home, with_global=options.global_memories, thorough=True)
        listing = list_notes(layout, walk_trees(layout, self._walker, deadline))
        readings = []
        for note in listing.notes:
            deadline.check()
            readings.append(Reading(note, tuple(read_note(note, options.max_file_bytes))))
        return verdict(layout, listing, readings)

    def entries(self, scope: Scope, deadline: Deadline) -> tuple[Entry | Problem, ...]:
        """One entry a file; raises StoreAbsent or StoreBroken if there is no folder to list."""
        options = self._options
        layout = survey(scope, options.home, with_global=options.global_memories, thorough=False)
        walked = walk_trees(layout, self._walker, deadline)
        return self._kept.of((layout, walked), lambda: tuple(_entries(layout, walked)))

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:  # noqa: ARG002 - the contract's
        """The memory in one file; nothing for a blank file or Serena's stock note."""
        from recall_serena.texts import read_note  # a question after which nothing changed reads no text

        note = entry.locator
        return read_note(note, self._options.max_file_bytes) if isinstance(note, Note) else ()


def _entries(layout: Layout, walked: Walked) -> Iterator[Entry | Problem]:
    listing = list_notes(layout, walked)
    if not listing.notes and not layout.has_project:
        blocked = next((problem for problem in listing.problems if problem.hides_entries), None)
        if blocked is not None:
            raise StoreBroken(f"{blocked.where}: {blocked.reason}")
        raise StoreAbsent(f"no Serena memories for {layout.whose}", "`recall doctor` tells where it looked")
    yield from listing.problems
    for note in listing.notes:
        yield Entry(note.key, note.found.stamp, note, note.tree.origin or "project")
