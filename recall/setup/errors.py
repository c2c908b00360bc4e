"""What can be wrong with a text that is to be changed."""

from __future__ import annotations


class Unreadable(ValueError):
    """The text cannot be understood, or not be changed safely; one line with the place."""
