"""Which files of a project tell its state, and which of them are history already; none of them is read here."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from recall import conventions
from recall.api import Authority, Entry, Problem, Scope
from recall.files import Found
from recall.project_files import Keyed, Look

JOURNAL = "CONVERSATION.jsonl"
SNAPSHOT = "SNAPSHOT.json"
# Hidden files, and pages about the folder.
_ABOUT = r"(?i:\..*|_?(?:readme|index|template).*)"
_DATED = r"(20\d\d)-?(\d\d)-?(\d\d)(?:[-_T](\d{4,6})(?!\d))?"


class Standing(NamedTuple):
    """How much a document is believed, and why that is less than its kind of document is otherwise."""

    authority: Authority
    note: str = ""  # "older than 30 days", "not the newest"

    def kind(self, word: str) -> str:
        """What is shown beside the authority: an old hand-over that is believed as a decision is none."""
        return f"{word}, {self.note}" if self.note else word


HISTORY = Standing(Authority.CAPTURED, "not the newest")


class Current(NamedTuple):
    """What still tells the present state."""

    since: float  # epoch seconds
    days: float  # that this is ago

    def judge(self, is_older: bool) -> Standing:
        """How a document of the state is believed."""
        if not is_older:
            return Standing(Authority.STATE)
        days = "1 day" if self.days == 1 else f"{self.days:g} days"
        return Standing(Authority.DECISION, f"older than {days}")

    def later(self, standing: Standing, written: datetime | None) -> Standing:
        """The same once a text's own date is known: it may be older than its file."""
        if standing.authority is Authority.STATE and written is not None:
            return self.judge(written.timestamp() < self.since)
        return standing


class Located(NamedTuple):
    """What `load` needs of an entry."""

    found: Found
    standing: Standing
    current: Current
    journal: Found | None = None  # the journal of which it is a view


class Listing:
    """What one look at a project finds, and how much of it is still current."""

    def __init__(self, look: Look, current: Current) -> None:
        self._look = look
        self._current = current

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
            elif re.search(_DATED, item.key):
                folder, _, name = item.key.rpartition("/")
                kind = "handoff" if conventions.is_handoff(name) else "state"
                groups.setdefault(f"{folder}/{kind}", []).append(item)
            else:
                yield self._entry(item, self._standing(item.found))
        for group in groups.values():
            yield from self._following(group)

    def _handoffs(self, folder: str, name: str) -> Iterator[Entry | Problem]:
        """A folder of hand-overs, which all follow each other."""
        group: list[Keyed] = []
        for item in self._look.folder(folder, name, _is_year):
            if isinstance(item, Problem):
                yield item
            elif not re.fullmatch(_ABOUT, item.found.relative.rpartition("/")[2]):
                group.append(item)
        yield from self._following(group)

    def _following(self, group: Sequence[Keyed]) -> Iterator[Entry]:
        """Of documents that follow each other only the newest tells the state."""
        newest = max((_moment(item.found) for item in group), default="")
        for item in group:
            is_newest = _moment(item.found) == newest
            yield self._entry(item, self._standing(item.found) if is_newest else HISTORY)

    def _context(self, folder: str, name: str) -> Iterator[Entry | Problem]:
        found = list(self._look.folder(folder, name, lambda _: False, (".md", ".json", ".jsonl")))
        keyed = [item for item in found if not isinstance(item, Problem)]
        journal = next((item.found for item in keyed if item.found.relative == JOURNAL), None)
        yield from (item for item in found if isinstance(item, Problem))
        for item in keyed:
            own = item.found.relative
            is_log = conventions.is_decision_log(own)
            if is_log or own in (JOURNAL, SNAPSHOT) or conventions.is_state_document(own):
                standing = Standing(Authority.DECISION) if is_log else self._standing(item.found)
                yield self._entry(item, standing, None if own == JOURNAL else journal)

    def _standing(self, found: Found) -> Standing:
        since = time.strftime("%Y%m%d%H%M%S", time.gmtime(max(0.0, self._current.since)))
        return self._current.judge(_moment(found)[:14] < since)

    def _entry(self, item: Keyed, standing: Standing, journal: Found | None = None) -> Entry:
        # What a document is believed, and whether a view is needed, changes without the document.
        stamp = f"{item.found.stamp}:{standing.authority}:{journal.stamp if journal else ''}"
        located = Located(item.found, standing, self._current, journal)
        return Entry(item.key, stamp, located, item.key.rpartition("/")[0])


def _is_year(name: str) -> bool:
    """Whether a folder of hand-overs is entered: one level down, as for each year or month."""
    return "/" not in name and not name.startswith(".")


def _moment(found: Found) -> str:
    """When a document was written, by its name, else by its file: digits that sort, then its name."""
    match = re.search(_DATED, found.relative.rsplit("/", 1)[-1])
    digits = "".join(match.groups("")) if match else time.strftime("%Y%m%d%H%M%S", _utc(found))
    # A day without a time is over when it ends: what was written on it is as new as anything else of that day.
    return f"{digits.ljust(14, '9' if match else '0')} {found.relative}"


def _utc(found: Found) -> time.struct_time:
    return time.gmtime(max(0, found.mtime_ns // 1_000_000_000))
