"""What was found of a provider on a user's own memories, as text and as a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recall import secrets
from recall.render.document import SCHEMA_VERSION
from recall.testing.checkup import Report
from recall.wording import counted, visible


def document(report: Report) -> dict[str, Any]:
    """The report as a document."""
    return {
        "schema_version": SCHEMA_VERSION,
        "provider": report.provider,
        "kept": report.kept,
        "state": report.state,
        "entries": report.entries,
        "entries_unread": report.unread,
        "memories": report.memories,
        "checked": list(report.checked),
        "not_checked": [{"check": name, "reason": why} for name, why in report.not_checked],
        "findings": [
            {"check": one.about, "fault": _shown(one.fault), "read_on": one.read_on}
            for one in report.findings
        ],
    }


def text(report: Report) -> str:
    """The report for a person."""
    return "".join(f"{visible(line)}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    looked = (
        f"{counted(report.memories, 'memory', 'memories')} in {counted(report.entries, 'entry', 'entries')}"
    )
    verdict = "keeps the contract" if report.kept else counted(len(report.findings), "fault")
    yield f"{report.provider}: {verdict} ({report.state or 'no word of its health'}; {looked})"
    for finding in report.findings:
        yield f"  {finding.about:<10} {_shown(finding.fault)}"
        yield f"  {'':<10} read on: {finding.read_on}"
    yield f"  checked: {', '.join(report.checked)}"
    for why in dict.fromkeys(why for _name, why in report.not_checked):
        names = ", ".join(name for name, reason in report.not_checked if reason == why)
        yield f"  not checked: {names} ({why})"
    if report.unread:
        more = counted(report.unread, "further entry", "further entries")
        yield f"  not read: {more}, so the counts are not compared"


def _shown(text: str) -> str:
    """A fault quotes the provider: without secrets."""
    return visible(secrets.mask(text)[0])
