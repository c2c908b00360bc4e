"""Claims to facts: one search and a few look-ups for the claims of all memories of an answer."""

from __future__ import annotations

import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from recall import files
from recall.api import Deadline
from recall.evidence import words
from recall.evidence.absence import Absences
from recall.evidence.claims import Claim, Kind
from recall.evidence.edits import Edits
from recall.evidence.facts import NEVER, UNREAD, Fact, Standing
from recall.evidence.history import History, Past
from recall.evidence.present import Looked, Present, Word
from recall.evidence.versions import Versions
from recall.git import grep
from recall.git.command import Git

_MOST_BELOW = 200  # paths of a folder that is gone
_MOST_CHANGED = (
    200  # changed files whose last commit is looked into one by one, rather than all of that commit
)
_MOST_VALUES = 5  # of one name, that are told


class Moment(NamedTuple):
    """The repository at one moment: where HEAD is, and something that changes with it and the index."""

    head: str
    state: str


class _Dropped(NamedTuple):
    """Words whose removal is not committed."""

    words: frozenset[str] = frozenset()
    unread: str = ""  # why there may be more of them


class Gatherer:
    """Finds out what the repository says of claims."""

    def __init__(
        self, git: Git, present: Present, absences: Absences, history: History, versions: Versions
    ) -> None:
        self._git = git
        self._absences = absences
        self._present = present
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
        sought = [claim for claim in every if claim.kind in _LOOKED_FOR]
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
        if facts and not any(fact.standing is Standing.HERE for fact in facts):
            facts += self._untracked(claim, facts, deadline)
        for standing in (Standing.HERE, Standing.UNREAD, Standing.GONE):
            if of_it := [fact for fact in facts if fact.standing is standing]:
                # Of several that are gone, the one that was there last.
                return max(of_it, key=lambda fact: fact.event.committed if fact.event else 0)
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
        there = [(path, status.st_mtime) for path in found if (status := self._present.stat(path))]
        return [self._there(files.display_path(path), modified) for path, modified in there]

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
                if status is None:
                    yield self._missing(past, deadline)
                elif self._present.inside(past.name):
                    yield self._there(past.name, status.st_mtime)
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
        changed: Callable[[], Edits],
        deadline: Deadline,
    ) -> dict[Claim, Fact]:
        wanted = {claim: self._wanted(claim) for claim in claims}
        near = {claim: fact for claim in claims if (fact := self._in_named_files(claim))}
        every = {word.text: word for claim in claims if claim not in near for word in wanted[claim]}
        if every:
            self._absences.move_on(moment.head, moment.state, changed, deadline)
        looked = self._present.look(every.values(), moment.state, own, changed, deadline)
        dropped = self._dropped(every, looked, moment, changed, deadline)
        return {
            claim: near.get(claim) or self._word(claim, wanted[claim], looked, dropped) for claim in claims
        }

    def _wanted(self, claim: Claim) -> tuple[Word, ...]:
        """What to look for: any of it will do."""
        return tuple(
            Word(text, pattern, claim.near, self._history.taken_away(text) is not None)
            for text, pattern in _LOOKED_FOR[claim.kind](claim)
        )

    def _in_named_files(self, claim: Claim) -> Fact | None:
        """A port or value in the files that its sentence names; None if they do not decide it."""
        if claim.kind not in _BINDINGS:
            return None
        others: dict[str, dict[str, None]] = {}
        for path in claim.near:
            for number, line in enumerate(self._present.text(path).split("\n"), 1):
                code = words.code_of(line)
                if claim.kind is Kind.PORT and claim.value in words.plain(code):
                    return Fact(Standing.HERE, f"{path}:{number}", file=path, word=claim.value)
                for name, value in _BINDINGS[claim.kind](code, claim):
                    if words.same_number(value, claim.value):
                        return Fact(Standing.HERE, f"{path}:{number}", file=path, word=name)
                    others.setdefault(path, {})[value] = None
        for path, values in others.items():  # bound to something else, in the very file
            event = self._history.taken_away(self._wanted(claim)[0].text, path)
            standing = Standing.NEVER if event is None else Standing.GONE
            return Fact(standing, path, ", ".join(list(values)[:_MOST_VALUES]), event, file=path)
        return None

    def _dropped(
        self,
        every: Mapping[str, Word],
        looked: Looked,
        moment: Moment,
        changed: Callable[[], Edits],
        deadline: Deadline,
    ) -> _Dropped:
        """Words that HEAD has and the work tree has not: their removal is not committed."""
        missing = {
            word.pattern for text, word in every.items() if not word.taken_away and text not in looked.places
        }
        missing -= looked.unread
        edits = changed() if missing else Edits()
        if edits == Edits():
            return _Dropped()
        paths = [path for path in sorted(edits.paths) if not path.endswith("/")]
        listed = edits.lists_changed and len(paths) <= _MOST_CHANGED
        found, whole = self._present.at(moment.head, paths if listed else (), sorted(missing), deadline)
        return _Dropped(found, "" if whole else edits.reason or "out of time")

    def _word(self, claim: Claim, wanted: Sequence[Word], looked: Looked, dropped: _Dropped) -> Fact:
        places = [looked.places[word.text] for word in wanted if word.text in looked.places]
        for word in wanted:
            if (place := looked.places.get(word.text)) and place.in_code:
                return Fact(Standing.HERE, str(place), file=place.path, word=word.pattern)
        if any(word.text in looked.unread for word in wanted):
            return UNREAD
        told = str(places[0]) if places else ""
        others = [value for name in claim.spellings for value in looked.others.get(name, ())]
        others = others if claim.kind is Kind.VALUE else []
        if any(words.same_number(value, claim.value) for value in others):
            return Fact(Standing.HERE, "the code", word=claim.spellings[0])
        now = ", ".join(others[:_MOST_VALUES])
        events = [event for word in wanted if (event := self._history.taken_away(word.text))]
        if events:
            latest = max(events, key=lambda event: event.committed)
            if (
                claim.kind is Kind.VALUE
                and not now
                and any(_in_code(looked, name) for name in claim.spellings)
            ):
                return NEVER  # the name is there, and what it is bound to cannot be told
            return Fact(Standing.GONE, told, now, latest, only_told=bool(told))
        if any(word.text in dropped.words for word in wanted):
            return Fact(Standing.GONE, told, only_told=bool(told))
        if told:
            return Fact(Standing.HERE, told, only_told=True, file=places[0].path, word=wanted[0].pattern)
        if now:
            return NEVER._replace(now=now)
        if dropped.unread:
            return UNREAD._replace(reason=dropped.unread)
        return NEVER if self._history.knows_words() else UNREAD._replace(reason=self._history.unread())


