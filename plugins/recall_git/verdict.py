"""From what was found to a line of doctor."""

from __future__ import annotations

from recall import files
from recall.api import Deadline, Health, Problem, Scope, State
from recall.errors import NotConfigured, ProviderError, StoreAbsent, StoreBusy
from recall.git import commits, present
from recall.git.commits import Commit
from recall_git.listing import Listing
from recall_git.memories import is_silent


def unread(scope: Scope, error: ProviderError) -> Health:
    """Nothing could be listed."""
    states = {StoreAbsent: State.ABSENT, StoreBusy: State.BUSY, NotConfigured: State.OFF}
    return Health(
        states.get(type(error), State.BROKEN),
        0 if isinstance(error, StoreAbsent) else None,
        reason=str(error),
        next_step=error.next_step,
        places=(files.display_path(scope.root),),
    )


def verdict(listing: Listing, notes: tuple[Problem, ...], deadline: Deadline) -> Health:
    """The commits were listed; how the repository stands beside them."""
    found = listing.found
    facts = present.stands(found, deadline).parts()
    places = tuple(
        files.display_path(place) for place in dict.fromkeys((found.top, found.common_dir)) if place
    )
    if not listing.entries:
        reason = found.reason or "no commit touched the paths of option paths"
        return Health(
            State.EMPTY,
            0,
            reason=reason,
            next_step=found.next_step,
            facts=facts,
            problems=notes,
            places=places,
        )
    shas = [entry.key for entry in listing.entries]
    count = len(shas) - sum(map(is_silent, commits.merges(found, shas, deadline)))
    if listing.damage:
        return Health(
            State.DEGRADED,
            count,
            reason=f"only the newest part of the history can be listed: {listing.damage}",
            next_step="`git fsck` in the project's folder tells more",
            facts=facts,
            problems=notes,
            places=places,
        )
    newest = next(commits.read(found, shas[:1], deadline), None)
    if not isinstance(newest, Commit):
        reason = f"the newest commit cannot be read: {newest.reason if newest else 'out of time'}"
        next_step = "`git fsck` in the project's folder tells more"
        return Health(
            State.DEGRADED,
            len(listing.entries),
            reason=reason,
            next_step=next_step,
            facts=facts,
            places=places,
        )
    return Health(
        State.READY,
        count,
        newest=newest.committed,
        facts=facts,
        problems=notes,
        places=places,
    )
