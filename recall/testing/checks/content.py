"""What a provider gives to read: ids, stamps, dates, texts, problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from recall.api import Memory
from recall.intake import memory_uri
from recall.testing.finding import Finding
from recall.testing.look import Read
from recall.uri import canonical

_SHOWN = 3  # examples in one message


def kinds(read: Read) -> Iterator[Finding]:
    """Nothing but entries, memories and problems comes back."""
    for name, count in Counter(read.other).items():
        yield Finding(
            "results",
            f"{count} times {name} came back: entries gives Entry and Problem, load Memory and Problem",
        )


def unique(read: Read) -> Iterator[Finding]:
    """No two entries have one key, no two memories one id."""
    for what, names in (("key", [entry.key for entry in read.entries]), ("id", list(read.ids))):
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            yield Finding(
                "ids",
                f"the same {what} twice ({_some(twice)}): of two with one {what} only one is ever found",
            )
    if any(not memory_id for memory_id in read.ids):
        yield Finding("ids", "a memory has no id")


def stable(first: Read, second: Read) -> Iterator[Finding]:
    """Two looks at an unchanged store give the same keys, ids and stamps."""
    moved = set(first.ids) ^ set(second.ids)
    if moved:
        yield Finding(
            "ids",
            f"ids differ between two looks ({_some(moved)}): make them of what stays, a path or a row's id",
        )
    keys = first.stamps.keys() ^ second.stamps.keys()
    if keys:
        yield Finding("ids", f"keys differ between two looks ({_some(keys)}): an entry keeps its key")
    changed = [key for key in first.stamps if second.stamps.get(key, first.stamps[key]) != first.stamps[key]]
    if changed:
        yield Finding(
            "stamps",
            f"stamps changed while nothing did ({_some(changed)}): every question would read it all again",
        )


def uris(name: str, memories: Iterable[Memory]) -> Iterator[Finding]:
    """Each id makes a uri of its own that leads back to it."""
    seen: dict[str, str] = {}
    for memory in memories:
        uri = memory_uri(name, memory.id)
        if canonical(uri) != uri or len(uri) > 2_000 or not memory.id.strip():
            yield Finding("ids", f"the id {memory.id[:100]!r} makes no uri that can be shown: {uri[:200]}")
        if seen.setdefault(uri, memory.id) != memory.id:
            yield Finding("ids", f"the ids {seen[uri]!a} and {memory.id!a} are the same uri: {uri}")


def dates(memories: Iterable[Memory]) -> Iterator[Finding]:
    """Dates are UTC, and say where they come from."""
    for memory in memories:
        for field in ("created", "updated"):
            moment = getattr(memory, field)
            if moment is None:
                continue
            if not isinstance(moment, datetime) or moment.utcoffset() != timedelta(0):
                yield Finding(
                    "dates",
                    f"{field} of {memory.id!r} is {moment!r}, not UTC: utc_from_epoch and utc_from_text make it so",
                )
            elif not memory.date_origin.strip():
                yield Finding(
                    "dates",
                    f"{memory.id!r} has a date of {field} without a date_origin: "
                    'say who tells it ("front matter", "database", "file time")',
                )


def texts(memories: Iterable[Memory]) -> Iterator[Finding]:
    """A memory says something."""
    for memory in memories:
        if not memory.text.strip():
            yield Finding(
                "text", f"{memory.id!r} has no text: what says nothing is no memory, give nothing for it"
            )


def problems(read: Read) -> Iterator[Finding]:
    """A problem says where and why, in one line."""
    for problem in read.problems:
        if not problem.where.strip() or not problem.reason.strip() or "\n" in problem.reason.strip():
            yield Finding(
                "problems",
                f"a problem says {problem.where!r}: {problem.reason!r}: where is what the user looks for, "
                "reason is one line",
            )


def _some(names: Iterable[str]) -> str:
    found = sorted(names)
    more = f" and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
    return ", ".join(repr(name) for name in found[:_SHOWN]) + more
