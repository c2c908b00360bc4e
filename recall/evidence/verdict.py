"""Claims and facts to a verdict with reasons, and commands that show them. Pure.

| verdict       | when                                                                                     |
|---------------|------------------------------------------------------------------------------------------|
| contradicted  | something that was there when the memory was written is gone, or has another value now; |
|               | among many claims, at least one in five of those that could be decided                   |
| changed since | a file it names was changed after its date, or less than one claim in five is gone       |
| current       | what it names is there, and no file it names was changed since                           |
| unverifiable  | it names nothing that this repository ever knew, or only what was gone when it was written |
| not checked   | there was no time, or no repository                                                      |

Being wrong about "contradicted" is worse than missing one. So nothing is contradicted by what the memory itself
tells as past, by what may be prose ("and/or"), by what was gone before it was written, or by what never was.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from recall.evidence.claims import Claim, Kind
from recall.evidence.facts import Fact, Standing
from recall.evidence.history import Event
from recall.evidence.result import Evidence, Finding, Status, Verdict
from recall.wording import counted

_SHARE = 0.2  # of the decided claims: from it on, what is gone contradicts the memory as a whole
_ORDER = (Status.CONTRADICTED, Status.CHANGED, Status.UNREAD, Status.HOLDS, Status.UNKNOWN)
_PLAIN = re.compile(r"[\w./, ():;'\"=~^@+-]*")
_SHORT = 10  # characters of a commit's id


class Written(NamedTuple):
    """When a memory was written."""

    at: float | None  # epoch seconds; None if it is not known
    # Whether it may be taken for later than what it is compared with. A file's date may be that of a copy or a
    # checkout: what is older than it need not be older than the text.
    sure: bool = True


def judge(checked: Sequence[tuple[Claim, Fact]], written: Written, more: int = 0) -> Evidence:
    """The verdict on a memory; `more`: claims beyond those that were checked."""
    findings = [finding for claim, fact in checked if (finding := _finding(claim, fact, written))]
    findings.sort(key=lambda finding: _ORDER.index(finding.status))
    return Evidence(_verdict(findings), tuple(findings), _reason(findings), more)


def _verdict(findings: Sequence[Finding]) -> Verdict:
    counts = {status: sum(finding.status is status for finding in findings) for status in Status}
    wrong, changed, holds = counts[Status.CONTRADICTED], counts[Status.CHANGED], counts[Status.HOLDS]
    if wrong and wrong >= _SHARE * (wrong + changed + holds):
        return Verdict.CONTRADICTED
    if wrong or changed:
        return Verdict.CHANGED
    if counts[Status.UNREAD]:
        return Verdict.NOT_CHECKED
    return Verdict.CURRENT if holds else Verdict.UNVERIFIABLE


def _reason(findings: Sequence[Finding]) -> str:
    if not findings:
        return "it names nothing that the repository could confirm"
    if findings[0].status is Status.UNKNOWN:
        return "nothing that it names is known to the repository"
    return ""


def _finding(claim: Claim, fact: Fact, written: Written) -> Finding | None:
    if fact.standing is Standing.UNREAD:
        return Finding(claim.text, Status.UNREAD, f"{claim.text}: not checked, {fact.reason}")
    found = {
        Kind.PATH: _path,
        Kind.NAME: _name,
        Kind.VALUE: _value,
        Kind.NUMBER: _value,
        Kind.COMMIT: _commit,
        Kind.VERSION: _version,
    }[claim.kind](claim, fact, written)
    # What may be prose, or another project's number, is not worth a line when the repository does not know it.
    quiet = claim.weak or claim.kind in (Kind.VALUE, Kind.NUMBER, Kind.VERSION)
    if found.status is Status.UNKNOWN and quiet:
        return None
    return found._replace(reason=safe(found.reason), command=safe(found.command))


def safe(line: str) -> str:
    """A line that may name files of the repository: one can be called like the frame of a message."""
    if _PLAIN.fullmatch(line):
        return line
    from recall import clean  # its patterns cost as much as a whole query, and most names are plain

    return clean.clean(line).text


def _path(claim: Claim, fact: Fact, written: Written) -> Finding:
    name = fact.place or claim.text
    log = f"git log --oneline --follow -- {shlex.quote(name)}"
    if fact.standing is Standing.NEVER:
        return Finding(claim.text, Status.UNKNOWN, f"{claim.text} never was in this repository", log)
    if fact.standing is Standing.GONE:
        moved = f"renamed to {fact.now}" if fact.now else "gone"
        return _gone(claim, fact, written, f"{name} is {moved}", log)
    return _changed(claim, fact, written, name, log)


def _changed(claim: Claim, fact: Fact, written: Written, name: str, log: str) -> Finding:
    at = written.at
    if at is not None and not name.endswith("/"):
        count = sum(event.committed > at for event in fact.touches)
        since = f"git log --oneline --since={_iso(at)} -- {shlex.quote(name)}"
        if count:
            at_least = "" if fact.whole else "at least "
            reason = f"{name} was changed by {at_least}{counted(count, 'commit')} since {_day(at)}"
            return Finding(claim.text, Status.CHANGED, reason, since)
        if fact.edited and fact.modified is not None and fact.modified > at:
            diff = f"git diff HEAD -- {shlex.quote(name)}"
            return Finding(claim.text, Status.CHANGED, f"{name} has changes that are not committed", diff)
        if not fact.whole:
            why = fact.reason or "its history is not read yet"
            return Finding(claim.text, Status.UNREAD, f"{name} is there; {why}", log)
        return Finding(claim.text, Status.HOLDS, f"{name} is there, unchanged since {_day(at)}", since)
    return Finding(claim.text, Status.HOLDS, f"{name} is there", f"git ls-files -- {shlex.quote(name)}")


def _name(claim: Claim, fact: Fact, written: Written) -> Finding:
    grep = f"git grep -nwF -e {shlex.quote(claim.spellings[0])}"
    if fact.standing is Standing.HERE:
        where = " (not in code)" if fact.only_told else ""
        return Finding(claim.text, Status.HOLDS, f"{claim.text} stands in {fact.place}{where}", grep)
    if fact.standing is Standing.NEVER:
        return Finding(claim.text, Status.UNKNOWN, f"{claim.text} is not in the repository's code", grep)
    left = f" (only told of in {fact.place})" if fact.only_told else ""
    return _gone(claim, fact, written, f"{claim.text} is gone from the code{left}", grep)


def _value(claim: Claim, fact: Fact, written: Written) -> Finding:
    grep = f"git grep -nwF -e {shlex.quote(claim.spellings[0])}"
    if fact.standing is Standing.HERE:
        return Finding(claim.text, Status.HOLDS, f"{claim.text} stands in {fact.place}", grep)
    if fact.standing is Standing.NEVER:
        return Finding(claim.text, Status.UNKNOWN, f"{claim.text} is not in the repository's code", grep)
    now = f"; it is {fact.now} now" if fact.now else ""
    return _gone(claim, fact, written, f"{claim.text} is no more{now}", grep)


def _commit(claim: Claim, fact: Fact, _written: Written) -> Finding:
    show = f"git show --stat {claim.spellings[0]}"
    if fact.standing is Standing.HERE:
        return Finding(claim.text, Status.HOLDS, f"commit {claim.text} is in HEAD's history", show)
    return Finding(claim.text, Status.UNKNOWN, f"commit {claim.text} is not in HEAD's history", show)


def _version(claim: Claim, fact: Fact, written: Written) -> Finding:
    show = f"git grep -niF -e {shlex.quote(claim.spellings[0])} -- {shlex.quote(fact.place)}"
    if fact.standing is Standing.HERE:
        return Finding(claim.text, Status.HOLDS, f"{fact.place} says {fact.now or 'any version'}", show)
    if fact.standing is Standing.NEVER:
        return Finding(claim.text, Status.UNKNOWN, f"{claim.text} never was declared", show)
    now = f"{fact.place} says {fact.now}" if fact.now else f"{fact.place} does not declare it"
    return _gone(claim, fact, written, f"{claim.text} is no more: {now}", show)


def _gone(claim: Claim, fact: Fact, written: Written, what: str, command: str) -> Finding:
    """What was there once: contradicted, if it was there when the memory was written."""
    if fact.event is not None:
        what += f" since {fact.event.sha[:_SHORT]} ({_day(fact.event.authored)})"
        if claim.kind is not Kind.PATH:
            command = f"git show {fact.event.sha[:_SHORT]}"
    else:
        what += " in the work tree, not committed"
    if claim.past:
        return Finding(claim.text, Status.HOLDS, f"{what}, as the memory says", command)
    if claim.weak or not _was_there(fact.event, fact.first, written):
        return Finding(claim.text, Status.UNKNOWN, what, command)
    commit = fact.event.sha if fact.event is not None else ""
    return Finding(claim.text, Status.CONTRADICTED, what, command, commit)


def _was_there(event: Event | None, first: Event | None, written: Written) -> bool:
    """Whether what is gone was there when the memory was written.

    A memory without a date, or with a date that may be too late, is taken by its words: they tell of the present.
    """
    if written.at is None:
        return True
    if first is not None and first.authored > written.at:
        return False
    # The author's date: a branch may have been merged long after what it took away.
    return event is None or event.authored > written.at or not written.sure


def _day(at: float) -> str:
    return _moment(at).strftime("%Y-%m-%d")


def _iso(at: float) -> str:
    return _moment(at).strftime("%Y-%m-%dT%H:%M:%SZ")


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(max(0.0, min(at, 253_402_300_799.0)), UTC)
