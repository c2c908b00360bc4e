"""Serena as a source: its markdown memories, read from disk; Serena itself is started only for `mode = "mcp"`."""

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
    mode: str = option("files", "files: read from disk. mcp: a Serena of recall's own is started and asked.")
    command: tuple[str, ...] = option(
        ("serena",), 'mcp: how Serena is started; or ["uvx", "--from", "serena-agent==2.1.0", "serena"].'
    )
    code: bool = option(False, "mcp: also have Serena search the code for identifiers in the question.")
    language_servers: tuple[str, ...] = option(
        (),
        'code: language servers that Serena may start to find definitions, as ["python_ty"]; may write and download.',
    )
    start_seconds: float = option(
        60.0, "mcp: seconds to start and greet, whoever waits for it.", at_least=1, at_most=600
    )
    idle_seconds: float = option(
        300.0, "mcp: seconds without a question after which Serena is ended.", at_least=1, at_most=86_400
    )

    def __post_init__(self) -> None:
        """Raise ValueError for what cannot be asked."""
        if self.mode not in ("files", "mcp"):
            raise ValueError('mode: it is "files" or "mcp"')
        if not (self.command and self.command[0]):
            raise ValueError("command: it begins with a program")


class SerenaProvider:
    """Memories of the project and of all projects, as files; with `mode = "mcp"` it is a `ServedSerena`."""

    name = "serena"
    reading = "2"
    authority = Authority.CURATED
    Options: ClassVar[type] = SerenaOptions

    def __new__(cls, options: SerenaOptions | None = None) -> SerenaProvider:
        """The class that the mode asks for."""
        if cls is SerenaProvider and options is not None and options.mode == "mcp":
            from recall_serena.served import ServedSerena, ServedSerenaWithCode

            cls = ServedSerenaWithCode if options.code else ServedSerena
        return super().__new__(cls)

    def __init__(self, options: SerenaOptions | None = None) -> None:
        self._options = options or SerenaOptions()
        self._walker = Walker()
        self._kept: Kept[tuple[Entry | Problem, ...]] = Kept()

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """Reads every memory: a file that is there proves nothing."""
        return self._health_of(self._survey(scope, thorough=True), deadline)

    def _health_of(self, layout: Layout, deadline: Deadline) -> Health:
        from recall_serena.texts import read_note
        from recall_serena.verdict import Reading, verdict

        options = self._options
        listing = list_notes(layout, walk_trees(layout, self._walker, deadline))
        readings = []
        for note in listing.notes:
            deadline.check()
            readings.append(Reading(note, tuple(read_note(note, options.max_file_bytes))))
        return verdict(layout, listing, readings)

    def entries(self, scope: Scope, deadline: Deadline) -> tuple[Entry | Problem, ...]:
        """One entry a file; raises StoreAbsent or StoreBroken if there is no folder to list."""
        layout = self._survey(scope, thorough=False)
        walked = walk_trees(layout, self._walker, deadline)
        return self._listed(layout, walked)

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:  # noqa: ARG002 - the contract's
        """The memory in one file; nothing for a blank file or Serena's stock note."""
        from recall_serena.texts import read_note  # a question after which nothing changed reads no text

        note = entry.locator
        return read_note(note, self._options.max_file_bytes) if isinstance(note, Note) else ()

    def _survey(self, scope: Scope, *, thorough: bool) -> Layout:
        options = self._options
        return survey(scope, options.home, with_global=options.global_memories, thorough=thorough)

    def _listed(self, layout: Layout, walked: Walked) -> tuple[Entry | Problem, ...]:
        return self._kept.of((layout, walked), lambda: tuple(_entries(layout, walked)))


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
