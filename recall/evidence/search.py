"""One search for words in the code: what is wanted, what was found where, and what is still open. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from recall import files
from recall.evidence import words

# Where a search looks, as options of `git grep`: at the files as they lie on disk, those that git does not know among
# them; at those that git knows, some of which it takes from the index (`assume-unchanged`); at the index alone.
ON_DISK, TRACKED, INDEXED = "--untracked", "", "--cached"


class Word(NamedTuple):
    """Something to look for: a name, a number, or a value bound to a name."""

    text: str  # as `words.named` gives it
    pattern: str  # the name or number that its line must hold
    near: tuple[str, ...] = ()  # files to look into first
    taken_away: bool = False  # a commit once took it away: that it is absent matters


class Place(NamedTuple):
    """Where a word stands."""

    path: str
    line: int
    in_code: bool = True  # rather than in a comment or a document
    option: str = ON_DISK  # of `git grep`, which finds it there

    def __str__(self) -> str:
        return f"{files.display_path(self.path)}:{self.line}"


class Looked(NamedTuple):
    """What a search found."""

    places: Mapping[str, Place]  # by word
    others: Mapping[str, tuple[str, ...]]  # by the name of a bound value: the values that it has instead
    unread: frozenset[str]  # words that could not be looked for
    trouble: str = ""  # why; "" if there was no time
    in_tests: Mapping[str, Place] = {}  # by word: where only a test's code binds the name to the value


class Search:
    """One search while it goes on."""

    def __init__(self, wanted: Mapping[str, Word], own: Collection[str]) -> None:
        self.wanted = wanted
        self.own = own
        self.open = set(wanted)  # not found in code so far
        self.fresh: dict[str, Place] = {}  # found in code now
        self.in_tests: dict[str, Place] = {}  # values that a test's code binds to their names
        self.unread: set[str] = set()
        self.trouble = ""  # why words are unread, if it was not the time
        self.before: dict[str, str] = {}  # by word: the file it was found in, which has changed since
        self._known: dict[str, Place] = {}  # found in code before
        self._told: dict[str, Place] = {}  # found in comments and documents
        self._others: dict[str, list[str]] = {}
        self._bound = {word.pattern for word in wanted.values() if word.text != word.pattern}

    @property
    def gone(self) -> set[str]:
        """The names of what a commit took away and was not found."""
        return {word.pattern for text in self.open - self.unread if (word := self.wanted[text]).taken_away}

    def take(self, path: str, number: int, line: str, option: str = ON_DISK) -> None:
        """A line that holds one of the patterns; `option`: where it was looked for."""
        if words.is_for_agents(path) or path in self.own:
            return
        if words.is_bulky(path) or len(line) > words.LONGEST_LINE:
            self._found_in_made(Place(path, number, option=option), line)
            return
        code = "" if words.is_prose(path) else words.code_of(line, path)
        names = words.named if self._bound else words.plain
        held = set(names(code)) if code else set()
        if self._bound and code and words.is_test(path):
            values = {text for text in self.open & held if text != self.wanted[text].pattern}
            self.in_tests.update(
                (text, Place(path, number, option=option)) for text in values - self.in_tests.keys()
            )
            held -= values
        elif self._bound and code:
            untold = ((name, words.UNTOLD) for name in words.untold(code))
            for name, value in (*words.bound(code), *untold):
                if name in self._bound and value not in (known := self._others.setdefault(name, [])):
                    known.append(value)
        for text in self.open & held:
            self.fresh[text] = Place(path, number, option=option)
        self.open -= held
        if code != line and self.open - self._told.keys():
            for text in self.open & set(names(line)):
                self._told.setdefault(text, Place(path, number, in_code=False, option=option))

    def _found_in_made(self, place: Place, line: str) -> None:
        """A line that a program made: whatever name it holds is there."""
        for text in [text for text in self.open if text == self.wanted[text].pattern and text in line]:
            self.fresh[text] = place
            self.open.discard(text)

    def find(self, text: str, place: Place) -> None:
        """It was found before, and its file has not changed."""
        self.open.discard(text)
        self._known[text] = place

    def settle(self, text: str, others: Iterable[str], elsewhere: Place | None) -> None:
        """It was looked for before, and was not there; `elsewhere`: a test, a comment or a document that has it."""
        self.open.discard(text)
        self._others.setdefault(self.wanted[text].pattern, list(others))
        if elsewhere is not None:
            (self.in_tests if elsewhere.in_code else self._told)[text] = elsewhere

    def others(self, text: str) -> tuple[str, ...]:
        """The values that a name has, of a value bound to it."""
        return tuple(self._others.get(self.wanted[text].pattern, ())) if "=" in text else ()

    def elsewhere(self, text: str) -> tuple[str, int, str] | None:
        """Where a test, a comment or a document holds it, if the place can be kept."""
        place = self.in_tests.get(text) or self._told.get(text)
        return (place.path, place.line, place.option) if place is not None and storable(place.path) else None

    def result(self) -> Looked:
        """What was found; a comment or a document counts where there is no code."""
        others = {name: tuple(values) for name, values in self._others.items()}
        places = {**self._told, **self._known, **self.fresh}
        in_tests = {text: place for text, place in self.in_tests.items() if text not in places}
        return Looked(places, others, frozenset(self.unread), self.trouble, in_tests)


def storable(path: str) -> bool:
    """Whether a path can be kept in the store."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
