"""Commits as memories: each is true of its own moment, and what is asked is whether it still is.

What its message names is compared with the repository like any memory's claims. What the commit itself took away is no
claim of it: that it is gone is what the commit did. What it left behind, and a later commit changed, makes it `changed
since`; that moves nothing by itself, since nearly every old commit is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recall.evidence.claims import Claim, Claims, Kind
from recall.evidence.commands import Commands
from recall.evidence.facts import Fact, Standing
from recall.evidence.history import Event, History
from recall.evidence.lookup import words_of
from recall.evidence.result import COMMITS, Evidence, Finding, Status, Verdict
from recall.evidence.verdict import SHORT, Written, day, judge
from recall.git.shown import safe
from recall.index import Row
from recall.wording import counted

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MOST_FILES = 10  # of one commit that are looked at: one of more files is about none of them
_TOUCHED = re.compile(r"(?:(?:changed|added|deleted|renamed): .*|and [\d,]+ more files)")
_ELSEWHERE = "it is not in HEAD's history"


class Commit(NamedTuple):
    """A commit of HEAD's history, and the files it left behind."""

    event: Event
    left: tuple[Claim, ...]


def sha_of(row: Row) -> str:
    """A commit's whole id by its memory; "" for any other memory."""
    sha = row.uri.removeprefix(COMMITS)
    return sha if sha != row.uri and _SHA.fullmatch(sha) else ""


def message_of(row: Row) -> str:
    """What somebody wrote of a commit, without the list of the paths it touched."""
    message, _, last = row.text.rpartition("\n\n")
    return message if all(map(_TOUCHED.fullmatch, last.split("\n"))) else row.text


def found(history: History, sha: str) -> Commit | None:
    """The commit as the history has it; None if it is not in HEAD's, or not read yet."""
    event = history.commit(sha)
    if event is None:
        return None
    return Commit(event, tuple(Claim(Kind.PATH, name, (name,)) for name in history.left(sha, _MOST_FILES)))


def judged(
    claims: Claims, facts: Mapping[Claim, Fact], commit: Commit | None, history: History, show: Commands
) -> Evidence:
    """The verdict on a commit."""
    if commit is None:
        if history.knows_paths():
            return Evidence(Verdict.UNVERIFIABLE, reason=_ELSEWHERE)
        return Evidence(Verdict.NOT_CHECKED, reason=history.unread())
    own = commit.event.sha
    checked = [
        (claim, _since(facts[claim]))
        for claim in claims.claims
        if claim not in commit.left and not _took(claim, facts[claim], own, history)
    ]
    said = judge(checked, Written(commit.event.committed, commit=commit.event), claims.more, show)
    did = [_left(facts[claim], claim.text, commit.event, show) for claim in commit.left]
    findings = [_then(one, own) for one in said.findings] + did
    findings.sort(key=lambda one: list(_WEIGHT).index(one.status))
    verdict = _verdict(said, did)
    reason = said.reason if not findings else ""
    if verdict in (Verdict.CURRENT, Verdict.UNVERIFIABLE) and not history.knows_paths():
        verdict, reason = Verdict.NOT_CHECKED, history.unread()
    return said._replace(verdict=verdict, findings=tuple(findings), reason=reason)


_WEIGHT = (
    Status.CONTRADICTED,
    Status.CHANGED,
    Status.UNREAD,
    Status.UNCLEAR,
    Status.HOLDS,
    Status.UNKNOWN,
)


def _verdict(said: Evidence, did: Sequence[Finding]) -> Verdict:
    """Of what it says, and of what it did: the worse one, but nothing that it did can be contradicted."""
    if said.contradicted:
        return said.verdict
    states = {one.status for one in did}
    if said.verdict is Verdict.CHANGED or Status.CHANGED in states:
        return Verdict.CHANGED
    if said.verdict is Verdict.NOT_CHECKED or Status.UNREAD in states:
        return Verdict.NOT_CHECKED
    unclear = any(one.status is Status.UNCLEAR for one in said.findings)
    return Verdict.CURRENT if Status.HOLDS in states and not unclear else said.verdict


def _since(fact: Fact) -> Fact:
    """The fact by the order in which commits were made: their authors' dates outlive a rebase."""
    if fact.event is None:
        return fact
    return fact._replace(event=fact.event._replace(authored=fact.event.committed))


def _took(claim: Claim, fact: Fact, sha: str, history: History) -> bool:
    """Whether the commit itself took away what its message names."""
    if fact.event is not None and fact.event.sha == sha:
        return True
    if claim.kind is Kind.PATH:
        return any(history.let_path_go(sha, name) for name in {fact.place, *claim.spellings} - {""})
    return any(history.took(sha, word) for word in words_of(claim))


def _then(finding: Finding, sha: str) -> Finding:
    if finding.status is not Status.CONTRADICTED:
        return finding
    return finding._replace(reason=f"was so at {sha[:SHORT]}; {finding.reason}")


def _left(fact: Fact, name: str, commit: Event, show: Commands) -> Finding:
    """What became of a file since the commit."""
    found = _became(fact, fact.place or name, commit, show)
    return found._replace(reason=safe(found.reason), command=safe(found.command))


def _became(fact: Fact, name: str, commit: Event, show: Commands) -> Finding:
    was, log = f"{name} as of {commit.sha[:SHORT]}", show.log(name, after=commit.sha[:SHORT])
    if fact.standing is Standing.UNREAD:
        return Finding(name, Status.UNREAD, f"{name}: not checked, {fact.reason}")
    if fact.standing is not Standing.HERE:
        moved = f"renamed to {fact.now}" if fact.now else "gone"
        since = f" since {_told(fact.event)}" if fact.event else " in the work tree, not committed"
        return Finding(name, Status.CHANGED, f"{was} is {moved}{since}", log)
    if later := [event for event in fact.touches if event.order > commit.order]:
        by = "" if len(later) == 1 else f"{counted(len(later), 'commit')}, the last "
        return Finding(name, Status.CHANGED, f"{was} was since changed by {by}{_told(later[0])}", log)
    if fact.edited and fact.modified is not None and fact.modified > commit.committed:
        return Finding(name, Status.CHANGED, f"{name} has changes that are not committed", show.diff(name))
    if not fact.whole:
        return Finding(name, Status.UNREAD, f"{name} is there; {fact.reason}", log)
    return Finding(name, Status.HOLDS, f"{name} is as {commit.sha[:SHORT]} left it", log)


def _told(event: Event) -> str:
    return f"{event.sha[:SHORT]} ({day(event.committed)})"
