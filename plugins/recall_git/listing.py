"""The commits of a repository, listed as it stands."""

from __future__ import annotations

from typing import NamedTuple

from recall.api import Deadline, Entry, Problem, Scope
from recall.errors import NotConfigured, ProviderError, StoreAbsent, StoreBroken, StoreBusy
from recall.git import commits, heads, repository
from recall.git.repository import Condition, Repository
from recall_git.provider import GitOptions

_STAMP = "-"  # a commit never changes


class Listing(NamedTuple):
    """The commits of one state of the repository, newest first."""

    found: Repository
    mark: heads.Mark | None  # None: it cannot be told whether it is still true
    entries: tuple[Entry, ...] = ()  # each with its place in this listing
    more: bool = False  # older ones are left out
    missing: tuple[str, ...] = ()  # branches that do not exist
    damage: str = ""  # why git stopped before the end of the history

    def notes(self, options: GitOptions) -> tuple[Problem, ...]:
        """What of the history is not read, and why."""
        found = []
        if self.more:
            found.append(
                Problem("history", f"only the newest {len(self.entries):,} commits are read (max_commits)")
            )
        if self.found.shallow:
            found.append(Problem("history", "a shallow clone: older commits were never fetched"))
        found += [Problem(name, "no such branch (option branches)") for name in self.missing]
        if options.paths and not self.entries:
            found.append(Problem("history", "no commit touched the paths of option paths"))
        notes = [Problem(problem.where, problem.reason, harmless=True) for problem in found]
        if self.damage:
            where = self.entries[-1].key if self.entries else "history"
            notes.append(
                Problem(where, f"nothing before it can be listed: {self.damage}", hides_entries=True)
            )
        return tuple(notes)


def mark(scope: Scope, options: GitOptions) -> heads.Mark | None:
    """What stays equal as long as HEAD stands; None where that cannot be told."""
    return None if options.branches else heads.mark(scope.root)


def read(scope: Scope, options: GitOptions, deadline: Deadline, mark: heads.Mark | None) -> Listing:
    """The commits as they are now. Raises StoreAbsent, StoreBusy, StoreBroken, NotConfigured."""
    found = repository.find(scope.root, scope.home, scope.env, deadline)
    if found.condition is Condition.UNBORN:
        return Listing(found, mark)
    if not found.ready:
        raise _error(found)
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
    return Listing(found, None if damage else mark, tuple(entries), listed.more, missing, damage)


def _error(found: Repository) -> ProviderError:
    kinds: dict[Condition, type[ProviderError]] = {
        Condition.NONE: StoreAbsent,
        Condition.NO_GIT: NotConfigured,
        Condition.LATE: StoreBusy,
    }
    kind = kinds.get(found.condition, StoreBroken)
    return kind(f"{found.condition}: {found.reason}", found.next_step)
