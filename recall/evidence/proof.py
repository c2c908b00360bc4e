"""Verdicts that are given again without looking, as long as all that they rest on is proved to be as it was.

They rest on HEAD and the index, on the list of what differs from the last commit, and on the files that were looked at
or found missing. Each of these has a stamp that must be the same; in addition nothing is believed for longer than a
minute. What no stamp can prove is not kept: folders that git does not know, lists that are not whole, files so young
that a second change may carry the same time.
"""

from __future__ import annotations

import os
import stat
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from recall.evidence.edits import Edits
from recall.evidence.result import Evidence, Status, Verdict
from recall.git.heads import Mark

_YOUNG = 0.1  # seconds: file systems give two changes within some milliseconds one time
_LONGEST = 60.0  # seconds: as long as an absence is believed that no file's time may show to be over
_WIDTH = 6  # numbers of one status in a stamp, its two times first
_MOST = 32  # questions whose verdicts are kept

Stamp = tuple[int, ...]
Asked = tuple[object, ...]  # what tells the memories of one question from others


class Witness:
    """Notes what is looked at, with its stamp before the first look."""

    def __init__(self) -> None:
        self.stamps: dict[bytes, Stamp] = {}

    def note(self, path: bytes, found: os.stat_result | None) -> None:
        """A path was looked at; `found`: its own status, None if nothing is there."""
        if path not in self.stamps:
            self.stamps[path] = _stamp(path, found)


class Proof(NamedTuple):
    """What verdicts rest on."""

    mark: Mark
    stamps: Mapping[bytes, Stamp]
    edits: Edits | None  # what differed from the last commit; None if nobody asked
    at: float  # epoch seconds

    def holds(self, mark: Mark | None, edits: Edits | None, now: float) -> bool:
        """Whether all is as it was; `edits`: what differs now, None if it was not looked."""
        return (
            mark == self.mark
            and (self.edits is None or self.edits == edits)
            and now - self.at < _LONGEST
            and all(stamp_of(path) == stamp for path, stamp in self.stamps.items())
        )


class Verdicts:
    """The verdicts of the last few questions."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Asked, tuple[Proof, dict[str, Evidence]]] = OrderedDict()

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()

    def get(
        self, asked: Asked, mark: Mark | None, edits: Edits | None, now: float
    ) -> dict[str, Evidence] | None:
        """What was found before, if it is proved to be so still."""
        kept = self._kept.pop(asked, None)
        if kept is None or not kept[0].holds(mark, edits, now):
            return None
        self._kept[asked] = kept
        return kept[1]

    def keep(self, asked: Asked, proof: Proof, found: dict[str, Evidence]) -> None:
        """Keep what was found, if it can be proved later."""
        if _provable(proof) and all(map(_decided, found.values())):
            self._kept[asked] = proof, found
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)


def stamp_of(path: bytes) -> Stamp:
    """What changes when a file does; empty if nothing is there."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        found = None
    return _stamp(path, found)


def _stamp(path: bytes, found: os.stat_result | None) -> Stamp:
    if found is None:
        return ()
    if not stat.S_ISLNK(found.st_mode):
        return _fields(found)
    try:
        return _fields(found) + _fields(os.stat(path))
    except OSError:
        return _fields(found)


def _fields(found: os.stat_result) -> Stamp:
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_dev, found.st_mode


def _provable(proof: Proof) -> bool:
    young = int((proof.at - _YOUNG) * 1e9)
    listed = proof.edits is None or (
        proof.edits.lists_changed
        and proof.edits.lists_untracked
        and not any(path.endswith("/") for path in proof.edits.paths)
    )
    return listed and all(_newest(stamp) <= young for stamp in proof.stamps.values())


def _newest(stamp: Stamp) -> int:
    """The latest time in a stamp: of the file itself, and of what a link leads to."""
    return max(
        (time for start in range(0, len(stamp), _WIDTH) for time in stamp[start : start + 2]), default=0
    )


def _decided(found: Evidence) -> bool:
    """Whether time would change nothing of it."""
    unread = any(one.status is Status.UNREAD for one in found.findings)
    return found.verdict is not Verdict.NOT_CHECKED and not unread


def asked_of(rows: Iterable[tuple[object, ...]]) -> Asked:
    """What tells these memories from others; texts by their hash, so that none is held."""
    return tuple(hash(row) for row in rows)
