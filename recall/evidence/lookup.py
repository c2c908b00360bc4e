"""Names, values and ports to facts: what the code in the work tree says of them, and which commit took them away."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from recall.api import Deadline
from recall.evidence import words
from recall.evidence.absence import Absences
from recall.evidence.claims import Claim, Kind
from recall.evidence.edits import Edits, keyed
from recall.evidence.facts import NEVER, UNREAD, Fact, Standing
from recall.evidence.history import Event, History
from recall.evidence.present import Present
from recall.evidence.search import Looked, Place, Word
from recall.git import grep
from recall.git.command import Git

_MOST_LEFT = 8  # files that a commit took from git and left in the work tree
# Changed files whose last commit is looked into one by one, rather than all of that commit.
_MOST_CHANGED = 200
_MOST_VALUES = 5  # of one name, that are told


class Moment(NamedTuple):
    """The repository at one moment: where HEAD is, and something that changes with it and the index."""

    head: str
    state: str


class _Dropped(NamedTuple):
    """Words whose removal is not committed."""

    words: frozenset[str] = frozenset()
    unread: str = ""  # why there may be more of them


class Lookup:
    """Looks for what claims name in the code."""

    def __init__(self, git: Git, present: Present, absences: Absences, history: History) -> None:
        self._git = git
        self._present = present
        self._absences = absences
        self._history = history

    def facts(
        self,
        every: Iterable[Claim],
        moment: Moment,
        own: Collection[str],
        changed: Callable[[], Edits],
        deadline: Deadline,
    ) -> dict[Claim, Fact]:
        """The fact for each claim of a kind that is looked for; see `Gatherer.facts`."""
        claims = [claim for claim in every if claim.kind in _LOOKED_FOR]
        wanted = {claim: self._wanted(claim) for claim in claims}
        near = {claim: fact for claim in claims if (fact := self._in_named_files(claim, deadline))}
        sought = {
            word.text: word
            for claim in claims
            if claim not in near or near[claim].standing is Standing.GONE
            for word in wanted[claim]
        }
        state = moment.state
        if sought:
            state = keyed(state, changed(), self._present.stamp)
            self._absences.move_on(moment.head, state, changed, deadline)
        looked = self._present.look(sought.values(), state, own, changed, deadline)
        dropped = self._dropped(sought, looked, moment, changed, deadline)
        facts = {
            claim: self._word(claim, wanted[claim], looked, dropped) for claim in claims if claim not in near
        }
        return facts | {claim: _decided(fact, wanted[claim], looked) for claim, fact in near.items()}

    def _wanted(self, claim: Claim) -> tuple[Word, ...]:
        """What to look for: any of it will do."""
        return tuple(
            self._sought(text, pattern, claim.near) for text, pattern in _LOOKED_FOR[claim.kind](claim)
        )

    def _sought(self, text: str, pattern: str, near: Sequence[str]) -> Word:
        event = self._history.taken_away(text)
        # A file that git let go may still lie in the work tree, where no search finds it.
        left = [
            path for path in (self._history.let_go(event.sha) if event else ()) if self._present.stat(path)
        ]
        return Word(text, pattern, (*near, *left[:_MOST_LEFT]), event is not None)

    def _in_named_files(self, claim: Claim, deadline: Deadline) -> Fact | None:
        """A port or value in the files that its sentence names; None if they do not decide it."""
        if claim.kind not in _VALUES:
            return None
        others: dict[str, dict[str, None]] = {}
        for path in claim.near:
            for number, line in enumerate(self._present.text(path).split("\n"), 1):
                for value in _values(claim, words.code_of(line, path)):
                    if value == claim.value:
                        word = value if claim.kind is Kind.PORT else claim.spellings[0]
                        return Fact(Standing.HERE, f"{path}:{number}", file=path, word=word)
                    others.setdefault(path, {})[value] = None
        if any(words.UNTOLD in values for values in others.values()):
            return None
        found = [self._other(claim, path, list(values), deadline) for path, values in others.items()]
        return min(found, key=lambda fact: fact.standing is not Standing.GONE, default=None)

    def _other(self, claim: Claim, path: str, values: Sequence[str], deadline: Deadline) -> Fact:
        """A named file that has something else: it is gone from there, or never was there."""
        event = self._history.taken_away(_LOOKED_FOR[claim.kind](claim)[0][0], path)
        now = ", ".join(values[:_MOST_VALUES])
        if event is not None and self._had(claim, path, event, deadline):
            return Fact(Standing.GONE, path, now, event, file=path)
        return Fact(Standing.NEVER, path, now, file=path)

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
        changed: Callable[[], Edits],
        deadline: Deadline,
    ) -> _Dropped:
        """Words that HEAD has and the work tree has not: their removal is not committed."""
        missing = [
            word
            for word in every.values()
            if not (word.taken_away or word.text in looked.places or word.text in looked.unread)
            and word.text in (word.pattern, words.binding(words.PORT, word.pattern))
        ]
        edits = changed() if missing else Edits()
        if edits == Edits():
            return _Dropped()
        paths = [path for path in sorted(edits.paths) if not path.endswith("/")]
        listed = edits.lists_changed and len(paths) <= _MOST_CHANGED
        if listed and not paths:
            return _Dropped()
        found, whole = self._present.at(moment.head, paths if listed else (), missing, deadline)
        return _Dropped(found, "" if whole else edits.reason or "out of time")

    def _word(self, claim: Claim, wanted: Sequence[Word], looked: Looked, dropped: _Dropped) -> Fact:
        # That a name or a number stands somewhere does not say that it is this value or port.
        sure = [word for word in wanted if claim.kind is Kind.NAME or word.text != word.pattern]
        places = [(word, looked.places[word.text]) for word in sure if word.text in looked.places]
        for word, place in places:
            if place.in_code:
                return _here(word, place)
        if any(word.text in looked.unread for word in wanted):
            return UNREAD._replace(reason=looked.trouble or UNREAD.reason)
        if claim.kind is Kind.PORT and _in_code(looked, claim.value):
            return NEVER  # the number is there, and whether it is this port cannot be told
        others = [value for name in claim.spellings for value in looked.others.get(name, ())]
        now = "" if words.UNTOLD in others else ", ".join(others[:_MOST_VALUES])
        if in_tests := [(word, looked.in_tests[word.text]) for word in sure if word.text in looked.in_tests]:
            # Whether the memory is of the tests or of the program cannot be told.
            return NEVER._replace(now=now) if now else _here(*in_tests[0])
        told = str(places[0][1]) if places else ""
        if events := [event for word in sure if (event := self._history.taken_away(word.text))]:
            if words.UNTOLD in others or (not others and any(_in_code(looked, word.text) for word in wanted)):
                return NEVER  # the name is there, and what it is bound to cannot be told
            latest = max(events, key=lambda event: event.order)
            if any(map(self._present.is_link, self._history.let_go(latest.sha))):
                return NEVER  # it may stand in what the link leads to
            return Fact(Standing.GONE, told, now, latest, only_told=bool(told))
        if any(word.text in dropped.words for word in sure):
            return Fact(Standing.GONE, told, only_told=bool(told))
        if told:
            return _here(*places[0])._replace(only_told=True)
        if now:
            return NEVER._replace(now=now)
        if dropped.unread:
            return UNREAD._replace(reason=dropped.unread)
        return NEVER if self._history.knows_words() else UNREAD._replace(reason=self._history.unread())


def _here(word: Word, place: Place) -> Fact:
    return Fact(Standing.HERE, str(place), file=place.path, word=word.pattern, option=place.option)


def _decided(fact: Fact, wanted: Sequence[Word], looked: Looked) -> Fact:
    """What a named file says of a port; where it is another one there, it may have gone to another file."""
    port = next((word for word in wanted if word.text == words.binding(words.PORT, word.pattern)), None)
    if (
        fact.standing is Standing.GONE
        and port is not None
        and (_in_code(looked, port.text) or port.text in looked.unread)
    ):
        return fact._replace(standing=Standing.NEVER, event=None)
    return fact


def _in_code(looked: Looked, text: str) -> bool:
    place = looked.places.get(text)
    return place is not None and place.in_code


def words_of(claim: Claim) -> tuple[str, ...]:
    """What is looked for in the code, as commits that took it away are known by it."""
    return (
        tuple(text for text, _pattern in _LOOKED_FOR[claim.kind](claim)) if claim.kind in _LOOKED_FOR else ()
    )


def _names(claim: Claim) -> list[tuple[str, str]]:
    names = (*claim.spellings, *(name.strip("$") for name in claim.spellings))
    return [(name, name) for name in dict.fromkeys(names) if name]


def _bindings(claim: Claim) -> list[tuple[str, str]]:
    plain = [name for name in claim.spellings if "." not in name]
    return [*((words.binding(name, claim.value), name) for name in plain), *((name, name) for name in plain)]


def _ports(claim: Claim) -> list[tuple[str, str]]:
    # A number that is bound to no port may be one, or may not.
    return [(words.binding(words.PORT, claim.value), claim.value), (claim.value, claim.value)]


def _values(claim: Claim, code: str) -> list[str]:
    return _VALUES[claim.kind](claim, code)


def _bound_values(claim: Claim, code: str) -> list[str]:
    values = [value for name, value in words.bound(code) if name in claim.spellings]
    return values + [words.UNTOLD for name in words.untold(code) if name in claim.spellings]


def _bound_ports(claim: Claim, code: str) -> list[str]:
    numbers = words.ports(code)
    mute = not numbers and claim.value in words.plain(code) and not list(words.bound(code))
    return [claim.value] if mute else numbers  # serve(8080)


# What is looked for in the code, by kind: as `words.named` gives it, and the name that its line must hold.
_LOOKED_FOR: dict[Kind, Callable[[Claim], list[tuple[str, str]]]] = {
    Kind.NAME: _names,
    Kind.VALUE: _bindings,
    Kind.PORT: _ports,
}
# What a line of a named file has to say to a claim, by kind: values of its name, ports.
_VALUES: dict[Kind, Callable[[Claim, str], list[str]]] = {
    Kind.VALUE: _bound_values,
    Kind.PORT: _bound_ports,
}
