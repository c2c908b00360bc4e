"""Safe opening of SQLite files that are not ours: nothing of them, and nothing beside them, changes.

| beside the database                | how it is opened                                                         |
|------------------------------------|--------------------------------------------------------------------------|
| no `-wal`, or an empty one         | `immutable=1`; read again if the files moved meanwhile                   |
| non-empty `-wal` and a `-shm`      | `mode=ro&readonly_shm=1` in place: sees the log, writes not even the map |
| non-empty `-wal`, no usable `-shm` | database and log are copied to a private folder, the copy is opened      |
| `-journal` of a killed writer      | database and journal are copied, and the copy is rolled back             |

`readonly_shm` matters: with plain `mode=ro` the first reader after a crash rebuilds the `-shm` file.

Closing any descriptor of a file drops all locks of this process on it (fcntl), and a database whose reader has
lost its lock may lose its log. So nothing here opens a file by itself that SQLite may have open in place.

Virtual tables (full-text indexes) cannot be read: to construct one, SQLite asks for leave to write.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from recall.api import Deadline
from recall.errors import StoreAbsent, StoreBroken, StoreBusy
from recall.files.apart import require_answering
from recall.wording import why

T = TypeVar("T")

_BUSY_MILLISECONDS = 250
_ATTEMPTS = 3
_SETTLED = 3.0  # seconds; some file clocks tick every two (FAT)
_PROGRESS_STEPS = 10_000  # virtual-machine steps between two looks at the clock: measured cost below 5 %
_ROWS_LIMIT = 1_000_000  # of one query: a view may be without end
_TEXT_LIMIT = 1 << 27  # bytes of text of one reading
_VALUE_LIMIT = 1 << 26  # bytes of one value: a row of 30 bytes may ask for a gigabyte
_HEADER = 100  # bytes (sqlite.org/fileformat2)
_JOURNAL_MAGIC = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
# SQLite's own lock bytes (sqlite.org/fileformat2, os_unix.c): pending, reserved, then 510 shared bytes.
_LOCK_START = 0x40000000
_LOCK_LENGTH = 512
# struct flock, as the C library of each system lays it out.
_FLOCK_LINUX = ("hhqqi4x", ("type", "whence", "start", "len", "pid"))
_FLOCK_DARWIN = ("qqihh", ("start", "len", "pid", "type", "whence"))


class Database:
    """A foreign database, open for reading."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def tables(self) -> frozenset[str]:
        """Names of the tables and views."""
        rows = self.rows("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        return frozenset(str(row[0]) for row in rows)

    def columns(self, table: str) -> frozenset[str]:
        """Names of a table's columns; empty if there is no such table. Never guess them from a version."""
        quoted = table.replace('"', '""')  # a pragma takes no parameters
        return frozenset(str(row[1]) for row in self.rows(f'PRAGMA table_info("{quoted}")'))

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows at once: an open read transaction would keep the owner from folding its log."""
        cursor = self._connection.execute(sql, parameters)
        found = cursor.fetchmany(_ROWS_LIMIT)
        if cursor.fetchone() is not None:
            raise StoreBroken(f"a query of the database gives more than {_ROWS_LIMIT:,} rows")
        return found

    def one(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """The first column of the first row, or None."""
        row = self._connection.execute(sql, parameters).fetchone()
        return None if row is None else row[0]


def read(path: str | os.PathLike[str], work: Callable[[Database], T], deadline: Deadline) -> T:
    """Run `work` on a foreign database and return what it returns; it may run again if the file moved.

    Raises StoreAbsent, StoreBusy or StoreBroken, each with one line.
    """
    require_answering(path)
    try:
        name = os.path.realpath(path)  # SQLite, too, looks for the log beside the real file
    except ValueError:
        raise StoreBroken("not a path of a file") from None
    for _attempt in range(_ATTEMPTS):
        before = _fingerprint(name)
        try:
            with _opened(name, deadline) as (database, may_move):
                result = work(database)
        except sqlite3.DatabaseError as error:
            if before != _fingerprint(name):
                continue
            raise _translated(error, deadline) from None
        except UnicodeDecodeError:  # of SQLite's own words, which quote names of the damaged schema
            if before != _fingerprint(name):
                continue
            raise StoreBroken("the database is damaged") from None
        except MemoryError:
            raise StoreBroken("the database asks for more memory than there is") from None
        if not may_move or before == _fingerprint(name):
            return result
    raise StoreBusy("the database changed while it was read", "try again in a moment")


def unchanged_mark(path: str | os.PathLike[str], now: float) -> object | None:
    """A value that is equal as long as the database has not changed, or None if that cannot be told.

    now: epoch seconds. Of files that changed in the last seconds it cannot be told: the file clock ticks.
    """
    try:
        require_answering(path)
        name = os.path.realpath(path)
    except (ValueError, StoreBroken):
        return None
    mark = _fingerprint(name)
    newest = max((stamp[2] for stamp in mark if isinstance(stamp, tuple)), default=None)
    return mark if newest is not None and newest / 1e9 < now - _SETTLED else None


def _fingerprint(name: str) -> tuple[object, ...]:
    stamps = tuple(_stamp(name + suffix) for suffix in ("", "-wal", "-journal"))
    # The file clock is coarse: a second write within one of its ticks shows in the header's change counter.
    return (*stamps, None if _has_log(name) else _beginning(name)[24:28])


def _stamp(name: str) -> tuple[int, int, int] | None:
    """What changes when a regular file does; None for anything else."""
    try:
        found = os.stat(name)
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None


def _has_log(name: str) -> bool:
    log = _stamp(name + "-wal")
    return log is not None and log[1] > 0


def _beginning(name: str) -> bytes:
    """A regular file's first bytes; nothing if it cannot be read."""
    if _stamp(name) is None:
        return b""
    try:
        descriptor = os.open(name, _FLAGS)
    except OSError:
        return b""
    try:
        return os.read(descriptor, _HEADER)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


@contextmanager
def _opened(name: str, deadline: Deadline) -> Iterator[tuple[Database, bool]]:
    """The database, and whether a change of the files meanwhile would make the answer doubtful."""
    _require_file(name)
    if _has_log(name):
        if _shared_map_is_usable(name):
            with _connection(name, "mode=ro&readonly_shm=1", deadline) as connection:
                yield Database(connection), False
        else:
            with _private_copy(name, "-wal", deadline) as connection:
                yield Database(connection), True
        return
    _require_database(name)
    _require_unlocked(name)
    if _beginning(name + "-journal").startswith(_JOURNAL_MAGIC):
        with _private_copy(name, "-journal", deadline) as connection:
            yield Database(connection), True
    else:
        _require_whole(name)
        with _connection(name, "immutable=1", deadline) as connection:
            yield Database(connection), True


def _require_file(name: str) -> None:
    """Refuse what SQLite would block on: pipes, folders, devices."""
    try:
        found = os.stat(name)
    except (FileNotFoundError, NotADirectoryError):
        raise StoreAbsent("no database file") from None
    except OSError as error:
        raise StoreBroken(why(error)) from None
    if not stat.S_ISREG(found.st_mode):
        raise StoreBroken("the database path is not a regular file", "move it away; nothing was opened")


def _require_database(name: str) -> None:
    """Refuse what is no database; an empty file is one without tables."""
    try:
        descriptor = os.open(name, _FLAGS)
    except PermissionError:
        raise StoreBroken("no permission to read the database") from None
    except OSError as error:
        raise StoreBroken(why(error)) from None
    try:
        head = os.read(descriptor, 16)
    except OSError as error:
        raise StoreBroken(why(error)) from None
    finally:
        os.close(descriptor)
    if head and head != b"SQLite format 3\0":
        raise StoreBroken("not a SQLite database")


def _require_whole(name: str) -> None:
    """Refuse a file that ends before its header says: SQLite reads zeros where the rest of the last page should be."""
    head, found = _beginning(name), _stamp(name)
    if (
        len(head) < _HEADER or found is None or head[24:28] != head[92:96]
    ):  # else the count is of an older SQLite
        return
    page = int.from_bytes(head[16:18], "big")
    size = (65_536 if page == 1 else page) * int.from_bytes(head[28:32], "big")
    if found[1] < size:
        reason = f"the database is damaged: it ends after {found[1]:,} of {size:,} bytes"
        raise StoreBroken(reason, "if it is being copied, try again when that is done")


def _require_unlocked(name: str) -> None:
    """`immutable=1` ignores locks, so ask for them first: a writer at work means a half-written file."""
    if _stamp(name + "-journal") is not None and _write_locked(name):
        raise StoreBusy("the database is locked: another process is writing to it", "try again in a moment")
    if _write_locked(name):
        raise StoreBusy("the database is locked by another process", "try again when that process is done")


def _write_locked(name: str) -> bool:
    """Whether another process holds a write lock, asked without taking one."""
    try:
        import fcntl
    except ImportError:  # Windows: locks there are mandatory, so opening fails by itself
        return False
    layout, order = _FLOCK_DARWIN if sys.platform == "darwin" else _FLOCK_LINUX
    fields = {
        "type": fcntl.F_RDLCK,
        "whence": os.SEEK_SET,
        "start": _LOCK_START,
        "len": _LOCK_LENGTH,
        "pid": 0,
    }
    question = struct.pack(layout, *(fields[part] for part in order))
    try:
        descriptor = os.open(name, _FLAGS)
    except OSError:
        return False  # gone meanwhile
    try:
        answer = fcntl.fcntl(descriptor, fcntl.F_GETLK, question)
    except OSError:
        return False  # a file system without locks
    finally:
        os.close(descriptor)
    return bool(struct.unpack(layout, answer)[order.index("type")] == fcntl.F_WRLCK)


def _shared_map_is_usable(name: str) -> bool:
    found = _stamp(name + "-shm")
    return found is not None and found[1] > 0 and os.access(name + "-shm", os.R_OK)


@contextmanager
def _connection(name: str, parameters: str, deadline: Deadline) -> Iterator[sqlite3.Connection]:
    uri = f"{Path(name).as_uri()}?{parameters}"
    connection = sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        connection.text_factory = _Text()
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _VALUE_LIMIT)
        busy = min(_BUSY_MILLISECONDS, int(deadline.remaining() * 1000))
        connection.execute(f"PRAGMA busy_timeout = {busy}")
        connection.execute("PRAGMA query_only = 1")
        connection.set_authorizer(_authorize)
        connection.set_progress_handler(lambda: 1 if deadline.expired() else 0, _PROGRESS_STEPS)
        yield connection
    finally:
        connection.close()


