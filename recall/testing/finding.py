"""What a check has to say."""

from __future__ import annotations

from typing import NamedTuple

PAGE = "docs/contract-tests.md"


class Finding(NamedTuple):
    """One thing in which a provider does not keep the contract."""

    about: str  # which check found it: the name of its section in docs/contract-tests.md
    fault: str  # what is wrong with it, and what to do, in words for the provider's author

    @property
    def read_on(self) -> str:
        """Where the contract says it."""
        return f"{PAGE}#{self.about}"

    def __str__(self) -> str:
        return f"{self.fault}\n  read on: {self.read_on}"
