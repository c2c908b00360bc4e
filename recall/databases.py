"""Safe opening of SQLite files that are not ours: nothing of them, and nothing beside them, changes.

| beside the database               | how it is opened                                                        |
|-----------------------------------|-------------------------------------------------------------------------|
| no `-wal`, or an empty one        | `immutable=1`; read again if the files moved meanwhile                  |
| non-empty `-wal` and a `-shm`     | `mode=ro&readonly_shm=1` in place: sees the log, writes not even the map |
| non-empty `-wal`, no usable `-shm` | database and log are copied to a private folder, the copy is opened     |

`readonly_shm` matters: with plain `mode=ro` the first reader after a crash rebuilds the `-shm` file.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import quote

from recall.api import Deadline
from recall.errors import StoreAbsent, StoreBroken, StoreBusy

T = TypeVar("T")

_BUSY_MILLISECONDS = 250
_ATTEMPTS = 3
_PROGRESS_STEPS = 10_000  # virtual-machine steps between two looks at the clock: measured cost below 5 %
_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
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
        return self._connection.execute(sql, parameters).fetchall()

    def one(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """The first column of the first row, or None."""
        row = self._connection.execute(sql, parameters).fetchone()
        return None if row is None else row[0]


def read(path: str | os.PathLike[str], work: Callable[[Database], T], deadline: Deadline) -> T:
    """Run `work` on a foreign database and return what it returns; it may run again if the file moved.

    Raises StoreAbsent, StoreBusy or StoreBroken, each with one line.
    """
    name = os.fspath(path)
    for _attempt in range(_ATTEMPTS):
        before = _fingerprint(name)
        try:
            with _opened(name, deadline) as (database, may_move):
                result = work(database)
        except sqlite3.DatabaseError as error:
            if before != _fingerprint(name):
                continue
            raise _translated(error, deadline) from None
        except MemoryError:
            raise StoreBroken("the database asks for more memory than there is") from None
        if not may_move or before == _fingerprint(name):
            return result
    raise StoreBusy("the database changed while it was read", "try again in a moment")


def _fingerprint(name: str) -> tuple[object, ...]:
    return tuple(_stamp(name + suffix) for suffix in ("", "-wal", "-journal"))


def _stamp(name: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(name)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def _opened(name: str, deadline: Deadline) -> Iterator[tuple[Database, bool]]:
    """The database, and whether a change of the files meanwhile would make the answer doubtful."""
    _require_database(name)
    log = _stamp(name + "-wal")
    if log is None or log[1] == 0:
        _require_unlocked(name)
        with _connection(name, "immutable=1", deadline) as connection:
            yield Database(connection), True
    elif _shared_map_is_usable(name):
        with _connection(name, "mode=ro&readonly_shm=1", deadline) as connection:
            yield Database(connection), False
    else:
        with _private_copy(name, deadline) as copy, _connection(copy, "mode=ro", deadline) as connection:
            yield Database(connection), True


def _require_database(name: str) -> None:
    """Refuse what SQLite would block on or misread: pipes, folders, text files."""
    try:
        found = os.stat(name)
    except (FileNotFoundError, NotADirectoryError):
        raise StoreAbsent("no database file") from None
    except OSError as error:
        raise StoreBroken((error.strerror or "cannot be looked at").lower()) from None
    if not stat.S_ISREG(found.st_mode):
        raise StoreBroken("the database path is not a regular file", "move it away; nothing was opened")
    try:
        descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except PermissionError:
        raise StoreBroken("no permission to read the database") from None
    except OSError as error:
        raise StoreBroken((error.strerror or "cannot be opened").lower()) from None
    try:
        head = os.read(descriptor, 16)
    finally:
        os.close(descriptor)
    if head and head != b"SQLite format 3\0":
        raise StoreBroken("not a SQLite database")


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
    descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
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
    uri = f"file:{quote(os.path.abspath(name))}?{parameters}"
    connection = sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        busy = min(_BUSY_MILLISECONDS, int(deadline.remaining() * 1000))
        connection.execute(f"PRAGMA busy_timeout = {busy}")
        connection.execute("PRAGMA query_only = 1")
        connection.set_authorizer(_authorize)
        connection.set_progress_handler(lambda: 1 if deadline.expired() else 0, _PROGRESS_STEPS)
        yield connection
    finally:
        connection.close()


def _authorize(action: int, first: str | None, *_rest: object) -> int:
    if action in _ALLOWED or (action == sqlite3.SQLITE_PRAGMA and first == "table_info"):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


@contextmanager
def _private_copy(name: str, deadline: Deadline) -> Iterator[str]:
    import tempfile

    with tempfile.TemporaryDirectory(prefix="recall-") as folder:  # mode 0700
        copy = os.path.join(folder, "copy.db")
        for suffix in ("", "-wal"):
            _copy_file(name + suffix, copy + suffix, deadline)
        yield copy


def _copy_file(source: str, target: str, deadline: Deadline) -> None:
    try:
        with open(source, "rb") as reader, open(target, "xb") as writer:
            while chunk := reader.read(1 << 20):
                if deadline.expired():
                    raise StoreBusy("out of time while copying the database", "raise --deadline")
                writer.write(chunk)
    except FileNotFoundError:
        if source.endswith("-wal"):
            return  # folded in by its owner between two looks; the fingerprint notices
        raise StoreAbsent("no database file") from None
    except OSError as error:
        raise StoreBroken(f"cannot copy the database: {(error.strerror or str(error)).lower()}") from None
    shutil.copystat(source, target)


def _translated(error: sqlite3.DatabaseError, deadline: Deadline) -> StoreBusy | StoreBroken:
    """SQLite's error as one of ours. It is told by code where there is one: texts differ between versions."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_INTERRUPT or (deadline.expired() and code in (0, sqlite3.SQLITE_ABORT)):
        return StoreBusy("reading the database took too long", "raise --deadline")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return StoreBusy("the database is locked by another process", "try again when that process is done")
    if code == sqlite3.SQLITE_NOTADB:
        return StoreBroken("not a SQLite database")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR):
        return StoreBroken("the database is damaged")
    return StoreBroken(f"the database cannot be read: {error}")
