"""What the repository says of a memory, as fields of a result."""

from __future__ import annotations

from typing import Any

from recall.evidence.result import REASONS_SHOWN, Evidence
from recall.server.shaping.shaped import cut

_LINE = 400  # characters of a reason or a command


def checked(found: Evidence | None) -> dict[str, Any]:
    """The verdict of a check, with its first reasons and the commands that show them."""
    if found is None or not found.tried:
        return {}
    telling = found.telling()[:REASONS_SHOWN]
    return {
        "verdict": found.verdict.value,
        "reasons": [
            cut(reason, _LINE) for reason in [one.reason for one in telling] or [found.reason] if reason
        ],
        "commands": list(dict.fromkeys(cut(one.command, _LINE) for one in telling if one.command)),
    }
