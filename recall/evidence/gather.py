"""Claims to facts: one search and a few look-ups for the claims of all memories of an answer."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from recall.api import Deadline
from recall.evidence import words
from recall.evidence.claims import Claim, Kind
from recall.evidence.facts import NEVER, UNREAD, Fact, Standing
from recall.evidence.history import Event, History, Past
from recall.evidence.present import Present
from recall.evidence.search import Looked, Word
from recall.evidence.versions import Versions
from recall.git import grep
from recall.git.command import Git

_MOST_BELOW = 200  # paths of a folder that is gone
_MOST_LEFT = 8  # files that a commit took from git and left in the work tree
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
                return self._there(spelling, status, deadline)
        whole = self._history.knows_paths()
        facts = [fact for spelling in claim.spellings for fact in self._ever(spelling, deadline)]
        for standing in (Standing.HERE, Standing.GONE):
            if of_it := [fact for fact in facts if fact.standing is standing]:
                # Of several that are gone, the one that was there last.
                return max(of_it, key=lambda fact: fact.event.committed if fact.event else 0)
        return NEVER if whole else UNREAD._replace(reason="the history is not read yet")

    def _there(self, path: str, status: os.stat_result, deadline: Deadline) -> Fact:
        touches = tuple(self._history.dates(path))
        whole, modified = self._history.knows_paths(), status.st_mtime
        if whole and not stat.S_ISDIR(status.st_mode) and self._is_untracked(path, touches, deadline):
            # Commits say nothing of it: that git let it go is no change of it. Its own time does.
            return Fact(Standing.HERE, path, modified=modified, edited=True)
        return Fact(Standing.HERE, path, touches=touches, whole=whole, modified=modified)

    def _is_untracked(self, path: str, touches: Sequence[Event], deadline: Deadline) -> bool:
        known = touches and not any(past.gone for past in self._history.named(path) if past.name == path)
        return not known and not grep.in_index(self._git, [path], deadline) and not deadline.expired()

    def _ever(self, path: str, deadline: Deadline) -> Iterable[Fact]:
        """Paths of the history that are `path`, or end with it, or lie below it."""
        if not path.endswith("/"):
            for past in self._history.named(path):
                status = self._present.stat(past.raw or past.name)
                yield self._there(past.name, status, deadline) if status else self._missing(past, deadline)
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
            return UNREAD._replace(reason="the history is not read yet")
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
        near = {claim: fact for claim in claims if (fact := self._in_named_files(claim, deadline))}
        every = {
            word.text: word
            for claim in claims
            if claim not in near or near[claim].standing is Standing.GONE
            for word in wanted[claim]
        }
        looked = self._present.look(every.values(), moment.state, own, changed, deadline)
        dropped = self._dropped(every, looked, moment, changed, deadline)
        facts = {
            claim: self._word(claim, wanted[claim], looked, dropped) for claim in claims if claim not in near
        }
        return facts | {claim: _decided(fact, wanted[claim], looked) for claim, fact in near.items()}

    def _wanted(self, claim: Claim) -> tuple[Word, ...]:
        """What to look for: any of it will do."""
        if claim.kind is Kind.VALUE:
            plain = [name for name in claim.spellings if "." not in name]
            texts = [(words.binding(name, claim.value), name) for name in plain] + [
                (name, name) for name in plain
            ]
        elif claim.kind is Kind.NUMBER:
            # A number that is bound to no port may be one, or may not.
            texts = [(words.binding(words.PORT, claim.value), claim.value), (claim.value, claim.value)]
        else:
            names = (*claim.spellings, *(name.strip("$") for name in claim.spellings))
            texts = [(name, name) for name in dict.fromkeys(names) if name]
        return tuple(self._sought(text, pattern, claim.near) for text, pattern in texts)

    def _sought(self, text: str, pattern: str, near: Sequence[str]) -> Word:
        event = self._history.taken_away(text)
        # A file that git let go may still lie in the work tree, where no search finds it.
        left = [
            path for path in (self._history.let_go(event.sha) if event else ()) if self._present.stat(path)
        ]
        return Word(text, pattern, (*near, *left[:_MOST_LEFT]), event is not None)

    def _in_named_files(self, claim: Claim, deadline: Deadline) -> Fact | None:
        """A number or value in the files that its sentence names; None if they do not decide it."""
        if claim.kind is Kind.NAME:
            return None
        others: dict[str, dict[str, None]] = {path: {} for path in claim.near}
        for path in claim.near:
            for number, line in enumerate(self._present.text(path).split("\n"), 1):
                for value in _values(claim, words.code_of(line, path)):
                    if value == claim.value:
                        return Fact(Standing.HERE, f"{path}:{number}")
                    others[path][value] = None
        text = self._wanted(claim)[0].text
        for path, values in others.items():  # something else, in the very file
            event = self._history.taken_away(text, path) if values else None
            if event is not None and words.UNTOLD not in values and self._had(claim, path, event, deadline):
                return Fact(Standing.GONE, path, ", ".join(values), event)
        return None

    def _had(self, claim: Claim, path: str, event: Event, deadline: Deadline) -> bool:
        """Whether it was this file from which a commit took the value away."""
        before = f"{event.sha}^"
        text = grep.contents(self._git, [before], path, deadline).get(before, "")
        return any(claim.value in _values(claim, words.code_of(line, path)) for line in text.split("\n"))

    def _dropped(
        self,
        every: Mapping[str, Word],
        looked: Looked,
        moment: Moment,
        changed: Callable[[], Collection[str]],
        deadline: Deadline,
    ) -> frozenset[str]:
        """Words that HEAD has and the work tree has not: their removal is not committed."""
        missing = [
            word
            for word in every.values()
            if not (word.taken_away or word.text in looked.places or word.text in looked.unread)
            and word.text in (word.pattern, words.binding(words.PORT, word.pattern))
        ]
        if not missing:
            return frozenset()
        paths = [path for path in sorted(changed()) if not path.endswith("/")][:_MOST_CHANGED]
        return self._present.at(moment.head, paths, missing, deadline)

    def _word(self, claim: Claim, wanted: Sequence[Word], looked: Looked, dropped: Collection[str]) -> Fact:
        sure = [word for word in wanted if claim.kind is Kind.NAME or word.text != word.pattern]
        places = [looked.places[word.text] for word in sure if word.text in looked.places]
        for place in places:
            if place.in_code:
                return Fact(Standing.HERE, str(place))
        if any(word.text in looked.unread for word in wanted):
            return UNREAD._replace(reason=looked.trouble or UNREAD.reason)
        if claim.kind is Kind.NUMBER and _in_code(looked, claim.value):
            return NEVER  # the number is there, and whether it is this port cannot be told
        told = str(places[0]) if places else ""
        others = [value for name in claim.spellings for value in looked.others.get(name, ())]
        events = [event for word in sure if (event := self._history.taken_away(word.text))]
        in_tests = [looked.in_tests[word.text] for word in wanted if word.text in looked.in_tests]
        if in_tests and not (events and others and words.UNTOLD not in others):
            return Fact(Standing.HERE, str(in_tests[0]))
        if events:
            if words.UNTOLD in others or (not others and any(_in_code(looked, word.text) for word in wanted)):
                return NEVER  # the name is there, and what it is bound to cannot be told
            latest = max(events, key=lambda event: event.committed)
            return Fact(Standing.GONE, told, ", ".join(others), latest, only_told=bool(told))
        if any(word.text in dropped for word in sure):
            return Fact(Standing.GONE, told, only_told=bool(told))
        if told:
            return Fact(Standing.HERE, told, only_told=True)
        return NEVER if self._history.knows_words() else UNREAD._replace(reason="the history is not read yet")


def _values(claim: Claim, code: str) -> list[str]:
    """What a line of a named file has to say to a claim: values of its name, ports."""
    if claim.kind is Kind.NUMBER:
        numbers = words.ports(code)
        mute = not numbers and claim.value in words.plain(code) and not list(words.bound(code))
        return [claim.value] if mute else numbers  # serve(8080)
    values = [value for name, value in words.bound(code) if name in claim.spellings]
    return values + [words.UNTOLD for name in words.untold(code) if name in claim.spellings]


def _decided(fact: Fact, wanted: Sequence[Word], looked: Looked) -> Fact:
    """What a named file says of a port; where it is another one there, it may have gone to another file."""
    port = next((word for word in wanted if word.text == words.binding(words.PORT, word.pattern)), None)
    if (
        fact.standing is Standing.GONE
        and port is not None
        and (_in_code(looked, port.text) or port.text in looked.unread)
    ):
        return NEVER
    return fact


def _in_code(looked: Looked, text: str) -> bool:
    place = looked.places.get(text)
    return place is not None and place.in_code
