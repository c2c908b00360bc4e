"""claude-mem as a source: its SQLite file, read safely; its worker is asked if `mode = "worker"`, never started."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope, option, record
from recall.errors import NotConfigured, StoreAbsent, StoreBroken, StoreBusy
from recall.files import is_folder
from recall.kept import Kept
from recall_claude_mem.place import Place, Wanted, find_place

if TYPE_CHECKING:
    from recall_claude_mem.store import Reader


@record
class ClaudeMemOptions:
    """Settings below `[providers.claude-mem]`."""

    data_dir: str = option("", "claude-mem's data folder; empty: $CLAUDE_MEM_DATA_DIR, else ~/.claude-mem")
    prompts: bool = option(False, "also serve the prompts that were typed, word for word")
    projects: tuple[str, ...] = option(
        (), "further project names in claude-mem's database that belong to this project", from_project="value"
    )
    max_rows: int = option(200_000, "how many rows of each table are read, the newest", at_least=1)
    max_chars: int = option(100_000, "how much of one row's text is read, in characters", at_least=100)
    mode: str = option(
        "files", "files: read from disk. worker: its worker is asked too, where it is running."
    )

    def __post_init__(self) -> None:
        """Raise ValueError for a mode that is none."""
        if self.mode not in ("files", "worker"):
            raise ValueError('mode: it is "files" or "worker"')


class _Locator(NamedTuple):
    """A listed row and who reads it."""

    reader: Reader
    number: int
    path: str


class _Listing(NamedTuple):
    """What a database lists, and who reads it."""

    entries: tuple[Entry | Problem, ...]
    readers: tuple[Reader, ...]


class ClaudeMemProvider:
    """Observations and session summaries, and prompts if they are switched on; never raw tool uses.

    With `mode = "worker"` it is an `AskedClaudeMem`.
    """

    name = "claude-mem"
    reading = "2"
    authority = Authority.CAPTURED
    Options: ClassVar[type] = ClaudeMemOptions

    def __new__(
        cls, options: ClaudeMemOptions | None = None, *_more: object, **_named: object
    ) -> ClaudeMemProvider:
        """The class that the mode asks for."""
        if cls is ClaudeMemProvider and options is not None and options.mode == "worker":
            from recall_claude_mem.asked import AskedClaudeMem

            cls = AskedClaudeMem
        return super().__new__(cls)

    def __init__(self, options: ClaudeMemOptions | None = None, now: Callable[[], float] = time.time) -> None:
        self._options = options or ClaudeMemOptions()
        self._now = now
        self._kept: Kept[_Listing] = Kept()

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """Counts rows that say something, of all projects and of this one."""
        from recall.databases import read
        from recall_claude_mem import observer, survey, verdict

        place, wanted = self._look(scope)
        try:
            counts = read(place.database, lambda database: survey.count(database, wanted), deadline)
        except StoreAbsent:
            return verdict.without_database(place)
        except (StoreBusy, StoreBroken) as error:
            return verdict.unread(place, error, _size(f"{place.database}-wal"))
        return verdict.verdict(place, wanted, counts, observer.facts(place.data, self._now()))

    def entries(self, scope: Scope, deadline: Deadline) -> tuple[Entry | Problem, ...]:
        """One entry a row; raises StoreAbsent, StoreBusy, StoreBroken, or NotConfigured for another back end."""
        place, wanted = self._look(scope)
        if _is_missing(place.database):
            _explain_absence(place)
            return ()
        from recall.databases import unchanged_mark  # most homes have no such database

        mark = unchanged_mark(place.database, self._now())
        try:
            listing = self._kept.of((place, wanted, mark or object()), lambda: _list(place, wanted, deadline))
        except StoreAbsent:
            _explain_absence(place)
            return ()
        for reader in listing.readers:
            reader.deadline = deadline
        return listing.entries

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:  # noqa: ARG002 - the contract's
        """The memory in one row; nothing if the row is gone."""
        from recall_claude_mem.rows import to_memory  # a question after which nothing changed reads no row

        locator = entry.locator
        if not isinstance(locator, _Locator) or (row := locator.reader.row(locator.number)) is None:
            return ()
        return to_memory(locator.reader.table, entry.key, row, locator.path, self._options.max_chars)

    def _look(self, scope: Scope) -> tuple[Place, Wanted]:
        options = self._options
        names = (*scope.names, *options.projects)
        return find_place(scope, options.data_dir), Wanted(
            names, scope.all_projects, options.prompts, options.max_rows
        )


def _list(place: Place, wanted: Wanted, deadline: Deadline) -> _Listing:
    from recall.databases import read
    from recall_claude_mem.store import Reader, list_rows

    found: list[Entry | Problem] = []
    readers: list[Reader] = []
    path = os.fspath(place.database)
    for rows in read(place.database, lambda database: list_rows(database, wanted, deadline), deadline):
        kind = rows.table.kind
        if rows.left_out:
            reason = f"{rows.left_out:,} older rows are not read (option max_rows)"
            found.append(Problem(rows.table.name, reason))
        reader = Reader(place.database, rows, deadline)
        readers.append(reader)
        found.extend(
            Entry(f"{kind}/{number}", stamp, _Locator(reader, number, path), kind)
            for number, stamp in zip(rows.ids, rows.stamps, strict=True)
        )
    return _Listing(tuple(found), tuple(readers))


def _explain_absence(place: Place) -> None:
    """Without a database: another back end, no claude-mem at all, or one that has never captured anything."""
    if place.is_elsewhere:
        raise NotConfigured(f"other backend: claude-mem keeps its memories in a server ({place.runtime})")
    if not is_folder(place.data):
        raise StoreAbsent(
            f"no claude-mem data folder ({place.data})", "`recall doctor` tells where it looked"
        )


def _is_missing(path: Path) -> bool:
    """Whether there is certainly no such file; one that cannot be looked at may be there."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        pass
    return False


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
