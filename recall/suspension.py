"""Back-off: a provider that failed or hung several times in a row is left alone for a while, each time for longer.

What is known of failures lies in one small file beside the index of the same scope and options: other settings, or
another project, ask anew. The pause is counted from the last failure by what the clock says now, so that a clock which
was set back, like a file that cannot be read, suspends nobody.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recall.errors import StoreBroken
from recall.files import read_bytes
from recall.places import write_private
from recall.wording import clock_time, counted, later

if TYPE_CHECKING:
    from recall.settings import SuspensionSettings

_SIZE_LIMIT = 1 << 18  # bytes of the file
_REASON_LENGTH = 300  # characters kept of a reason
_PATH_LENGTH = 4_096
_MOST_DOUBLINGS = 30  # a pause is capped long before
# A look that is given this many times what the failed ones were given is no repetition of them.
_MUCH_LONGER = 2.0
_LOCK_TRIES, _LOCK_STEP = 50, 0.002  # seconds between tries: another process writes a few hundred bytes


class Failure(NamedTuple):
    """How one look at a provider failed."""

    state: str  # a State: "busy" or "broken"
    why: str
    given: float = 0.0  # seconds in which it did not answer; 0 = it answered, with a failure
    at: str = ""  # the path it hung at, if that is known


class Record(NamedTuple):
    """A provider's failures in a row."""

    failures: int
    since: float  # epoch seconds of the first
    last: float  # epoch seconds of the last
    failure: Failure
    hung_at: tuple[str, ...] = ()  # paths at which it hung


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

    def records(self) -> dict[str, Record]:
        """What is known of failures, by provider; nothing if the file cannot be read."""
        if not self._rules.after:
            return {}
        return _read(self._path)

    def suspended(self, records: Mapping[str, Record], now: float, given: float) -> dict[str, Suspended]:
        """Who is not to be asked now, by name.

        given: seconds that a look would have. Whoever only hung is asked again where that is much longer.
        """
        found: dict[str, Suspended] = {}
        for name, record in records.items():
            hung = record.failure.given
            until = record.last + self._pause(record.failures)
            if record.last <= now < until and (not hung or given <= _MUCH_LONGER * hung):
                found[name] = Suspended(record.failures, record.since, until, record.failure)
        return found

    def _pause(self, failures: int) -> float:
        """Seconds after the last of so many failures in a row: each one doubles it."""
        rules = self._rules
        if failures < rules.after:
            return 0.0
        doublings = min(failures - rules.after, _MOST_DOUBLINGS)
        return min(rules.longest_pause, rules.first_pause * float(2**doublings))

    def note(self, failed: Mapping[str, Failure], answered: Iterable[str], now: float) -> None:
        """Write down how looks ended; a folder that cannot be written to is not an error."""
        if not self._rules.after:
            return
        try:
            with _alone(self._path.parent):
                before = _read(self._path)
                records = {name: record for name, record in before.items() if name not in set(answered)}
                for name, failure in failed.items():
                    records[name] = _counted(before.get(name), failure, now)
                if records:
                    write_private(self._path, _written(records))
                elif before:
                    os.unlink(self._path)
        except OSError:
            return


def _counted(record: Record | None, failure: Failure, now: float) -> Record:
    """The record with one more failure; a new one where the old says nothing of this look."""
    failure = failure._replace(why=_kept(failure.why), at=failure.at[:_PATH_LENGTH])
    at = (failure.at,) if failure.at else ()
    if record is None or record.last > now:
        return Record(1, now, now, failure, at)
    paths = tuple(dict.fromkeys((*record.hung_at, *at)))
    before = record.failure.given
    if failure.given and before and failure.given > _MUCH_LONGER * before:
        return Record(1, now, now, failure, paths)
    if failure.given:
        failure = failure._replace(given=max(failure.given, before))
    return Record(record.failures + 1, record.since, now, failure, paths)


def _kept(reason: str) -> str:
    """A reason as it may lie in a file: it may quote what a stranger's store says."""
    from recall.secrets import mask

    return mask(reason)[0][:_REASON_LENGTH]


def _written(records: Mapping[str, Record]) -> bytes:
    import json

    plain = {
        name: {
            "failures": record.failures,
            "since": record.since,
            "last": record.last,
            **record.failure._asdict(),
            "hung_at": record.hung_at,
        }
        for name, record in records.items()
    }
    return json.dumps(plain, indent=1).encode("ascii")


def _read(path: Path) -> dict[str, Record]:
    try:
        data = read_bytes(path, _SIZE_LIMIT)
    except StoreBroken:
        return {}  # as nearly always: nobody has failed
    import json

    try:
        plain = json.loads(data)
        items = plain.items()
    except (ValueError, AttributeError, RecursionError):
        return {}
    found = ((str(name), _record(item)) for name, item in items)
    return {name: record for name, record in found if record is not None}


def _record(plain: Any) -> Record | None:
    """A record as it was written; None if it is anything else."""
    try:
        failures = int(plain["failures"])
        since, last, given = (float(plain[key]) for key in ("since", "last", "given"))
        state, why, at = (plain[key] for key in ("state", "why", "at"))
        paths = plain["hung_at"]
        texts = (state, why, at, *paths)
    except (TypeError, KeyError, ValueError, OverflowError):
        return None
    sound = failures > 0 and 0 <= since <= last < float("inf") and 0 <= given < float("inf")
    if not sound or state not in ("busy", "broken") or not all(isinstance(text, str) for text in texts):
        return None
    return Record(failures, since, last, Failure(state, why, given, at), tuple(paths))


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
