"""What somebody else's exception says, made fit to be shown. Imported only where something failed."""

from __future__ import annotations

from recall import secrets
from recall.wording import visible

_LONGEST = 160  # characters


def said(error: BaseException | None) -> str:
    """An exception's text on one line: secrets masked, every character visible, whatever its `str` does."""
    try:
        text = " ".join(str(error).split())
    except BaseException:  # the author's own mistake, once more
        return "an error that cannot be told"
    return visible(secrets.mask(text[: 4 * _LONGEST])[0])[:_LONGEST]
