"""Back-off: a provider that failed or hung several times in a row is left alone for a while, each time for longer.

What is known of failures lies in one small file beside the index of the same scope and options: other settings, or
another project, ask anew. The pause is counted from the last failure by what the clock says now, so that a clock which
was set back, like a file that cannot be read, suspends nobody.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from recall.errors import StoreBroken
from recall.files import read_bytes
from recall.places import write_private
from recall.told import told
from recall.wording import clock_time, counted, later

if TYPE_CHECKING:
    from recall.settings import SuspensionSettings

T = TypeVar("T")

_SIZE_LIMIT = 1 << 18  # bytes of the file
_REASON_LENGTH = 300  # characters kept of a reason
_MOST_PATHS = 16  # that are held silent: each costs a process when it is tried again
_MOST_DOUBLINGS = 30  # a pause is capped long before
# A look that is given this many times what the failed ones were given is no repetition of them.
_MUCH_LONGER = 2.0
_LOCK_TRIES, _LOCK_STEP = 50, 0.002  # seconds between tries: another process writes a few hundred bytes


class Failure(NamedTuple):
    """How one look at a provider failed."""

    state: str  # a State: "busy" or "broken"
    why: str
    given: float = 0.0  # seconds in which it did not answer; 0 = it answered, with a failure


class Record(NamedTuple):
    """A provider's failures in a row."""

    failures: int
    since: float  # epoch seconds of the first
    last: float  # epoch seconds of the last
    failure: Failure


class Silent(NamedTuple):
    """A path at which a source hung."""

    tried: float  # epoch seconds: when it last did not answer
    avoid: str  # what is not touched for it: the path, or the network file system that it is on


class Known(NamedTuple):
    """All that the file says."""

    records: Mapping[str, Record] = {}  # by provider
    silent: Mapping[str, Silent] = {}  # by path


class Suspended(NamedTuple):
    """A provider that is not asked at present."""

    failures: int
    since: float  # epoch seconds of the first failure
    until: float  # epoch seconds
    failure: Failure

    def words(self, now: float) -> str:
        """`suspended until 03:16:00 UTC (in 6 minutes): failed 4 times in a row since ..., last: ...`."""
        return (
            f"suspended until {clock_time(self.until)} ({later(self.until - now)}): failed "
            f"{counted(self.failures, 'time')} in a row since {clock_time(self.since)}, "
            f"last: {self.failure.why}"
        )


class Suspension:
    """The failures of one scope's providers. Nothing is held in memory: other processes note theirs too."""

    def __init__(self, path: Path, rules: SuspensionSettings) -> None:
        self._path = path
        self._rules = rules

    def known(self) -> Known:
        """What is known; nothing if the file cannot be read."""
        return _read(self._path)

    def suspended(self, known: Known, now: float, given: float) -> dict[str, Suspended]:
        """Who is not to be asked now, by name.

        given: seconds that a look would have. Whoever only hung is asked again where that is much longer.
        """
        found: dict[str, Suspended] = {}
        for name, record in known.records.items():
            hung = record.failure.given
            until = record.last + self._pause(record.failures)
            if record.last <= now < until and (not hung or given <= _MUCH_LONGER * hung):
                found[name] = Suspended(record.failures, record.since, until, record.failure)
        return found

    def _pause(self, failures: int) -> float:
        """Seconds after the last of so many failures in a row: each one doubles it."""
        rules = self._rules
        if not rules.after or failures < rules.after:
            return 0.0
        doublings = min(failures - rules.after, _MOST_DOUBLINGS)
        return min(rules.longest_pause, rules.first_pause * float(2**doublings))

    def note(
        self,
        failed: Mapping[str, Failure],
        answered: Iterable[str],
        now: float,
        silent: Mapping[str, Silent] = {},
        answering: Iterable[str] = (),
    ) -> None:
        """Write down how looks ended; a folder that cannot be written to is not an error.

        silent: paths that do not answer; answering: those that do again.
        """
        try:
            with _alone(self._path.parent):
                before = _read(self._path)
                records = {name: one for name, one in before.records.items() if name not in set(answered)}
                for name, failure in failed.items() if self._rules.after else ():
                    records[name] = _counted(before.records.get(name), failure, now)
                paths = {path: one for path, one in before.silent.items() if path not in set(answering)}
                paths.update(silent)
                paths = dict(list(paths.items())[-_MOST_PATHS:])
                if records or paths:
                    write_private(self._path, _written(Known(records, paths)))
                elif before != Known():
                    os.unlink(self._path)
        except OSError:
            return


def _counted(record: Record | None, failure: Failure, now: float) -> Record:
    """The record with one more failure; a new one where the old says nothing of this look."""
    failure = failure._replace(why=_kept(failure.why))
    if record is None or record.last > now:
        return Record(1, now, now, failure)
    before = record.failure.given
    if failure.given and before:
        if failure.given > _MUCH_LONGER * before:
            return Record(1, now, now, failure)
        failure = failure._replace(given=max(failure.given, before))
    return Record(record.failures + 1, record.since, now, failure)


def _kept(reason: str) -> str:
    """A reason as it may lie in a file: it may quote what a stranger's store says."""
    return told(reason)[:_REASON_LENGTH]


def _written(known: Known) -> bytes:
    import json

    plain = {
        "providers": {
            name: {**record._asdict(), "failure": record.failure._asdict()}
            for name, record in known.records.items()
        },
        "silent": {path: one._asdict() for path, one in known.silent.items()},
    }
    return json.dumps(plain, indent=1).encode("ascii")


def _read(path: Path) -> Known:
    try:
        data = read_bytes(path, _SIZE_LIMIT)
    except StoreBroken:
        return Known()  # as nearly always: nobody has failed
    import json

    try:
        plain = json.loads(data)
    except (ValueError, RecursionError):
        return Known()
    return Known(_each(plain, "providers", _record), _each(plain, "silent", _path_record))


def _each(plain: Any, key: str, read: Callable[[Any], T | None]) -> dict[str, T]:
    """What of a table is as it was written."""
    table = plain.get(key) if isinstance(plain, dict) else None
    items = table.items() if isinstance(table, dict) else ()
    return {name: one for name, item in items if (one := read(item)) is not None}


def _record(plain: Any) -> Record | None:
    try:
        told = plain["failure"]
        failure = Failure(_text(told["state"]), _text(told["why"]), _number(told["given"]))
        record = Record(int(plain["failures"]), _number(plain["since"]), _number(plain["last"]), failure)
    except (TypeError, KeyError, ValueError, OverflowError):
        return None
    sound = record.failures > 0 and record.since <= record.last and failure.state in ("busy", "broken")
    return record if sound else None


def _path_record(plain: Any) -> Silent | None:
    try:
        return Silent(_number(plain["tried"]), _text(plain["avoid"]))
    except (TypeError, KeyError, ValueError, OverflowError):
        return None


def _number(value: Any) -> float:
    number = float(value)
    if not 0 <= number < float("inf"):
        raise ValueError("not a number of seconds")
    return number


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not text")
    return value


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, so that two processes do not drop each other's notes; never wait long for it."""
    try:
        import fcntl
    except ImportError:  # Windows: the last one to write wins
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        for _try in range(_LOCK_TRIES):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                time.sleep(_LOCK_STEP)
        yield
    finally:
        os.close(descriptor)  # and with it the lock
