"""Values at a path of keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def nested(path: Sequence[str], value: Any) -> Any:
    """A value at the end of a path of tables that hold nothing else."""
    for key in reversed(path):
        value = {key: value}
    return value


def holds(value: Any, path: Sequence[str]) -> bool:
    """Whether there is anything at a path."""
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True
