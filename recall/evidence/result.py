"""What a check of a memory gives: a verdict, reasons, and commands that show them."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Verdict(StrEnum):
    """What the repository, as it is now, says of a memory."""

    CURRENT = "current"
    CHANGED = "changed since"
    CONTRADICTED = "contradicted"
    UNVERIFIABLE = "unverifiable"
    NOT_CHECKED = "not checked"


class Status(StrEnum):
    """What it says of one claim."""

    HOLDS = "holds"
    CHANGED = "changed"
    CONTRADICTED = "contradicted"
    UNKNOWN = "unknown"
    UNREAD = "not checked"


class Finding(NamedTuple):
    """One claim, and what was found."""

    claim: str
    status: Status
    reason: str  # one line
    command: str = ""  # shows it; quoted for a shell


class Evidence(NamedTuple):
    """What was found about one memory; the findings that weigh most come first."""

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    reason: str = ""  # where no finding says it: why nothing could be checked, or confirmed
    unchecked: int = 0  # claims beyond the most that are checked

    @property
    def contradicted(self) -> bool:
        """Whether the repository says otherwise now."""
        return self.verdict is Verdict.CONTRADICTED


def not_checked(reason: str) -> Evidence:
    """The evidence where there is none."""
    return Evidence(Verdict.NOT_CHECKED, reason=reason)
