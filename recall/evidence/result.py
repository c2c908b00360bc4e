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
    UNCLEAR = (
        "unclear"  # the repository has something else, and nothing shows that it ever was as the memory says
    )
    UNKNOWN = "unknown"
    UNREAD = "not checked"


_TELLING = (Status.CONTRADICTED, Status.CHANGED, Status.UNREAD, Status.UNCLEAR)
COMMITS = "recall://git/"  # before a commit's id, in its memory's uri
REASONS_SHOWN = 3  # of one memory, in an answer


class Finding(NamedTuple):
    """One claim, and what was found."""

    claim: str
    status: Status
    reason: str  # one line
    command: str = ""  # shows it; quoted for a shell
    commit: str = ""  # since which it is so, if something is gone: its whole id


class Evidence(NamedTuple):
    """What was found about one memory; the findings that weigh most come first."""

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    reason: str = ""  # where no finding says it: why nothing could be checked, or confirmed
    unchecked: int = 0  # claims beyond the most that are checked
    dated: float | None = None  # the memory's date that it was compared by, epoch seconds; None without one
    date_origin: str = ""  # where the repository tells that date; "" if it is the memory's own
    tried: bool = True  # False where nobody expects a check: outside Git, or switched off

    def telling(self) -> tuple[Finding, ...]:
        """The findings that a reader has to know; the first one, if all is well."""
        return tuple(one for one in self.findings if one.status in _TELLING) or self.findings[:1]

    @property
    def commit(self) -> str:
        """The commit since which a contradicted memory is no longer so; "" if it is not committed, or it is so."""
        wrong = (one.commit for one in self.findings if one.status is Status.CONTRADICTED)
        return next(filter(None, wrong), "") if self.contradicted else ""

    @property
    def contradicted(self) -> bool:
        """Whether the repository says otherwise now."""
        return self.verdict is Verdict.CONTRADICTED


def not_checked(reason: str, *, tried: bool = True) -> Evidence:
    """The evidence where there is none."""
    return Evidence(Verdict.NOT_CHECKED, reason=reason, tried=tried)