def _in_code(looked: Looked, text: str) -> bool:
    place = looked.places.get(text)
    return place is not None and place.in_code


def _names(claim: Claim) -> list[tuple[str, str]]:
    return [(name, name) for name in claim.spellings]


def _values(claim: Claim) -> list[tuple[str, str]]:
    return [(words.binding(name, claim.value), name) for name in claim.spellings if "." not in name]


def _ports(claim: Claim) -> list[tuple[str, str]]:
    return [(claim.value, claim.value)]


def _bound_values(code: str, claim: Claim) -> Iterator[tuple[str, str]]:
    return (pair for pair in words.bound(code) if pair[0] in claim.spellings)


def _bound_ports(code: str, _claim: Claim) -> Iterator[tuple[str, str]]:
    return (("port", value) for value in words.ports(code))


# What is looked for in the code, by kind: as `words.named` gives it, and the name that its line must hold.
_LOOKED_FOR: dict[Kind, Callable[[Claim], list[tuple[str, str]]]] = {
    Kind.NAME: _names,
    Kind.VALUE: _values,
    Kind.PORT: _ports,
}
# What a line of a named file binds, by kind: a name, and its number.
_BINDINGS: dict[Kind, Callable[[str, Claim], Iterator[tuple[str, str]]]] = {
    Kind.VALUE: _bound_values,
    Kind.PORT: _bound_ports,
}
