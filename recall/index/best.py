"""The best memories by score. Equal scores are no matter of chance: the newest count, then the first by uri."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_EQUALS = 200  # rows beyond those that are wanted, to see whether more score the same

# By the entries' own column: a memory's date lies behind its text.
_NEWEST_FIRST = (
    "SELECT m.id FROM json_each(?) i JOIN memory m ON m.id = i.value JOIN entry e ON e.id = m.entry "
    "ORDER BY e.newest DESC, m.uri"
)


class Best:
    """Chooses ids of memories in one state of the index."""

    def __init__(self, read: Callable[[str, Sequence[Any]], list[Any]]) -> None:
        self._read = read

    def found(self, sql: str, parameters: Sequence[Any], most: int) -> list[tuple[int, float]]:
        """The `most` best of a pass, with their scores; the statement gives both, best first, up to a limit."""
        rows = self._read(sql, (*parameters, most + _EQUALS))
        if len(rows) == most + _EQUALS and rows[-1][1] == rows[most - 1][1]:
            rows = self._read(sql, (*parameters, -1))
        scores = dict(rows)
        return [(identity, scores[identity]) for identity in self.of(scores, most)]

    def of(self, scores: Mapping[int, float], most: int) -> list[int]:
        """The ids of the `most` best scores; dates are looked at only where equals stand on both sides of the cut."""
        ids = sorted(scores, key=lambda identity: (-scores[identity], identity))
        if len(ids) <= most or not most or scores[ids[most - 1]] != scores[ids[most]]:
            return ids[:most]
        cut = scores[ids[most]]
        sure = [identity for identity in ids[:most] if scores[identity] != cut]
        equal = [identity for identity in ids if scores[identity] == cut]
        newest = [row[0] for row in self._read(_NEWEST_FIRST, (json.dumps(equal),))]
        return [*sure, *newest[: most - len(sure)]]
