"""What can be wrong with a text that is to be changed."""

from __future__ import annotations


class Unreadable(ValueError):
    """The text cannot be understood, or not be changed safely; one line with the place."""


class ReachedOverHttp(Unreadable):
    """The entry is the user's own, for a server that is not started by the client."""
