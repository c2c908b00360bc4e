"""From what was found to a line of doctor."""

from __future__ import annotations

from dataclasses import replace

from recall import files
from recall.api import Deadline, Health, Problem, State
from recall.git import commits, present
from recall.git.commits import Commit
from recall_git.listing import Listing
from recall_git.memories import is_silent

_FSCK = "`git fsck` in the project's folder tells more"


def verdict(listing: Listing, notes: tuple[Problem, ...], deadline: Deadline) -> Health:
    """The commits were listed; how the repository stands beside them."""
    found = listing.found
    places = tuple(
        files.display_path(place) for place in dict.fromkeys((found.top, found.common_dir)) if place
    )
    looked = Health(
        State.DEGRADED, facts=present.stands(found, deadline).parts(), problems=notes, places=places
    )
    if not listing.entries:
        reason = found.reason or "no commit touched the paths of option paths"
        return replace(looked, state=State.EMPTY, items=0, reason=reason, next_step=found.next_step)
    shas = [entry.key for entry in listing.entries]
    count = len(shas) - sum(map(is_silent, commits.brief(found, shas, deadline)))
    if listing.damage:
        reason = f"only the newest part of the history can be listed: {listing.damage}"
        return replace(looked, items=count, reason=reason, next_step=_FSCK)
    if not count:
        return replace(looked, state=State.EMPTY, items=0, reason="no commit has a word or a file in it")
    newest = next(commits.read(found, shas[:1], deadline), None)
    if not isinstance(newest, Commit):
        reason = f"the newest commit cannot be read: {newest.reason if newest else 'out of time'}"
        return replace(looked, items=len(shas), reason=reason, next_step=_FSCK)
    return replace(looked, state=State.READY, items=count, newest=newest.committed)
