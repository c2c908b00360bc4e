"""Sources of policy: rules to follow. They are named at a session's start, never searched and never taken for memory."""

from __future__ import annotations

from collections.abc import Iterator

from recall.api import Deadline
from recall.engine import Engine


def lines(engine: Engine, deadline: Deadline) -> Iterator[str]:
    """A line for each policy: what it is, and where it can be read."""
    return iter(())
