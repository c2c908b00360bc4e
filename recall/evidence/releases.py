"""How a sentence speaks of a version: as what the project uses, as a bound of it, or of the release itself. Pure.

"React 18 introduced batching" and "in React 18" are said of React, whichever the project has; "at least httpx 0.27" and
"since httpx 0.27" hold for what is newer.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

_AROUND = 40  # characters of a sentence that are looked at, in front of a version and behind it
_CLOSING = r"^[`\"')\]]*"
_FROM_ON_BEHIND = (
    rf"{_CLOSING}(?:\+|\s*(?:or|and)\s+(?:newer|later|higher|above|up|upwards?|greater)\b"
    r"|\s*(?:이상|부터|이후))"
)
_FROM_ON_BEFORE = (
    r"(?:\bat least|\bminimum(?: of| is)?|\b(?:older|lower|less|earlier|newer|later) than|\bbelow|\bunder|\bprior to"
    r"|\bbefore|\bsince|\bstarting (?:with|from)|\bas of)\s+[`\"']?$"
)
_RELEASE_BEHIND = (
    rf"{_CLOSING}(?:\s++(?:\w+ly\s+|already\s+|also\s+|first\s+)?(?:introduc(?:es|ed)|add(?:s|ed)|drop(?:s|ped)|remov(?:es|ed)"
    r"|deprecat(?:es|ed)|br(?:ings|ought)|ship(?:s|ped)|fix(?:es|ed)|br(?:eaks|oke)|chang(?:es|ed)|renam(?:es|ed)"
    r"|replac(?:es|ed)|comes|came|had|makes|made|got|was|were|will|would|started|stopped|began|moved|landed|released"
    r"|promis(?:es|ed)|no longer|is (?:out|released|coming|due|not out|stable|eol|end of life))\b"
    r"|\s*+(?:,|and|or|&|/)\s*+v?\d"  # one of several
    r"|\s*+(?:에서|에는|까지|이전|미만|이하|(?:이|가)?\s*(?:나오|나온|출시)|버전에서))"
)
_RELEASE_BEFORE = (
    r"\b(?:in|from|for|until|till|up to|after|than|unlike|like|versus|vs\.?|when|once|if|unless"
    r"|(?:upgrad(?:e|ing)|updat(?:e|ing)|migrat(?:e|ing)|mov(?:e|ing)|bump|go|going|switch(?:ing)?|jump|port(?:ing)?)"
    r"\s+(?:\w+\s+){0,2}to)\s+[`\"']?$"
)


class Reading(NamedTuple):
    """How a version is spoken of."""

    operator: str = ""  # it is a bound
    asserted: bool = True  # it is what the project uses


def read(text: str, start: int, end: int) -> Reading:
    """How a sentence speaks of a version, whose name begins at `start` and which ends at `end`."""
    before, behind = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    if _compiled(_FROM_ON_BEHIND).match(behind) or _compiled(_FROM_ON_BEFORE).search(before):
        return Reading(operator=">=")
    of_release = _compiled(_RELEASE_BEHIND).match(behind) or _compiled(_RELEASE_BEFORE).search(before)
    return Reading(asserted=not of_release)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when a memory tells a version: most do not."""
    return re.compile(pattern, re.IGNORECASE)
