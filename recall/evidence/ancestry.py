"""Commits of one second in the order of their descent: their dates do not tell which was made first. Pure."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from recall.git.history import Listed


def children_first(found: Sequence[Listed]) -> Iterator[Listed]:
    """Commits, newest first, of which those of one second follow upon those that were made of them."""
    for _second, same in groupby(found, key=lambda commit: commit.committed):
        yield from _sorted(list(same))


def _sorted(same: Sequence[Listed]) -> Iterator[Listed]:
    """Each behind all its children; as they were, where they are not related."""
    places = {commit.sha: place for place, commit in enumerate(same)}
    children = Counter(parent for commit in same for parent in set(commit.parents) & places.keys())
    ready = [place for place, commit in enumerate(same) if not children[commit.sha]]
    while ready:
        commit = same[heapq.heappop(ready)]
        yield commit
        for parent in set(commit.parents) & places.keys():
            children[parent] -= 1
            if not children[parent]:
                heapq.heappush(ready, places[parent])
