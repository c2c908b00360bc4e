"""Claims to facts: one search and a few look-ups for the claims of all memories of an answer."""

from __future__ import annotations

import stat
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from recall.api import Deadline
from recall.evidence import words
from recall.evidence.claims import Claim, Kind
from recall.evidence.facts import NEVER, UNREAD, Fact, Standing
from recall.evidence.history import History, Past
from recall.evidence.present import Looked, Present, Word
from recall.evidence.versions import Versions
from recall.git import grep
from recall.git.command import Git

_MOST_BELOW = 200  # paths of a folder that is gone
_MOST_CHANGED = 200  # files with changes that are not committed, whose last commit is looked into


class Moment(NamedTuple):
    """The repository at one moment: where HEAD is, and something that changes with it and the index."""

    head: str
    state: str


class Gatherer:
    """Finds out what the repository says of claims."""

    def __init__(self, git: Git, present: Present, history: History, versions: Versions) -> None:
        self._git = git
        self._present = present
        self._history = history
        self._versions = versions

    def facts(
        self,
        claims: Iterable[Claim],
        moment: Moment,
        own: Collection[str],
        changed: Callable[[], Collection[str]],
        deadline: Deadline,
    ) -> dict[Claim, Fact]:
        """The fact for each claim.

        own: the files that the memories themselves are in.
        changed: paths that differ from the last commit; asked for only where it can matter.
        """
        every = list(dict.fromkeys(claims))
        found = {claim: self._path(claim, deadline) for claim in every if claim.kind is Kind.PATH}
        found |= {claim: self._commit(claim) for claim in every if claim.kind is Kind.COMMIT}
        found |= self._versions.facts(
            [claim for claim in every if claim.kind is Kind.VERSION], self._history, moment.head, deadline
        )
        sought = [claim for claim in every if claim.kind in (Kind.NAME, Kind.VALUE, Kind.NUMBER)]
        return found | self._words(sought, moment, own, changed, deadline)

    # -- paths ------------------------------------------------------------------------------------------------

    def _path(self, claim: Claim, deadline: Deadline) -> Fact:
        for spelling in claim.spellings:
            status = self._present.stat(spelling)
            if status is None or not self._present.inside(spelling):
                continue
            if not (stat.S_ISDIR(status.st_mode) and self._present.is_hollow(spelling)):
                return self._there(spelling, status.st_mtime)
        whole = self._history.knows_paths()
        facts = [fact for spelling in claim.spellings for fact in self._ever(spelling, deadline)]
        for standing in (Standing.HERE, Standing.GONE):
            if of_it := [fact for fact in facts if fact.standing is standing]:
                # Of several that are gone, the one that was there last.
                return max(of_it, key=lambda fact: fact.event.committed if fact.event else 0)
        return NEVER if whole else UNREAD._replace(reason=self._history.unread())

    def _there(self, path: str, modified: float) -> Fact:
        touches = tuple(self._history.dates(path))
        whole = self._history.knows_paths()
        reason = "" if whole else self._history.unread()
        return Fact(Standing.HERE, path, touches=touches, whole=whole, modified=modified, reason=reason)

    def _ever(self, path: str, deadline: Deadline) -> Iterable[Fact]:
        """Paths of the history that are `path`, or end with it, or lie below it."""
        if not path.endswith("/"):
            for past in self._history.named(path):
                status = self._present.stat(past.raw or past.name)
                yield self._there(past.name, status.st_mtime) if status else self._missing(past, deadline)
        below = self._history.below(path, _MOST_BELOW)
        if below and all(past.gone for past in below) and len(below) < _MOST_BELOW:
            last = max((past.last for past in below), key=lambda event: event.committed)
            first = min((past.first for past in below), key=lambda event: event.committed)
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

    # -- names and values -------------------------------------------------------------------------------------

    def _words(
        self,
        claims: Sequence[Claim],
        moment: Moment,
        own: Collection[str],
        changed: Callable[[], Collection[str]],
        deadline: Deadline,
    ) -> dict[Claim, Fact]:
        wanted = {claim: self._wanted(claim) for claim in claims}
        near = {claim: fact for claim in claims if (fact := self._in_named_files(claim))}
        every = {word.text: word for claim in claims if claim not in near for word in wanted[claim]}
        looked = self._present.look(every.values(), moment.state, own, changed, deadline)
        dropped = self._dropped(every, looked, moment, changed, deadline)
        return {
            claim: near.get(claim) or self._word(claim, wanted[claim], looked, dropped) for claim in claims
        }

    def _wanted(self, claim: Claim) -> tuple[Word, ...]:
        """What to look for: any of it will do."""
        texts = {
            Kind.NAME: [(name, name) for name in claim.spellings],
            Kind.VALUE: [
                (words.binding(name, claim.value), name) for name in claim.spellings if "." not in name
            ],
            Kind.NUMBER: [(claim.value, claim.value)],
        }[claim.kind]
        return tuple(
            Word(text, pattern, claim.near, self._history.taken_away(text) is not None)
            for text, pattern in texts
        )

    def _in_named_files(self, claim: Claim) -> Fact | None:
        """A number or value in the files that its sentence names; None if they do not decide it."""
        if claim.kind is Kind.NAME:
            return None
        others: dict[str, dict[str, None]] = {path: {} for path in claim.near}
        for path in claim.near:
            for number, line in enumerate(self._present.text(path).split("\n"), 1):
                code = words.code_of(line)
                if claim.kind is Kind.NUMBER and claim.value in words.plain(code):
                    return Fact(Standing.HERE, f"{path}:{number}")
                for name, value in words.bound(code) if claim.kind is Kind.VALUE else ():
                    if name in claim.spellings and value == claim.value:
                        return Fact(Standing.HERE, f"{path}:{number}")
                    if name in claim.spellings:
                        others[path][value] = None
        for path, values in others.items():  # bound to something else, in the very file
            event = self._history.taken_away(self._wanted(claim)[0].text, path) if values else None
            if event is not None:
                return Fact(Standing.GONE, path, ", ".join(values), event)
        return None

    def _dropped(
        self,
        every: Mapping[str, Word],
        looked: Looked,
        moment: Moment,
        changed: Callable[[], Collection[str]],
        deadline: Deadline,
    ) -> frozenset[str]:
        """Words that HEAD has and the work tree has not: their removal is not committed."""
        missing = {
            word.pattern for text, word in every.items() if not word.taken_away and text not in looked.places
        }
        missing -= looked.unread
        if not missing:
            return frozenset()
        paths = [path for path in sorted(changed()) if not path.endswith("/")][:_MOST_CHANGED]
        return self._present.at(moment.head, paths, sorted(missing), deadline)

    def _word(self, claim: Claim, wanted: Sequence[Word], looked: Looked, dropped: Collection[str]) -> Fact:
        places = [looked.places[word.text] for word in wanted if word.text in looked.places]
        for place in places:
            if place.in_code:
                return Fact(Standing.HERE, str(place))
        if any(word.text in looked.unread for word in wanted):
            return UNREAD
        told = str(places[0]) if places else ""
        events = [event for word in wanted if (event := self._history.taken_away(word.text))]
        if events:
            latest = max(events, key=lambda event: event.committed)
            now = ", ".join(value for name in claim.spellings for value in looked.others.get(name, ()))
            if (
                claim.kind is Kind.VALUE
                and not now
                and any(_in_code(looked, name) for name in claim.spellings)
            ):
                return NEVER  # the name is there, and what it is bound to cannot be told
            return Fact(Standing.GONE, told, now, latest, only_told=bool(told))
        if any(word.text in dropped for word in wanted):
            return Fact(Standing.GONE, told, only_told=bool(told))
        if told:
            return Fact(Standing.HERE, told, only_told=True)
        return NEVER if self._history.knows_words() else UNREAD._replace(reason=self._history.unread())


def _in_code(looked: Looked, text: str) -> bool:
    place = looked.places.get(text)
    return place is not None and place.in_code
