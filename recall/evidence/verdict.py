"""Claims and facts to a verdict with reasons, and commands that show them. Pure.

| verdict       | when                                                                                     |
|---------------|------------------------------------------------------------------------------------------|
| contradicted  | something that was there when the memory was written is gone, or has another value now; |
|               | among many claims, at least one in five of those that could be decided                   |
| changed since | a file it names was changed after its date, or less than one claim in five is gone       |
| current       | what it names is there, and no file it names was changed since                           |
| unverifiable  | it names nothing that this repository ever knew, only what was gone when it was written, or      |
|               | something that is not as it says, and of which it cannot be shown that it ever was so          |
| not checked   | there was no time, or no repository                                                      |

Being wrong about "contradicted" is worse than missing one. So nothing is contradicted by what the memory itself
tells as past, or may tell as past, by what may be prose ("and/or"), by what was gone before it was written, or by what
never was. Being wrong about "current" comes next: what is gone, or has another value, never makes a memory current.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from recall.evidence.claims import Claim, Kind
from recall.evidence.commands import Commands
from recall.evidence.facts import Fact, Standing
from recall.evidence.history import Event
from recall.evidence.outline import Tense
from recall.evidence.result import Evidence, Finding, Status, Verdict
from recall.git.shown import safe
from recall.wording import counted

_SHARE = 0.2  # of the decided claims: from it on, what is gone contradicts the memory as a whole
_ORDER = (
    Status.CONTRADICTED,
    Status.CHANGED,
    Status.UNREAD,
    Status.UNCLEAR,
    Status.HOLDS,
    Status.UNKNOWN,
)
_WITH_VALUE = (Kind.VALUE, Kind.VERSION)
SHORT = 10  # characters of a commit's id


class Written(NamedTuple):
    """When a memory was written."""

    at: float | None  # epoch seconds; None if it is not known
    # Whether it may be taken for later than what it is compared with. A file's date may be that of a copy or a
    # checkout: what is older than it need not be older than the text.
    sure: bool = True
    origin: str = ""  # where the repository tells it; "" if it is the memory's own
    commit: Event | None = (
        None  # whose date it is: of the commits of the same second, descent tells which were later
    )

    def before(self, event: Event, dated: float) -> bool:
        """Whether it was written before a commit of that date."""
        if self.at is None or self.commit is None or dated != self.at:
            return self.at is not None and dated > self.at
        return event.place > self.commit.place


class _Memory(NamedTuple):
    """What is to be known of a memory beside one claim."""

    written: Written
    show: Commands
    names: frozenset[str]  # the paths that it names
    # Names and dependencies of which it tells the value or version that they have now: an older one beside it is told
    # as what was, or is compared with it.
    knows: frozenset[str] = frozenset()


def judge(
    checked: Sequence[tuple[Claim, Fact]], written: Written, more: int = 0, show: Commands | None = None
) -> Evidence:
    """The verdict on a memory.

    more: claims beyond those that were checked; show: makes the commands.
    """
    names = frozenset(spelling for claim, _fact in checked for spelling in claim.spellings)
    knows = frozenset(
        claim.spellings[0].lower()
        for claim, fact in checked
        if claim.kind in _WITH_VALUE and fact.standing is Standing.HERE
    )
    memory = _Memory(written, show or Commands(), names, knows)
    findings = [finding for claim, fact in checked if (finding := _finding(claim, fact, memory))]
    findings.sort(key=lambda finding: _ORDER.index(finding.status))
    return Evidence(_verdict(findings), tuple(findings), _reason(findings), more, written.at, written.origin)


def _verdict(findings: Sequence[Finding]) -> Verdict:
    counts = {status: sum(finding.status is status for finding in findings) for status in Status}
    wrong, changed, holds = counts[Status.CONTRADICTED], counts[Status.CHANGED], counts[Status.HOLDS]
    if wrong and wrong >= _SHARE * (wrong + changed + holds):
        return Verdict.CONTRADICTED
    if wrong or changed:
        return Verdict.CHANGED
    if counts[Status.UNREAD]:
        return Verdict.NOT_CHECKED
    return Verdict.CURRENT if holds and not counts[Status.UNCLEAR] else Verdict.UNVERIFIABLE


def _reason(findings: Sequence[Finding]) -> str:
    if not findings:
        return "it names nothing that the repository could confirm"
    if findings[0].status is Status.UNKNOWN:
        return "nothing that it names is known to the repository"
    return ""


def _finding(claim: Claim, fact: Fact, memory: _Memory) -> Finding | None:
    if fact.standing is Standing.UNREAD:
        return Finding(claim.text, Status.UNREAD, f"{claim.text}: not checked, {fact.reason}")
    if fact.standing is Standing.HERE and claim.tense is Tense.PAST:
        return None  # it was given up in one place, and stands in another
    found = JUDGES[claim.kind](claim, fact, memory)
    # What may be prose, or another project's number, is not worth a line when the repository does not know it.
    quiet = claim.weak or claim.kind in (Kind.VALUE, Kind.PORT, Kind.VERSION)
    if found.status is Status.UNKNOWN and quiet:
        return None
    return found._replace(reason=safe(found.reason), command=safe(found.command))


def _path(claim: Claim, fact: Fact, memory: _Memory) -> Finding:
    name = fact.place or claim.text
    log = memory.show.log(name)
    if fact.standing is Standing.NEVER:
        return Finding(claim.text, Status.UNKNOWN, f"{claim.text} never was in this repository", log)
    if fact.standing is Standing.GONE:
        moved = f"renamed to {fact.now}" if fact.now else "gone"
        return _gone(claim, fact, memory, f"{name} is {moved}", log)
    if memory.written.at is None or name.endswith("/"):
        return Finding(claim.text, Status.HOLDS, f"{name} is there", memory.show.files(name))
    return _changed(claim, fact, memory.written, memory.written.at, memory.show, name)


def _changed(claim: Claim, fact: Fact, written: Written, at: float, show: Commands, name: str) -> Finding:
    since = show.log(name, _iso(at))
    later = [event for event in fact.touches if written.before(event, event.committed)]
    # A memory that is older than a file names what was to come: that it came is no change.
    made = bool(later) and fact.whole and len(later) == len(fact.touches)
    if count := len(later) - made:
        at_least = "" if fact.whole else "at least "
        after = f"it was made on {day(later[-1].committed)}" if made else day(at)
        reason = f"{name} was changed by {at_least}{counted(count, 'commit')} since {after}"
        return Finding(claim.text, Status.CHANGED, reason, since)
    if fact.edited and fact.modified is not None and fact.modified > at:
        command = show.diff(name) if fact.touches else show.status(name)
        return Finding(claim.text, Status.CHANGED, f"{name} has changes that are not committed", command)
    if not fact.whole:
        reason = f"{name} is there; {fact.reason or 'its history is not read yet'}"
        return Finding(claim.text, Status.UNREAD, reason, show.log(name))
    if fact.edited is None and fact.modified is not None and fact.modified > at:
        reason = f"{name} is there; it could not be compared with the last commit, {fact.reason}"
        return Finding(claim.text, Status.UNREAD, reason, show.diff(name))
    reason = f"{name} is there, unchanged since {day(later[-1].committed if made else at)}"
    return Finding(claim.text, Status.HOLDS, reason, since)


def _name(claim: Claim, fact: Fact, memory: _Memory) -> Finding:
    if fact.standing is Standing.HERE:
        return _stands(claim, fact, memory)
    grep = memory.show.grep(claim.spellings)
    if fact.standing is Standing.NEVER:
        return Finding(claim.text, Status.UNKNOWN, f"{claim.text} is not in the repository's code", grep)
    left = f" (only told of in {fact.place})" if fact.only_told else ""
    return _gone(claim, fact, memory, f"{claim.text} is gone from the code{left}", grep)


def _stands(claim: Claim, fact: Fact, memory: _Memory) -> Finding:
    where = " (not in code)" if fact.only_told else ""
    command = memory.show.grep([fact.word or claim.spellings[0]], fact.file, option=fact.option)
    return Finding(claim.text, Status.HOLDS, f"{claim.text} stands in {fact.place}{where}", command)


def _value(claim: Claim, fact: Fact, memory: _Memory) -> Finding:
    if fact.standing is Standing.HERE:
        return _stands(claim, fact, memory)
    grep = memory.show.grep(claim.spellings[:1], fact.file)
    if fact.standing is Standing.NEVER and fact.now and not claim.weak and claim.tense is Tense.PRESENT:
        what = f"{claim.spellings[0]} is {fact.now} now"
        if claim.kind is Kind.PORT:
            what, grep = f"{fact.place} has port {fact.now}, not {claim.value}", memory.show.files(fact.file)
        return Finding(claim.text, Status.UNCLEAR, what, grep)
    if fact.standing is Standing.NEVER:
        return Finding(claim.text, Status.UNKNOWN, f"{claim.text} is not in the repository's code", grep)
    now = f"; it is {fact.now} now" if fact.now else ""
    return _gone(claim, fact, memory, f"{claim.text} is no more{now}", grep)


def _commit(claim: Claim, fact: Fact, memory: _Memory) -> Finding:
    show = memory.show.show(claim.spellings[0], stat=True)
    if fact.standing is Standing.HERE:
        return Finding(claim.text, Status.HOLDS, f"commit {claim.text} is in HEAD's history", show)
    return Finding(claim.text, Status.UNKNOWN, f"commit {claim.text} is not in HEAD's history", show)


def _version(claim: Claim, fact: Fact, memory: _Memory) -> Finding:
    show = memory.show.grep(claim.spellings[:1], fact.place, word=False)
    if fact.standing is Standing.HERE:
        return Finding(claim.text, Status.HOLDS, f"{fact.place} says {fact.now or 'any version'}", show)
    now = f"{fact.place} says {fact.now}" if fact.now else f"{fact.place} does not declare it"
    if fact.standing is Standing.NEVER:
        # "4 requests" may be the plural of a word; "requests 4.1" and "requests>=4" are not.
        exact = bool(claim.operator) or "." in claim.value or claim.spellings[0] != claim.spellings[0].lower()
        told = exact and bool(fact.now) and claim.tense is Tense.PRESENT
        reason = f"{claim.text} is not what {now}" if told else f"{claim.text} never was declared"
        return Finding(claim.text, Status.UNCLEAR if told else Status.UNKNOWN, reason, show)
    return _gone(claim, fact, memory, f"{claim.text} is no more: {now}", show)


def _gone(claim: Claim, fact: Fact, memory: _Memory, what: str, command: str) -> Finding:
    """What was there once: contradicted, if it was there when the memory was written."""
    if fact.event is not None:
        what += f" since {fact.event.sha[:SHORT]} ({day(fact.event.authored)})"
        if claim.kind is not Kind.PATH:
            command = memory.show.show(fact.event.sha[:SHORT])
    else:
        what += " in the work tree, not committed"
    unclear = claim.tense is Tense.UNCLEAR or not _was_there(fact.event, fact.first, memory.written)
    # A memory that names where it went knows that it went.
    if claim.tense is Tense.PAST or (unclear and _names_target(memory.names, claim, fact)):
        return Finding(claim.text, Status.HOLDS, f"{what}, as the memory says", command)
    if claim.weak:
        return Finding(claim.text, Status.UNKNOWN, what, command)
    if unclear or _knows_better(claim, fact, memory):
        return Finding(claim.text, Status.UNCLEAR, what, command)
    commit = fact.event.sha if fact.event is not None else ""
    return Finding(claim.text, Status.CONTRADICTED, what, command, commit)


def _knows_better(claim: Claim, fact: Fact, memory: _Memory) -> bool:
    """Whether a memory tells, beside what is no more, what is there in its place."""
    if claim.kind in _WITH_VALUE:
        return claim.spellings[0].lower() in memory.knows
    folder = fact.now.rpartition("/")[0]
    old = (fact.place or claim.text).rpartition("/")[0]
    into = folder != old and not memory.names.isdisjoint((folder, f"{folder}/"))
    return _names_target(memory.names, claim, fact) or (claim.kind is Kind.PATH and folder != "" and into)


def _names_target(names: Collection[str], claim: Claim, fact: Fact) -> bool:
    """Whether a memory names the path that a file was renamed to."""
    return (
        claim.kind is Kind.PATH
        and fact.now != ""
        and any(fact.now == name or fact.now.endswith(f"/{name}") for name in names)
    )


def _was_there(event: Event | None, first: Event | None, written: Written) -> bool:
    """Whether what is gone was there when the memory was written.

    A memory without a date, or with a date that may be too late, is taken by its words: they tell of the present.
    """
    if written.at is None:
        return True
    if first is not None and written.before(first, first.authored):
        return False
    # The author's date: a branch may have been merged long after what it took away.
    return event is None or written.before(event, event.authored) or not written.sure


def day(at: float) -> str:
    """A date as findings tell it."""
    return _moment(at).strftime("%Y-%m-%d")


def _iso(at: float) -> str:
    return _moment(at).strftime("%Y-%m-%dT%H:%M:%SZ")


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(max(0.0, min(at, 253_402_300_799.0)), UTC)


# Every kind has its judge; a test holds that.
JUDGES: dict[Kind, Callable[[Claim, Fact, _Memory], Finding]] = {
    Kind.PATH: _path,
    Kind.NAME: _name,
    Kind.VALUE: _value,
    Kind.PORT: _value,
    Kind.COMMIT: _commit,
    Kind.VERSION: _version,
}
