"""Which files of a project tell its state, and which of them are history already; none of them is read here."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from recall import conventions, files
from recall.api import Authority, Deadline, Entry, Problem, Scope
from recall.files import Found

JOURNAL = "CONVERSATION.jsonl"
SNAPSHOT = "SNAPSHOT.json"
_ABOUT = re.compile(
    r"\..*|_?(?:readme|index|template).*", re.IGNORECASE
)  # pages about the folder, hidden files
_DATED = re.compile(r"(20\d\d)-?(\d\d)-?(\d\d)(?:[-_T](\d{4,6})(?!\d))?")


class Located(NamedTuple):
    """What `load` needs of an entry."""

    found: Found
    authority: Authority
    current_since: float  # epoch seconds: a document that is older tells no present state
    journal: Found | None = None  # the journal of which it is a view


class Listing:
    """One look at a project: every file once, the work tree's own before the main checkout's."""

    def __init__(
        self, scope: Scope, deadline: Deadline, further: tuple[str, ...], current_since: float
    ) -> None:
        """further: folders that the user names; current_since: epoch seconds."""
        self.present = False  # whether there is anything to look at
        self._scope = scope
        self._deadline = deadline
        self._further = further
        self._current_since = current_since
        self._seen: set[tuple[int, int]] = set()
        self._taken: set[str] = set()

    def entries(self) -> Iterator[Entry | Problem]:
        """Every document, and what could not be looked at."""
        within = conventions.real_roots(self._scope)
        for path in self._further:
            folder = os.path.normpath(self._scope.expand(path))
            inside = files.lies_in(folder, map(os.fspath, self._scope.roots))
            name = os.path.relpath(folder, self._scope.root) if inside else os.path.basename(folder)
            yield from self._handoffs(folder, name, within if inside else ())
        for root in map(os.fspath, self._scope.roots):
            for base in conventions.bases(root, self._scope):
                top = os.path.join(root, base)
                found = conventions.documents(top, within, self._deadline, conventions.is_state_document)
                yield from self._group(found, base)
            for name in conventions.present(root, conventions.HANDOFF_FOLDERS):
                yield from self._handoffs(os.path.join(root, name), name, within)
            for name in conventions.present(root, [conventions.CONTEXT]):
                yield from self._context(os.path.join(root, name), name, within)

    def _handoffs(self, folder: str, name: str, within: tuple[str, ...]) -> Iterator[Entry | Problem]:
        yield from self._group(self._walked(folder, within, (".md",)), files.display_path(name), dated=True)

    def _context(self, folder: str, name: str, within: tuple[str, ...]) -> Iterator[Entry | Problem]:
        found = list(self._walked(folder, within, (".md", ".json", ".jsonl"), below=False))
        journal = next((one for one in found if isinstance(one, Found) and one.relative == JOURNAL), None)
        for item in found:
            if isinstance(item, Problem):
                yield _placed(item, name)
                continue
            is_log = conventions.is_decision_log(item.relative)
            if is_log or item.relative in (JOURNAL, SNAPSHOT) or conventions.is_state_document(item.relative):
                authority = Authority.DECISION if is_log else self._authority(item)
                yield from self._entry(item, name, authority, None if item is journal else journal)

    def _walked(
        self, folder: str, within: tuple[str, ...], suffixes: tuple[str, ...], *, below: bool = True
    ) -> Iterator[Found | Problem]:
        obstacle = files.look(folder)
        if obstacle == "" and within and not files.is_inside(folder, within):
            obstacle = "a link that leaves the project; to read it, name its real folder in your own settings"
        self.present |= obstacle is not None
        if obstacle:
            yield Problem(files.display_path(folder), obstacle, hides_entries=True)
        elif obstacle == "":
            for item in files.walk(
                folder,
                self._deadline,
                suffixes=suffixes,
                enter=lambda name: below and "/" not in name and not name.startswith("."),
                leave_root=not within,
                allowed=within,
            ):
                if isinstance(item, Problem) or not _ABOUT.fullmatch(item.relative.rsplit("/", 1)[-1]):
                    yield item

    def _group(
        self, items: Iterable[Found | Problem], name: str, *, dated: bool = False
    ) -> Iterator[Entry | Problem]:
        """Documents of one place; of those that follow each other only the newest tells the state.

        dated: all of them follow each other; else those with a date in their name, in each folder.
        """
        newest: dict[str, str] = {}
        found: list[tuple[Found, str]] = []
        for item in items:
            self.present = True
            if isinstance(item, Problem):
                yield _placed(item, name)
                continue
            place = "all" if dated else ""
            if not dated and _DATED.search(item.relative):
                folder, _, own = item.relative.rpartition("/")
                place = f"{folder}/{'handoff' if conventions.is_handoff(own) else 'state'}"
            found.append((item, place))
            newest[place] = max(newest.get(place, ""), _moment(item))
        for item, place in found:
            is_history = place and _moment(item) < newest[place]
            yield from self._entry(item, name, Authority.CAPTURED if is_history else self._authority(item))

    def _authority(self, found: Found) -> Authority:
        since = time.strftime("%Y%m%d%H%M%S", time.gmtime(max(0.0, self._current_since)))
        return Authority.STATE if _moment(found)[:14] >= since else Authority.DECISION

    def _entry(
        self, found: Found, name: str, authority: Authority, journal: Found | None = None
    ) -> Iterator[Entry]:
        key = f"{name}/{found.relative}" if name else found.relative
        if key not in self._taken and found.identity not in self._seen:
            self._taken.add(key)
            self._seen.add(found.identity)
            # What a document is believed, and whether a view is needed, changes without the document.
            stamp = f"{found.stamp}:{authority}:{journal.stamp if journal else ''}"
            yield Entry(key, stamp, Located(found, authority, self._current_since, journal), name)


def _moment(found: Found) -> str:
    """When a document was written, by its name, else by its file: digits that sort, then its name."""
    match = _DATED.search(found.relative.rsplit("/", 1)[-1])
    digits = "".join(match.groups("")) if match else time.strftime("%Y%m%d%H%M%S", _utc(found))
    # A day without a time is over when it ends: what was written on it is as new as anything else of that day.
    return f"{digits.ljust(14, '9' if match else '0')} {found.relative}"


def _utc(found: Found) -> time.struct_time:
    return time.gmtime(max(0, found.mtime_ns // 1_000_000_000))


def _placed(problem: Problem, name: str) -> Problem:
    whole = os.path.isabs(problem.where) or not name
    return problem if whole else replace(problem, where=f"{name}/{problem.where}")
