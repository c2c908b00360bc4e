"""What each corpus held at earlier looks, so that "2,000 yesterday, 0 now" can be said.

Kept in the state folder, not in the cache: deleting the index must not delete the alarm.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from recall.errors import StoreBroken
from recall.files import read_bytes
from recall.places import write_private
from recall.wording import ago

_LOOKS = 40  # kept per provider
_SAME_LOOK = 3_600.0  # seconds within which a new look replaces the last one
_ALARMING_LOSS = 0.5  # share of a corpus; the same bound as for keeping vanished memories


@dataclass(frozen=True, slots=True)
class Look:
    """One earlier look at a corpus; `at` is epoch seconds."""

    at: float
    state: str
    items: int


@dataclass(frozen=True, slots=True)
class Trend:
    """How a corpus has changed since the last look that differs."""

    text: str = ""  # "2,000 yesterday, 0 now"
    alarm: bool = False


class History:
    """Earlier looks at the corpora of one scope."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._looks = _read(path)

    def trend(self, provider: str, items: int, now: float) -> Trend:
        """What to say of a provider that has `items` now; it is an alarm when most of the corpus is gone."""
        earlier = [look for look in self._looks.get(provider, ()) if look.at < now]
        last = next((look for look in reversed(earlier) if look.items != items), None)
        if last is None:
            return Trend()
        most = max(look.items for look in earlier)
        text = f"{last.items:,} {ago(now - last.at)}, {items:,} now"
        return Trend(text, alarm=items < most * (1 - _ALARMING_LOSS) and items < last.items)

    def note(self, looks: Mapping[str, Look]) -> None:
        """Add a look and write the file; a folder that cannot be written to is not an error."""
        for provider, look in looks.items():
            held = self._looks.setdefault(provider, [])
            if held and look.at - held[-1].at < _SAME_LOOK and held[-1].items == look.items:
                held.pop()
            held.append(look)
            del held[:-_LOOKS]
        plain = {
            name: [[look.at, look.state, look.items] for look in held] for name, held in self._looks.items()
        }
        try:
            write_private(self._path, json.dumps(plain).encode("ascii"))
        except OSError:
            return


def _read(path: Path) -> dict[str, list[Look]]:
    try:
        plain = json.loads(read_bytes(path))
        return {
            str(name): [Look(float(at), str(state), int(items)) for at, state, items in looks]
            for name, looks in plain.items()
        }
    except (StoreBroken, ValueError, TypeError, AttributeError, RecursionError):
        return {}
