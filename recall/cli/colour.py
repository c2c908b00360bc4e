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
# A state stands behind a source's name at a line's beginning: the same word inside a memory stays as it is.
_STATE = re.compile(rf"^(?P<name> {{0,2}}[\w.-]+ +)(?P<state>{'|'.join(_STATES)})(?= |$)", re.MULTILINE)
_HEADING = re.compile(r"^\d+\. \[[\w.-]+\] .*$|^Sources$|^Memory of .*$", re.MULTILINE)
_FACTS = re.compile(
    r"^   (?:recall://\S.*|(?:code|state|decision|curated|captured|chat) · .*)$", re.MULTILINE
)
_ALARM = re.compile(r"^   ALARM: .*$|^   ! .*$|^Needs attention: .*$", re.MULTILINE)


def wanted(is_terminal: bool, env: Mapping[str, str]) -> bool:
    """Whether to use colour: on a terminal, unless NO_COLOR or TERM=dumb say otherwise; FORCE_COLOR insists."""
    if env.get("NO_COLOR"):
        return False
    return bool(env.get("FORCE_COLOR")) or (is_terminal and env.get("TERM") != "dumb")


def coloured(text: str) -> str:
    """Rendered text with terminal colours."""
    text = _STATE.sub(lambda found: f"{found['name']}{_STATES[found['state']]}{found['state']}{_OFF}", text)
    text = _HEADING.sub(rf"{_BOLD}\g<0>{_OFF}", text)
    text = _FACTS.sub(rf"{_DIM}\g<0>{_OFF}", text)
    return _ALARM.sub(rf"{_RED}\g<0>{_OFF}", text)
