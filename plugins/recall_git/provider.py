"""Commits as memories: each commit one, keyed by its id, read many at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope, option
from recall.errors import DeadlineExceeded, NotConfigured, ProviderError, StoreAbsent, StoreBroken, StoreBusy
from recall.git import heads, repository
from recall.git.repository import Condition, Repository

_STAMP = "1"  # a commit never changes; raise it when the same commit gives another memory
_RUN_FIRST, _RUN_MOST = 16, 256  # commits of one process: few new ones usually, many at the first look
_OWN = 0.05  # seconds before the deadline in which what was read is handed over


@dataclass(frozen=True, slots=True)
class GitOptions:
    """Settings below `[providers.git]`."""

    max_commits: int = option(
        5_000, "how many commits are read, the newest", from_project="value", at_least=1, at_most=1_000_000
    )
    branches: tuple[str, ...] = option(
        (),
        "branches whose commits are read beside those of HEAD, as in `git branch --all`",
        from_project="value",
    )
    paths: tuple[str, ...] = option(
        (), "read only commits that touched one of these files or folders", from_project="value"
    )


class Listing(NamedTuple):
    """The commits of one state of the repository, newest first."""

    found: Repository
    mark: heads.Mark | None  # None: it cannot be told whether it is still true
    entries: tuple[Entry, ...] = ()  # each with its place in this listing
    more: bool = False  # older ones are left out
    missing: tuple[str, ...] = ()  # branches that do not exist
    damage: str = ""  # why git stopped before the end of the history


class GitProvider:
    """The commits that HEAD leads to."""

    name = "git"
    authority = Authority.CODE
    Options: ClassVar[type] = GitOptions
    # A rewritten history drops commits on purpose, however many, and git fails rather than leave some out.
    listing_is_proof = True

    def __init__(self, options: GitOptions | None = None) -> None:
        self._options = options or GitOptions()
        self._last: Listing | None = None
        self._until = Deadline.after(0)  # when the host does not wait for commits any more
        self._read: dict[str, Memory | Problem | None] = {}
        self._next = 0  # the place behind the last run
        self._run = _RUN_FIRST

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        """One entry a commit. Raises StoreAbsent, StoreBusy, StoreBroken, NotConfigured."""
        listing = self.listing(scope, deadline)
        yield from notes(listing, self._options)
        self._read, self._next, self._run, self._until = {}, 0, _RUN_FIRST, deadline
        yield from listing.entries

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:
        """The commit as a memory; nothing for a merge or an empty commit that says nothing."""
        if entry.key not in self._read:
            self._read_on(entry, scope)
        if entry.key not in self._read:
            raise DeadlineExceeded("out of time")
        item = self._read.pop(entry.key)
        return () if item is None else (item,)

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """What there is of history, and how the repository stands."""
        from recall_git import verdict

        try:
            listing = self.listing(scope, deadline)
        except ProviderError as error:
            return verdict.unread(scope, error)
        return verdict.verdict(listing, notes(listing, self._options), deadline)

    def listing(self, scope: Scope, deadline: Deadline) -> Listing:
        """The commits as they are now: the last listing, if HEAD is where it was."""
        last = self._last
        now = heads.mark(scope.root) if scope.in_git and not self._options.branches else None
        if last is not None and now is not None and last.mark == now:
            return last
        self._last = self._list(scope, deadline, now)
        return self._last

    def _list(self, scope: Scope, deadline: Deadline, now: heads.Mark | None) -> Listing:
        if not scope.in_git:
            raise StoreAbsent("this folder is not in a Git repository", "nothing to do, or `git init`")
        found = repository.find(scope.root, scope.home, scope.env, deadline)
        if found.condition is Condition.UNBORN:
            return Listing(found, now)
        if not found.ready:
            raise _error(found)
        from recall.git import commits

        options = self._options
        refs, missing = commits.branches(found.git, options.branches, deadline)
        listed = commits.rev_list(
            found.git, (found.head, *refs), deadline, most=options.max_commits, paths=options.paths
        )
        if listed.result.late:
            raise StoreBusy("git did not list the commits in time", "ask again with a longer deadline")
        damage = "" if listed.result.ok else f"git says: {listed.result.last_line}"
        if damage and not listed.shas:
            raise StoreBroken(damage, "`git fsck` tells more")
        entries = (Entry(sha, _STAMP, place, "commits") for place, sha in enumerate(listed.shas))
        return Listing(found, None if damage else now, tuple(entries), listed.more, missing, damage)

    def _read_on(self, entry: Entry, scope: Scope) -> None:
        """Read a run of commits from here on: whoever is asked for one new commit is asked for the next, too."""
        from recall.git import commits
        from recall_git.memories import memory

        listing, place = self._last, entry.locator
        if listing is None or listing.entries[place : place + 1] != (entry,):
            return  # of a listing that is over
        self._run = min(2 * self._run, _RUN_MOST) if place == self._next else _RUN_FIRST
        self._next = place + self._run
        run = [one.key for one in listing.entries[place : self._next]]
        project = scope.names[0] if scope.names else ""
        for item in commits.read(listing.found, run, self._until.earlier(_OWN)):
            self._read[item.sha] = memory(item, project)


def notes(listing: Listing, options: GitOptions) -> tuple[Problem, ...]:
    """What of the history is not read, and why."""
    found = []
    if listing.more:
        found.append(
            Problem("history", f"only the newest {len(listing.entries):,} commits are read (max_commits)")
        )
    if listing.found.shallow:
        found.append(Problem("history", "a shallow clone: older commits were never fetched"))
    found += [Problem(name, "no such branch (option branches)") for name in listing.missing]
    if options.paths and not listing.entries:
        found.append(Problem("history", "no commit touched the paths of option paths"))
    notes = [Problem(problem.where, problem.reason, harmless=True) for problem in found]
    if listing.damage:
        where = listing.entries[-1].key if listing.entries else "history"
        notes.append(Problem(where, f"nothing before it can be listed: {listing.damage}", hides_entries=True))
    return tuple(notes)


def _error(found: Repository) -> ProviderError:
    kinds: dict[Condition, type[ProviderError]] = {
        Condition.NONE: StoreAbsent,
        Condition.NO_GIT: NotConfigured,
        Condition.LATE: StoreBusy,
    }
    kind = kinds.get(found.condition, StoreBroken)
    return kind(f"{found.condition}: {found.reason}", found.next_step)