class _Text:
    """Bytes as text, bad UTF-8 replaced, up to what one reading may bring into memory."""

    def __init__(self) -> None:
        self._left = _TEXT_LIMIT

    def __call__(self, data: bytes) -> str:
        self._left -= len(data)
        if self._left < 0:
            raise MemoryError
        return data.decode("utf-8", "replace")


def _authorize(action: int, first: str | None, *_rest: object) -> int:
    if action in _ALLOWED or (action == sqlite3.SQLITE_PRAGMA and first == "table_info"):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


@contextmanager
def _private_copy(name: str, companion: str, deadline: Deadline) -> Iterator[sqlite3.Connection]:
    """A connection to a copy of the database and its log or journal. SQLite may mend the copy: it is ours."""
    from recall.copies import copied  # few databases need a copy

    with copied(name, companion, deadline) as copy, _connection(copy, "mode=rw", deadline) as connection:
        yield connection


def _translated(error: sqlite3.DatabaseError, deadline: Deadline) -> StoreBusy | StoreBroken:
    """SQLite's error as one of ours. It is told by code where there is one: texts differ between versions."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_INTERRUPT or (deadline.expired() and code in (0, sqlite3.SQLITE_ABORT)):
        return StoreBusy("reading the database took too long", "ask again with a longer deadline")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return StoreBusy("the database is locked by another process", "try again when that process is done")
    if code == sqlite3.SQLITE_NOTADB:
        return StoreBroken("not a SQLite database")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR):
        return StoreBroken("the database is damaged")
    return StoreBroken(f"the database cannot be read: {error}")
