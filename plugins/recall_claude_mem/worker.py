"""claude-mem's worker, asked over HTTP: whether it is ready, whose it is, and for rows.

It is never started, and told nothing: only the paths named here are asked, each of which only reads. `/v1` is never
one of them: there, a request that is refused has created tables in the user's database before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from recall.api import Deadline
from recall.errors import StoreAbsent, StoreBroken, StoreBusy
from recall.files import display_path
from recall.transport.http import Answer, Client, Kind
from recall.transport.said import first_line
from recall_claude_mem import doors
from recall_claude_mem.doors import Door, Doors
from recall_claude_mem.tables import OBSERVATIONS, PROMPTS, SUMMARIES

_READINESS = "/api/readiness"
_STATS = "/api/stats"
_CHROMA = "/api/chroma/status"
_PROJECTS = "/api/projects"
_SEARCH = "/api/search"
_QUEUE = "/api/processing-status"
_DEPENDENCIES = "/api/settings/dependency-health"

_UNANSWERED = (Kind.TIMED_OUT, Kind.DRIPPED)
_MOST_LACKING = 10  # lines of what it lacks
_CATEGORIES = {"observations": OBSERVATIONS, "sessions": SUMMARIES, "prompts": PROMPTS}
_NOT_RUNNING = "it runs while Claude Code does; the database is read without it"
_SINCE = "2000-01-01"  # without a date, a semantic search looks at the last 90 days only


class Worker(NamedTuple):
    """The worker of a database, as it was found."""

    door: Door
    version: str
    semantic: bool  # whether it searches by meaning just now
    vectors: str  # how its vector store is, in its own word; "" in releases that do not tell

    @property
    def url(self) -> str:
        """Without a path."""
        return self.door.url


class Page(NamedTuple):
    """What the worker gave for one request."""

    url: str
    body: str
    rows: tuple[tuple[str, Mapping[str, Any]], ...]  # a table's name, and a row of it


def find(client: Client, may_be: Doors, database: Path, deadline: Deadline) -> Worker:
    """The worker that has this database open; raises StoreAbsent, StoreBusy or StoreBroken, with what was found."""
    if may_be.elsewhere:
        reason = f"the worker is on another machine ({may_be.elsewhere}), which is not asked"
        raise StoreBroken(reason, "set CLAUDE_MEM_WORKER_HOST to 127.0.0.1")
    trouble: StoreBusy | StoreBroken | None = None
    for left, door in zip(range(len(may_be.found), 0, -1), may_be.found, strict=True):
        # Each has its share of the time: one that accepts and says nothing must not hide the next.
        share = deadline.earlier(deadline.remaining() * (1 - 1 / left))
        try:
            found = _owned(client, door, database, share)
        except (StoreBusy, StoreBroken) as error:
            trouble = trouble or error
            continue
        if found is not None:
            return found
    if trouble is not None:
        raise trouble
    raise StoreAbsent(f"no worker is running: nobody listens at {doors.told(may_be.found)}", _NOT_RUNNING)


def projects(client: Client, worker: Worker, deadline: Deadline) -> tuple[str, ...]:
    """The labels that the worker knows; raises StoreBusy or StoreBroken."""
    value = _value(client.get(worker.url + _PROJECTS, deadline), worker.door)
    named = value.get("projects")
    return tuple(name for name in named if isinstance(name, str)) if isinstance(named, list) else ()


def search(
    client: Client, worker: Worker, words: str, label: str | None, limit: int, deadline: Deadline
) -> Page:
    """Rows for some words, of one project or of all; raises StoreBusy or StoreBroken."""
    asked = {"query": words, "limit": str(limit), "format": "json"}
    asked |= {"project": label} if label is not None else {}
    asked |= {"dateStart": _SINCE} if worker.semantic else {}
    url = f"{worker.url}{_SEARCH}?{urlencode(asked, quote_via=quote)}"
    answer = client.get(url, deadline)
    value = _value(answer, worker.door)
    if not any(isinstance(value.get(category), list) for category in _CATEGORIES):
        raise StoreBroken(f"the worker at port {worker.door.port} answers a search in another form than rows")
    return Page(url, answer.body.decode("utf-8", "replace"), tuple(_rows(value)))


def facts(client: Client, worker: Worker, deadline: Deadline) -> list[str]:
    """What the worker tells of itself, for doctor; what it does not tell is left out."""
    found = [f"worker {worker.version} at port {worker.door.port} ({worker.door.because}): ready"]
    if worker.vectors:
        found.append(f"its search by meaning: {worker.vectors}")
    queue = client.get(worker.url + _QUEUE, deadline, attempts=1).value
    if isinstance(queue, dict):
        waiting, parked = queue.get("queueDepth", 0), queue.get("parkedSessions", 0)
        found.append(first_line(f"its queue: {waiting} waiting, {parked} sessions parked"))
    told = client.get(worker.url + _DEPENDENCIES, deadline, attempts=1).value
    statuses = told.get("statuses") if isinstance(told, dict) else None
    lacking = [one for one in statuses if isinstance(one, dict)] if isinstance(statuses, list) else []
    for status in lacking[:_MOST_LACKING]:
        found.append(
            first_line(f"it lacks {status.get('dependency')}: {str(status.get('message', '')).strip()}")
        )
    if more := lacking[_MOST_LACKING:]:
        found.append(f"it lacks {len(more)} more")
    return found


def _owned(client: Client, door: Door, database: Path, deadline: Deadline) -> Worker | None:
    """The worker at a port if it has this database open; None if nobody listens there."""
    ready = client.get(
        door.url + _READINESS, deadline, attempts=1
    )  # not health: that is well without a database
    if ready.kind is Kind.REFUSED:
        return None
    if ready.kind in _UNANSWERED:
        raise StoreBusy(f"port {door.port} ({door.because}) {_unanswered(ready)}", _NOT_RUNNING)
    if ready.status == 503:
        step = "if it stays so, look into claude-mem's logs: it may not be able to open its database"
        raise StoreBusy(f"the worker at port {door.port} is not ready", step)
    if not (ready.ok and isinstance(ready.value, dict) and ready.value.get("status") == "ready"):
        raise StoreBroken(f"another program answers at port {door.port} ({door.because})", _NOT_RUNNING)
    stats = _value(client.get(door.url + _STATS, deadline), door)
    told, itself = stats.get("database"), stats.get("worker")
    path = told.get("path") if isinstance(told, dict) else None
    if not isinstance(path, str) or not _same(path, database):
        whose = (
            first_line(display_path(path)) if isinstance(path, str) else "a database that it does not name"
        )
        raise StoreBroken(
            f"the worker at port {door.port} ({door.because}) is another's: of {whose}", _NOT_RUNNING
        )
    version = itself.get("version") if isinstance(itself, dict) else None
    chroma = client.get(door.url + _CHROMA, deadline, attempts=1).value
    vectors = chroma.get("status") if isinstance(chroma, dict) else None
    vectors = first_line(vectors) if isinstance(vectors, str) else ""
    return Worker(door, first_line(str(version or "of unknown version")), vectors == "healthy", vectors)


def _rows(value: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for category, table in _CATEGORIES.items():
        listed = value.get(category)
        for row in listed if isinstance(listed, list) else ():
            number = row.get("id") if isinstance(row, dict) else None
            if isinstance(number, int) and not isinstance(number, bool):
                yield table, row


def _value(answer: Answer, door: Door) -> Mapping[str, Any]:
    """An answer's object; raises StoreBusy or StoreBroken for what is none."""
    if answer.kind in _UNANSWERED:
        raise StoreBusy(f"the worker at port {door.port} {_unanswered(answer)}", "ask with a longer deadline")
    if answer.retryable:
        raise StoreBusy(f"the worker at port {door.port} did not answer: {answer.reason}", "ask again")
    if not answer.ok:
        raise StoreBroken(f"the worker at port {door.port} did not answer: {answer.reason}")
    if not isinstance(answer.value, dict):
        raise StoreBroken(f"the worker at port {door.port} answers in another form than expected")
    return answer.value


def _unanswered(answer: Answer) -> str:
    dripped = answer.kind is Kind.DRIPPED
    return "answers too slowly" if dripped else "accepts and says nothing in time"


def _same(told: str, database: Path) -> bool:
    """Whether both are one file, by whatever names; a path that cannot be looked at is compared as it is written."""
    try:
        return os.path.samefile(told, database)
    except (OSError, ValueError):
        return os.path.normpath(told) == os.path.normpath(database)
