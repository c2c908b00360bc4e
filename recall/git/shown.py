"""A line that may hold names of a repository, as an agent may see it."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[\w./, ():;'\"=~^@+-]*")


def safe(line: str) -> str:
    """The line without what could imitate the frame of a message: a branch or a file can be called like one."""
    if _PLAIN.fullmatch(line):
        return line
    from recall import clean  # its patterns cost as much as a whole query, and most names are plain

    return clean.clean(line).text
