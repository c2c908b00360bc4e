"""A line that may hold names of a repository, as an agent may see it."""

from __future__ import annotations

import re

# What may be a token: a long word with a capital or a digit in it, a very long one, or what a token is announced by.
_TOKEN_LIKE = re.compile(
    r"(?=[a-z]{0,99}[A-Z0-9])[A-Za-z0-9]{16}|\w{30}|(?i:sk-)[\w-]{20}"
    r"|(?i:gl[a-z]{2,5}-|xox|xapp|eyj|ya29\.|gocspx-|pypi-|aiza|[sr]k_|api_|whsec_|sg\.|hvs\.|figd_|tskey-|dckr_|atatt)"
    r"[\w.-]{10}"
)
_PLAIN = re.compile(r"[\w./, ():;'\"=~^@+-]*")


def safe(line: str) -> str:
    """The line without what could imitate the frame of a message, or a key: a branch or a file can be called so."""
    if _PLAIN.fullmatch(line) and not _TOKEN_LIKE.search(line):
        return line
    from recall import clean  # its patterns cost as much as a whole query, and most names are plain

    return clean.clean(line).text
