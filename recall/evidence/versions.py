"""Versions of dependencies: what manifests and lock files say now, and what they said before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from recall.api import Deadline
from recall.evidence import dependencies
from recall.evidence.claims import Claim
from recall.evidence.facts import NEVER, UNREAD, Fact, Standing
from recall.evidence.history import Event, History
from recall.evidence.present import Present
from recall.git import grep
from recall.git.command import Git

_MOST = 40  # manifests of one repository that are read, and as many lock files
_MOST_EVER = 1_000  # that are looked for
_EARLIER = 40  # latest commits of a manifest that are read for earlier versions


class Versions:
    """Finds out what a repository says of versions; parsed manifests are kept until their files change."""

    def __init__(self, git: Git, present: Present) -> None:
        self._git = git
        self._present = present
        self._declared: dict[
            str, tuple[str, dict[str, str]]
        ] = {}  # by path: the file's stamp, its dependencies
        self._earlier: dict[tuple[str, str], list[tuple[Event, dict[str, str]]]] = {}  # by path and HEAD

    def facts(
        self, claims: Sequence[Claim], history: History, head: str, deadline: Deadline
    ) -> dict[Claim, Fact]:
        """The fact for each claim of a version."""
        if not claims:
            return {}
        manifests, more = self._paths(tuple(dependencies.MANIFESTS), history)
        locks, _more = self._paths(tuple(dependencies.LOCKS), history)
        facts = {claim: self._fact(claim, manifests, locks, history, head, deadline) for claim in claims}
        # A version that the first ones do not have may be that of another, or of what a link leads to.
        unread = UNREAD._replace(reason=f"only {_MOST} of the files that declare versions were read")
        if not more:
            if not any(
                self._present.is_link(path) and not self._present.text(path) for path in (*manifests, *locks)
            ):
                return facts
            unread = UNREAD._replace(reason="a file that declares versions is a link out of the work tree")
        return {
            claim: unread
            if fact.standing is Standing.GONE or (fact.now and fact.standing is Standing.NEVER)
            else fact
            for claim, fact in facts.items()
        }

    def _fact(
        self,
        claim: Claim,
        manifests: Sequence[str],
        locks: Sequence[str],
        history: History,
        head: str,
        deadline: Deadline,
    ) -> Fact:
        name = dependencies.key(claim.spellings[0])
        places = dict(self._saying(name, manifests))
        if not places and not _was_declared(claim.spellings[0], manifests, history):
            return NEVER  # a number behind a word
        # What is locked is more exact than what is demanded.
        places = (dict(self._saying(name, locks)) if places else {}) or places
        for path, demanded in places.items():
            if dependencies.agrees(claim.value, claim.operator, demanded):
                return Fact(Standing.HERE, path, demanded)
        if not history.knows_paths():
            return UNREAD._replace(reason=history.unread())
        for path in places or manifests:
            later: Event | None = None
            for event, table in self._history_of(path, history, head, deadline):
                if table.get(name) and dependencies.agrees(claim.value, claim.operator, table[name]):
                    return Fact(Standing.GONE, path, places.get(path, ""), later)
                later = event
        if deadline.expired():
            return UNREAD
        path = next(iter(places), "")
        return Fact(Standing.NEVER, path, places.get(path, ""))

    def _saying(self, name: str, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The files that declare a dependency, with what they say of its version."""
        for path in paths:
            table = self._now(path)
            if name in table:
                yield path, table[name]

    def _now(self, path: str) -> Mapping[str, str]:
        stamp = self._present.stamp(path)
        known = self._declared.get(path)
        if known is None or known[0] != stamp:
            known = stamp, dependencies.declared(path, self._present.text(path))
            self._declared[path] = known
        return known[1]

    def _history_of(
        self, path: str, history: History, head: str, deadline: Deadline
    ) -> list[tuple[Event, dict[str, str]]]:
        """What a file declared at each of its latest commits, newest first."""
        if (path, head) not in self._earlier:
            events = history.dates(path)[:_EARLIER]
            texts = grep.contents(self._git, [event.sha for event in events], path, deadline)
            found = [(event, dependencies.declared(path, texts.get(event.sha, ""))) for event in events]
            if len(texts) < len(events) and deadline.expired():
                return found
            self._earlier = {key: kept for key, kept in self._earlier.items() if key[1] == head}
            self._earlier[path, head] = found
        return self._earlier[path, head]

    def _paths(self, names: tuple[str, ...], history: History) -> tuple[list[str], bool]:
        """Files of some names that are or were there, and whether there are more than are read."""
        known = [name for name in names if self._present.stat(name)]
        ever = [path for path in history.files_called(names, _MOST_EVER) if self._present.stat(path)]
        gone = [path for path in history.files_called(names, _MOST) if path not in ever]
        found = list(dict.fromkeys((*known, *ever, *gone)))
        return found[:_MOST], len(dict.fromkeys((*known, *ever))) > _MOST


def _was_declared(name: str, manifests: Sequence[str], history: History) -> bool:
    """Whether a commit that touched a manifest took the name away."""
    last = name.rpartition("/")[2]
    words = dict.fromkeys((last, last.lower()))
    return any(history.taken_away(word, path) is not None for word in words for path in manifests)
