"""Claims to facts: one search and a few look-ups for the claims of all memories of an answer."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterable, Sequence

from recall import files
from recall.api import Deadline
from recall.evidence.claims import Claim, Kind
from recall.evidence.edits import Edits
from recall.evidence.facts import NEVER, UNREAD, Fact, Standing
from recall.evidence.history import Event, History, Past
from recall.evidence.lookup import Lookup, Moment
from recall.evidence.present import Present
from recall.evidence.versions import Versions
from recall.git import grep
from recall.git.command import Git

_MOST_BELOW = 200  # paths of a folder that is gone


class Gatherer:
    """Finds out what the repository says of claims."""

    def __init__(
        self, git: Git, present: Present, lookup: Lookup, history: History, versions: Versions
    ) -> None:
        self._git = git
        self._present = present
        self._lookup = lookup
        self._history = history
        self._versions = versions
        self._unknown: tuple[list[str], bool] | None = None  # files that git does not know, and whether all

    def facts(
        self,
        claims: Iterable[Claim],
        moment: Moment,
        own: Collection[str],
        changed: Callable[[], Edits],
        deadline: Deadline,
    ) -> dict[Claim, Fact]:
        """The fact for each claim.

        own: the files that the memories themselves are in.
        changed: what differs from the last commit; asked for only where it can matter.
        """
        every = list(dict.fromkeys(claims))
        found = {claim: self._path(claim, deadline) for claim in every if claim.kind is Kind.PATH}
        found |= {claim: self._commit(claim) for claim in every if claim.kind is Kind.COMMIT}
        found |= self._versions.facts(
            [claim for claim in every if claim.kind is Kind.VERSION], self._history, moment.head, deadline
        )
        return found | self._lookup.facts(every, moment, own, changed, deadline)

    # -- paths ------------------------------------------------------------------------------------------------

    def _path(self, claim: Claim, deadline: Deadline) -> Fact:
        for spelling in claim.spellings:
            status = self._present.stat(spelling)
            if status is None or not self._present.holds(spelling):
                continue
            if not (stat.S_ISDIR(status.st_mode) and self._present.is_hollow(spelling)):
                return self._there(spelling, status, deadline)
        whole = self._history.knows_paths()
        facts = [fact for spelling in claim.spellings for fact in self._ever(spelling, deadline)]
        if facts and not any(fact.standing is Standing.HERE for fact in facts):
            facts += self._untracked(claim, facts, deadline)
        for standing in (Standing.HERE, Standing.UNREAD, Standing.GONE):
            if of_it := [fact for fact in facts if fact.standing is standing]:
                # Of several that are gone, the one that was there last.
                return max(of_it, key=lambda fact: fact.event.order if fact.event else (0, 0))
        return NEVER if whole else UNREAD._replace(reason=self._history.unread())

    def _untracked(self, claim: Claim, gone: Sequence[Fact], deadline: Deadline) -> list[Fact]:
        """A path told by its end alone may be that of a file that git does not know yet."""
        ends = [f"/{spelling}" for spelling in claim.spellings if not spelling.endswith("/")]
        if not ends or any(fact.place in claim.spellings for fact in gone):
            return []
        if self._unknown is None:
            self._unknown = self._present.untracked(deadline)
        paths, whole = self._unknown
        found = [path for path in paths if path.endswith(tuple(ends))]
        if not (found or whole):
            return [UNREAD._replace(reason="the files that git does not know could not be listed in time")]
        there = [(path, status) for path in found if (status := self._present.stat(path))]
        return [self._there(files.display_path(path), status, deadline) for path, status in there]

    def _there(self, path: str, status: os.stat_result, deadline: Deadline) -> Fact:
        touches = tuple(self._history.dates(path))
        whole, modified = self._history.knows_paths(), status.st_mtime
        if whole and not stat.S_ISDIR(status.st_mode) and self._is_untracked(path, touches, deadline):
            # Commits say nothing of it: that git let it go is no change of it. Its own time does.
            return Fact(Standing.HERE, path, modified=modified, edited=True)
        reason = "" if whole else self._history.unread()
        if not self._present.inside(path):
            whole, reason = False, "it is a link, and what it leads to is not read"
        return Fact(Standing.HERE, path, touches=touches, whole=whole, modified=modified, reason=reason)

    def _is_untracked(self, path: str, touches: Sequence[Event], deadline: Deadline) -> bool:
        known = touches and not any(past.gone for past in self._history.named(path) if past.name == path)
        return not known and not grep.in_index(self._git, [path], deadline) and not deadline.expired()

    def _ever(self, path: str, deadline: Deadline) -> Iterable[Fact]:
        """Paths of the history that are `path`, or end with it, or lie below it."""
        if not path.endswith("/"):
            for past in self._history.named(path):
                status = self._present.stat(past.raw or past.name)
                if status is None:
                    yield self._missing(past, deadline)
                elif self._present.holds(past.name):
                    yield self._there(past.name, status, deadline)
        below = self._history.below(path, _MOST_BELOW)
        if below and all(past.gone for past in below) and len(below) < _MOST_BELOW:
            last = max((past.last for past in below), key=lambda event: event.order)
            first = min((past.first for past in below), key=lambda event: event.order)
            yield Fact(Standing.GONE, path.rstrip("/") + "/", event=last, first=first)

    def _missing(self, past: Past, deadline: Deadline) -> Fact:
        if past.gone:
            return self._went(past)
        letter = grep.in_index(self._git, [past.name], deadline).get(past.name)
        if letter == "S":  # outside a sparse checkout
            return Fact(Standing.HERE, past.name, touches=tuple(self._history.dates(past.name)))
        if not letter and past.went is not None:  # a branch changed it meanwhile, and was merged without it
            return self._went(past)
        if letter or not deadline.expired():
            return Fact(Standing.GONE, past.name, first=past.first)
        return UNREAD

    def _went(self, past: Past) -> Fact:
        return Fact(Standing.GONE, past.name, self._followed(past.renamed_to), past.went, past.first)

    def _followed(self, name: str) -> str:
        """Where a renamed file is now, as far as it was renamed again; "" if it is gone."""
        for _step in range(10):
            if not name or self._present.stat(name):
                return name
            name = next((past.renamed_to for past in self._history.named(name) if past.name == name), "")
        return ""

    # -- commits ----------------------------------------------------------------------------------------------

    def _commit(self, claim: Claim) -> Fact:
        event = self._history.commit(claim.spellings[0])
        if event is None and not self._history.knows_paths():
            return UNREAD._replace(reason=self._history.unread())
        return NEVER if event is None else Fact(Standing.HERE, event=event)
