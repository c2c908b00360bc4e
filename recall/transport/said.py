"""What a server said, as one line that can be shown."""

from __future__ import annotations

from recall.wording import visible

_MOST = 200  # characters


def first_line(text: str) -> str:
    """The first line that says something: where answers put their reason."""
    return _cut(next((line.strip() for line in text.splitlines() if line.strip()), ""))


def last_line(text: str) -> str:
    """The last line that says something: where programs put their reason."""
    return _cut(next((line.strip() for line in reversed(text.splitlines()) if line.strip()), ""))


def _cut(line: str) -> str:
    return visible(line if len(line) <= _MOST else line[: _MOST - 1] + "…")
