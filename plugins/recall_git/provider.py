"""Commits as memories: each commit one, keyed by its id, read many at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope, option, record
from recall.errors import DeadlineExceeded, ProviderError, StoreAbsent
from recall.kept import Kept, Same

if TYPE_CHECKING:
    from recall_git.listing import Listing

_RUN_FIRST, _RUN_MOST = 16, 256  # commits of one process: few new ones usually, many at the first look
_OWN = 0.05  # seconds before the deadline in which what was read is handed over


@record
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


class GitProvider:
    """The commits that HEAD leads to."""

    name = "git"
    reading = "2"
    authority = Authority.CODE
    Options: ClassVar[type] = GitOptions
    # A rewritten history drops commits on purpose, however many, and git fails rather than leave some out.
    listing_is_proof = True

    def __init__(self, options: GitOptions | None = None) -> None:
        self._options = options or GitOptions()
        self._last: Listing | None = None
        self._kept: Kept[tuple[Entry | Problem, ...]] = Kept()
        self._until = Deadline.after(0)  # when the host does not wait for commits any more
        self._read: dict[str, Memory | Problem | None] = {}
        self._next = 0  # the place behind the last run
        self._run = _RUN_FIRST

    def entries(self, scope: Scope, deadline: Deadline) -> tuple[Entry | Problem, ...]:
        """One entry a commit. Raises StoreAbsent, StoreBusy, StoreBroken, NotConfigured."""
        listing = self.listing(scope, deadline)
        self._read, self._next, self._run, self._until = {}, 0, _RUN_FIRST, deadline
        return self._kept.of(Same(listing), lambda: (*listing.notes(self._options), *listing.entries))

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
        from recall import files
        from recall_git import verdict

        try:
            listing = self.listing(scope, deadline)
        except ProviderError as error:
            return Health.unread(error, (files.display_path(scope.root),))
        return verdict.verdict(listing, listing.notes(self._options), deadline)

    def listing(self, scope: Scope, deadline: Deadline) -> Listing:
        """The commits as they are now: the last listing, if HEAD is where it was."""
        if not scope.in_git:
            raise StoreAbsent("this folder is not in a Git repository", "nothing to do, or `git init`")
        from recall_git import listing  # most of it is for Git alone, and costs as much as a small question

        mark = listing.mark(scope, self._options)
        if self._last is None or mark is None or self._last.mark != mark:
            self._last = listing.read(scope, self._options, deadline, mark)
        return self._last

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
