"""The four views of a journal, as bytes. Pure.

Each is bounded: of long lists the newest are shown and the others counted, so that a save costs the same after years.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from recall.checkpoints import (
    DECISIONS,
    HANDOFF,
    LASTING,
    SESSION,
    SNAPSHOT,
    Closed,
    Contents,
    Record,
    Standing,
    Step,
    sealed,
)

SCHEMA_VERSION = 1  # of SNAPSHOT.json
RECENT = 10  # entries of the session's view
LISTED = 200  # entries of one list
_FULL = "`recall checkpoint list --all` lists every one"


class Seen(NamedTuple):
    """What a view is made from."""

    contents: Contents
    now: Standing
    project: str

    @property
    def at(self) -> str:
        """When the state was that is shown; "" for a journal without a record."""
        return self.contents.records[-1].at if self.contents.records else ""


def made(seen: Seen) -> dict[str, bytes]:
    """Every view by its file's name."""
    texts = {SESSION: _session(seen), HANDOFF: _handoff(seen), DECISIONS: _decisions(seen)}
    lines = {name: "\n".join(text).encode("utf-8") for name, text in texts.items()}
    snapshot = json.dumps(_snapshot(seen), ensure_ascii=False, indent=2).encode("utf-8")
    return {name: sealed(name, body) for name, body in {SNAPSHOT: snapshot, **lines}.items()}


# --- markdown ------------------------------------------------------------------------------------------------


def _session(seen: Seen) -> Iterator[str]:
    yield from _head("Session checkpoint", seen)
    yield from _steps(seen.now.next)
    yield from _section("Blockers", seen.now.of("blocker"))
    yield from _section("Constraints", seen.now.of("constraint"))
    yield from _latest(seen.now, ("milestone", "verification", "handoff"))
    yield from _section("Last entries", seen.contents.records, RECENT, kinds=True)


def _handoff(seen: Seen) -> Iterator[str]:
    yield from _head("Hand-over", seen)
    yield from _latest(seen.now, ("handoff",))
    yield from _steps(seen.now.next)
    yield from _section("Blockers", seen.now.of("blocker"))
    yield from _section("Cautions", seen.now.of("constraint", "abandoned"), kinds=True)
    yield from _latest(seen.now, ("milestone", "verification"))
    yield from _section("Decisions", seen.now.of("decision", "approved", "rejected"), RECENT, kinds=True)


def _decisions(seen: Seen) -> Iterator[str]:
    yield from _head("Decisions", seen)
    for title, kind in (
        ("Decided", "decision"),
        ("Approved", "approved"),
        ("Rejected", "rejected"),
        ("Abandoned", "abandoned"),
        ("Constraints", "constraint"),
    ):
        yield from _section(title, seen.now.of(kind))
    old = [closed for closed in seen.now.closed if closed.record.kind in LASTING]
    if old:
        yield from ("", "## No longer standing", "")
        yield from (_closed(closed) for closed in old[-LISTED:])
        yield from _more(len(old) - LISTED)


def _head(title: str, seen: Seen) -> Iterator[str]:
    last = seen.contents.records[-1] if seen.contents.records else None
    yield f"# {title}: {seen.project}" if seen.project else f"# {title}"
    yield ""
    yield f"Updated: {seen.at or 'never'}"
    yield f"Revision: {seen.contents.revision}"
    if last is not None and (place := _place(last)):
        yield f"Git: {place}"
    if damage := seen.contents.damage_words():
        yield f"Damage in the journal: {damage}; `recall checkpoint verify` shows it"


def _place(record: Record) -> str:
    parts = (record.branch or ("no branch" if record.head else ""), record.head and f"@ {record.head[:7]}")
    return " ".join(filter(None, (*parts, record.worktree and f"(work tree {record.worktree})")))


def _section(
    title: str, records: Sequence[Record], most: int | None = None, *, kinds: bool = False
) -> Iterator[str]:
    if not records:
        return
    most = most or LISTED
    yield from ("", f"## {title}", "")
    for record in reversed(records[-most:]):
        yield from _entry(record, kinds)
    yield from _more(len(records) - most)


def _latest(now: Standing, kinds: Iterable[str]) -> Iterator[str]:
    for kind in kinds:
        if (record := now.last(kind)) is not None:
            yield from ("", f"## Last {kind}", "", *_entry(record, kinds=False))


def _steps(steps: Sequence[Step]) -> Iterator[str]:
    yield from ("", "## Next", "")
    yield from (f"{number}. {step.text} ({step.id})" for number, step in enumerate(steps[:LISTED], 1))
    yield from _more(len(steps) - LISTED)
    if not steps:
        yield "Nothing is named as next."


def _entry(record: Record, kinds: bool) -> Iterator[str]:
    kind = f"{record.kind}: " if kinds else ""
    yield f"- {kind}{_indented(record.text)} ({record.id}, {record.at[:10]})"
    if record.why:
        yield f"  - why: {_indented(record.why, 4)}"
    if record.paths:
        yield f"  - paths: {', '.join(record.paths)}"
    yield from (f"  - evidence: {_indented(text, 4)}" for text in record.evidence)


def _indented(text: str, columns: int = 2) -> str:
    return text.replace("\n", "\n" + " " * columns)


def _closed(closed: Closed) -> str:
    old, by = closed
    first = by.text.partition("\n")[0]
    return f"- {old.kind}: {_indented(old.text)} ({old.id}), closed by {by.id}: {first}"


def _more(count: int) -> Iterator[str]:
    if count > 0:
        yield f"- … {count:,} more; {_FULL}"


# --- JSON ----------------------------------------------------------------------------------------------------


def _snapshot(seen: Seen) -> dict[str, Any]:
    last = seen.contents.records[-1] if seen.contents.records else None
    return {
        "schema_version": SCHEMA_VERSION,
        "project": seen.project,
        "revision": seen.contents.revision,
        "at": seen.at,
        "git": {
            key: getattr(last, key) if last else "" for key in ("branch", "head", "fingerprint", "worktree")
        },
        "entries": len(seen.contents.records),
        "closed": len(seen.now.closed),
        "next": [{"id": step.id, "text": step.text} for step in seen.now.next[:LISTED]],
        "next_count": len(seen.now.next),
        "standing": [item(record) for record in seen.now.entries[-LISTED:]],
        "standing_count": len(seen.now.entries),
        "damage": seen.contents.damage_words(),
    }


def item(record: Record) -> dict[str, Any]:
    """A record as a document has it: all keys, always. Next steps are told apart from it: they may be done."""
    fields = record._asdict()
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in fields.items()
        if key not in ("line", "next")
    }
