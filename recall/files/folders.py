"""What is in one folder, and how long that may be remembered."""

from __future__ import annotations

import os
from typing import NamedTuple

from recall.api import Problem
from recall.files.names import display_path, displayed
from recall.wording import why

# A folder's time changes when an entry comes, goes or is renamed. File clocks tick, some every two seconds (FAT):
# a folder that changed a moment ago may change again without a sign.
_SETTLED = 3.0  # seconds
# Network and foreign file systems may not keep folder times at all.
_TRUSTED = 60.0  # seconds that a listing is remembered at most
_NANOSECONDS = 1e9


class Item(NamedTuple):
    """An entry that may matter: a folder, a link, or a name with one of the wanted endings."""

    path: str
    relative: str  # below the walked folder, as it is shown
    is_wanted: bool  # by its name
    is_link: bool


class Listing(NamedTuple):
    """A folder's entries that may matter, and what it looked like when it was listed."""

    items: tuple[Item, ...]
    others: int  # entries that do not matter
    prefix: str
    identity: tuple[int, int]
    mtime_ns: int
    listed_at: float  # epoch seconds
    settled: bool  # whether the folder's time will tell of the next change

    def holds(self, identity: tuple[int, int], mtime_ns: int, prefix: str, now: float) -> bool:
        """Whether the folder, as it looks now, must still hold the same."""
        return (
            self.mtime_ns == mtime_ns
            and self.identity == identity
            and self.prefix == prefix
            and 0 <= now - self.listed_at < _TRUSTED
        )


def list_folder(
    folder: str, prefix: str, suffixes: tuple[str, ...], identity: tuple[int, int], mtime_ns: int, now: float
) -> Listing | Problem:
    """A folder's entries by name; `identity` and `mtime_ns` are its own, taken before."""
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except FileNotFoundError:
        if os.path.islink(folder):
            return Problem(display_path(folder), "broken link", hides_entries=True)
        entries = []
    except (OSError, ValueError) as error:
        return Problem(display_path(folder), why(error), hides_entries=True)
    items = []
    for entry in entries:
        is_link, is_wanted = entry.is_symlink(), entry.name.endswith(suffixes)
        # Told by the listing itself, without a look: media folders hold thousands of other files.
        if is_wanted or is_link or entry.is_dir():
            items.append(Item(entry.path, prefix + displayed(entry.name), is_wanted, is_link))
    settled = mtime_ns / _NANOSECONDS < now - _SETTLED
    return Listing(tuple(items), len(entries) - len(items), prefix, identity, mtime_ns, now, settled)
