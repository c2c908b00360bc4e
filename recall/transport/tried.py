"""One question to a source that can only be asked, shown as it went."""

from __future__ import annotations

from dataclasses import dataclass

from recall.api import Memory, Problem


@dataclass(frozen=True, slots=True)
class Tried:
    """What a provider's `try_out(query, scope, deadline)` gives, for `recall providers --try`."""

    sent: str  # what was asked for, one line
    raw: str  # the answer as it came
    understood: tuple[Memory | Problem, ...] = ()
    trouble: str = ""  # why nothing could be made of the answer, one line
