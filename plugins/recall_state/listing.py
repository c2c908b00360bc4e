"""Which files of a project tell its state, and which of them are history already; none of them is read here."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from recall import conventions
from recall.api import Authority, Entry, Problem, Scope
from recall.conventions import Keyed, Look
from recall.files import Found

JOURNAL = "CONVERSATION.jsonl"
SNAPSHOT = "SNAPSHOT.json"
# Hidden files, and pages about the folder.
_ABOUT = re.compile(r"\..*|_?(?:readme|index|template).*", re.IGNORECASE)
_DATED = re.compile(r"(20\d\d)-?(\d\d)-?(\d\d)(?:[-_T](\d{4,6})(?!\d))?")


class Located(NamedTuple):
    """What `load` needs of an entry."""

    found: Found
    authority: Authority
    current_since: float  # epoch seconds: a document that is older tells no present state
    journal: Found | None = None  # the journal of which it is a view


class Listing:
    """What one look at a project finds, and how much of it is still current."""

    def __init__(self, look: Look, current_since: float) -> None:
        """current_since: epoch seconds; what is older tells no present state."""
        self._look = look
        self._current_since = current_since

    def entries(self, scope: Scope, further: tuple[str, ...]) -> Iterator[Entry | Problem]:
        """Every document, and what could not be looked at; `further` are folders that the user names."""
        for folder, name in self._look.named(further):
            yield from self._handoffs(folder, name)
        for root in self._look.roots():
            for base in conventions.bases(root, scope):
                yield from self._documents(self._look.documents(root, base, conventions.is_state_document))
            for name in conventions.present(root, conventions.HANDOFF_FOLDERS):
                yield from self._handoffs(os.path.join(root, name), name)
            for name in conventions.present(root, [conventions.CONTEXT]):
                yield from self._context(os.path.join(root, name), name)

    def _documents(self, items: Iterable[Keyed | Problem]) -> Iterator[Entry | Problem]:
        """Single documents: those of one kind with dates in their names follow each other in each folder."""
        groups: dict[str, list[Keyed]] = {}
        for item in items:
            if isinstance(item, Problem):
                yield item
            elif _DATED.search(item.key):
                folder, _, name = item.key.rpartition("/")
                kind = "handoff" if conventions.is_handoff(name) else "state"
                groups.setdefault(f"{folder}/{kind}", []).append(item)
            else:
                yield self._entry(item, self._authority(item.found))
        for group in groups.values():
            yield from self._following(group)

    def _handoffs(self, folder: str, name: str) -> Iterator[Entry | Problem]:
        """A folder of hand-overs, which all follow each other."""
        group: list[Keyed] = []
        for item in self._look.folder(folder, name, _is_year):
            if isinstance(item, Problem):
                yield item
            elif not _ABOUT.fullmatch(item.found.relative.rpartition("/")[2]):
                group.append(item)
        yield from self._following(group)

    def _following(self, group: Sequence[Keyed]) -> Iterator[Entry]:
        """Of documents that follow each other only the newest tells the state."""
        newest = max((_moment(item.found) for item in group), default="")
        for item in group:
            is_newest = _moment(item.found) == newest
            yield self._entry(item, self._authority(item.found) if is_newest else Authority.CAPTURED)

    def _context(self, folder: str, name: str) -> Iterator[Entry | Problem]:
        found = list(self._look.folder(folder, name, lambda _: False, (".md", ".json", ".jsonl")))
        keyed = [item for item in found if not isinstance(item, Problem)]
        journal = next((item.found for item in keyed if item.found.relative == JOURNAL), None)
        yield from (item for item in found if isinstance(item, Problem))
        for item in keyed:
            own = item.found.relative
            is_log = conventions.is_decision_log(own)
            if is_log or own in (JOURNAL, SNAPSHOT) or conventions.is_state_document(own):
                authority = Authority.DECISION if is_log else self._authority(item.found)
                yield self._entry(item, authority, None if own == JOURNAL else journal)

    def _authority(self, found: Found) -> Authority:
        since = time.strftime("%Y%m%d%H%M%S", time.gmtime(max(0.0, self._current_since)))
        return Authority.STATE if _moment(found)[:14] >= since else Authority.DECISION

    def _entry(self, item: Keyed, authority: Authority, journal: Found | None = None) -> Entry:
        # What a document is believed, and whether a view is needed, changes without the document.
        stamp = f"{item.found.stamp}:{authority}:{journal.stamp if journal else ''}"
        located = Located(item.found, authority, self._current_since, journal)
        return Entry(item.key, stamp, located, item.key.rpartition("/")[0])


def _is_year(name: str) -> bool:
    """Whether a folder of hand-overs is entered: one level down, as for each year or month."""
    return "/" not in name and not name.startswith(".")


def _moment(found: Found) -> str:
    """When a document was written, by its name, else by its file: digits that sort, then its name."""
    match = _DATED.search(found.relative.rsplit("/", 1)[-1])
    digits = "".join(match.groups("")) if match else time.strftime("%Y%m%d%H%M%S", _utc(found))
    # A day without a time is over when it ends: what was written on it is as new as anything else of that day.
    return f"{digits.ljust(14, '9' if match else '0')} {found.relative}"


def _utc(found: Found) -> time.struct_time:
    return time.gmtime(max(0, found.mtime_ns // 1_000_000_000))
