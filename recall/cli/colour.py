"""Colour for people at a terminal: the same text, with what matters most standing out."""

from __future__ import annotations

import re
from collections.abc import Mapping

_BOLD, _DIM, _GREEN, _YELLOW, _RED, _OFF = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[0m"
_STATES = {
    "READY": _GREEN,
    "DEGRADED": _YELLOW,
    "EMPTY": _YELLOW,
    "BUSY": _YELLOW,
    "BROKEN": _RED,
    "ABSENT": _DIM,
    "OFF": _DIM,
}
# Compiled at their first use: most output has no colour.
# A state stands behind a source's name at a line's beginning: the same word inside a memory stays as it is.
_STATE = rf"(?m)^(?P<name> {{0,2}}[\w.-]+ +)(?P<state>{'|'.join(_STATES)})(?= |$)"
_HEADING = r"(?m)^\d+\. \[[\w.-]+\] .*$|^Sources$|^Memory of .*$"
_FACTS = r"(?m)^   (?:recall://\S.*|(?:code|state|decision|curated|captured|chat) · .*)$"
_ALARM = r"(?m)^   ALARM: .*$|^   ! .*$|^Needs attention: .*$"


def wanted(is_terminal: bool, env: Mapping[str, str]) -> bool:
    """Whether to use colour: on a terminal, unless NO_COLOR or TERM=dumb say otherwise; FORCE_COLOR insists."""
    if env.get("NO_COLOR"):
        return False
    return bool(env.get("FORCE_COLOR")) or (is_terminal and env.get("TERM") != "dumb")


def coloured(text: str) -> str:
    """Rendered text with terminal colours."""
    text = re.sub(
        _STATE, lambda found: f"{found['name']}{_STATES[found['state']]}{found['state']}{_OFF}", text
    )
    text = re.sub(_HEADING, rf"{_BOLD}\g<0>{_OFF}", text)
    text = re.sub(_FACTS, rf"{_DIM}\g<0>{_OFF}", text)
    return re.sub(_ALARM, rf"{_RED}\g<0>{_OFF}", text)
