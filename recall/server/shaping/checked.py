"""What the repository says of a memory, as fields of a result."""

from __future__ import annotations

from typing import Any

from recall.evidence.result import REASONS_SHOWN
from recall.ranked import Ranked


def checked(ranked: Ranked) -> dict[str, Any]:
    """The verdict of a check, with its first reasons and the commands that show them."""
    found = ranked.evidence
    if found is None or not found.tried:
        return {}
    telling = found.telling()[:REASONS_SHOWN]
    return {
        "verdict": found.verdict.value,
        "reasons": [one.reason for one in telling] or [found.reason],
        "commands": list(dict.fromkeys(one.command for one in telling if one.command)),
    }
