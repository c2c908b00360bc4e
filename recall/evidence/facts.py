"""What the repository answers to a claim. Plain data."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from recall.evidence.history import Event
from recall.evidence.search import ON_DISK


class Standing(Enum):
    """How a claim's subject stands now."""

    HERE = "here"
    GONE = "gone"  # it was here, and is not any more
    NEVER = "never"  # the repository does not know it
    UNREAD = "unread"  # there was no time to find out


class Fact(NamedTuple):
    """The answer to one claim; which fields are filled in depends on its kind."""

    standing: Standing
    place: str = ""  # where it is: a path, a path and line, a manifest
    # What is there instead: where a path went, the value, the version. With NEVER: the repository never had what
    # the memory says, and has this.
    now: str = ""
    event: Event | None = None  # the commit that took it away; None if that is not committed
    first: Event | None = None  # the earliest commit that had it
    touches: tuple[Event, ...] = ()  # commits that touched a path, newest first
    whole: bool = True  # whether `touches` are all of them
    modified: float | None = None  # of a file: the file system's date, epoch seconds
    edited: bool | None = False  # it differs from the last commit; None: that could not be compared
    file: str = ""  # where `place` is, without the line
    word: str = ""  # the spelling that was found there
    option: str = ON_DISK  # of `git grep`, which finds it there
    only_told: bool = False  # it stands in comments and documents only
    reason: str = ""  # why it could not be read, or not whole


UNREAD = Fact(Standing.UNREAD, reason="out of time")
NEVER = Fact(Standing.NEVER)
