"""What the counts amount to: a state, its reason, and what the user can do about it."""

from __future__ import annotations

import os
from datetime import timedelta

from recall.api import Health, State
from recall.errors import StoreBroken, StoreBusy
from recall.files import display_path, is_folder
from recall_claude_mem.place import Place, Wanted
from recall_claude_mem.survey import Counts
from recall_claude_mem.tables import OBSERVATIONS, PROMPTS, SUMMARIES, TOOL_USES

CAPTURE_ONLY = "captures prompts, stores no observations"
_LAG = timedelta(days=7)  # prompts without a single observation for that long: nothing is distilled any more
_PROJECTS_NAMED = 5
_USE_IT = "work in Claude Code with claude-mem switched on; observations appear after the first tool uses"
_NOT_READ = "read claude-mem's memories through its server, or set CLAUDE_MEM_RUNTIME back to worker"


def verdict(place: Place, wanted: Wanted, counts: Counts, observer: tuple[str, ...] = ()) -> Health:
    """The health of a database that could be read; observer: facts of its capture."""
    state, reason, next_step = _state(place, counts)
    return Health(
        state=state,
        items=counts.real,
        in_scope=counts.in_scope,
        reason=reason,
        next_step=next_step,
        newest=counts.newest,
        facts=(*place.facts, *_facts(wanted, counts), *observer),
        problems=place.problems,
        places=(display_path(place.database),),
    )


def without_counts(place: Place, state: State, reason: str, next_step: str) -> Health:
    """The health when nothing could be counted."""
    items = 0 if state in (State.EMPTY, State.ABSENT) else None
    where = (display_path(place.database),)
    return Health(state, items, None, reason, next_step, None, place.facts, place.problems, where)


def without_database(place: Place) -> Health:
    """There is no database file."""
    if place.is_elsewhere:
        return elsewhere(place)
    if is_folder(place.data):
        reason = "claude-mem is installed and has never captured anything (no database file)"
        return without_counts(place, State.EMPTY, reason, _USE_IT)
    shown, data_dir = display_path(place.data), "set providers.claude-mem.data_dir"
    if os.path.exists(place.data):
        return without_counts(place, State.BROKEN, f"{shown} is not a folder", f"move it away, or {data_dir}")
    reason = f"no claude-mem data folder ({shown})"
    return without_counts(place, State.ABSENT, reason, f"install claude-mem, or {data_dir}")


def elsewhere(place: Place) -> Health:
    """claude-mem runs, with its memories in another store."""
    reason = f"other backend: CLAUDE_MEM_RUNTIME is {place.runtime}, which keeps memories in a server"
    return without_counts(place, State.OFF, reason, _NOT_READ)


def unread(place: Place, error: StoreBusy | StoreBroken, log_bytes: int) -> Health:
    """The database is there and could not be read."""
    if isinstance(error, StoreBusy):
        return without_counts(place, State.BUSY, str(error), error.next_step or "try again in a moment")
    reason, next_step = str(error), error.next_step or "restore it from claude-mem's backups folder"
    if log_bytes and "damaged" in reason:
        reason += f"; its write-ahead log ({log_bytes:,} bytes) may be all that is damaged"
        next_step = "stop claude-mem, so that it closes the database, then `recall doctor`"
    return without_counts(place, State.BROKEN, reason, next_step)


def _state(place: Place, counts: Counts) -> tuple[State, str, str]:
    distilled = counts.of(OBSERVATIONS) + counts.of(SUMMARIES)
    captured = counts.of(PROMPTS) + counts.of(TOOL_USES)
    if not counts.real and place.is_elsewhere:
        health = elsewhere(place)
        return health.state, health.reason, health.next_step
    if not distilled and captured:
        state = State.DEGRADED if counts.real else State.EMPTY
        logs = display_path(place.data / "logs")
        return state, CAPTURE_ONLY, f"look into {logs}: the observer needs a working login of its model"
    if not counts.real:
        return State.EMPTY, _why_empty(counts, distilled), _USE_IT
    if place.is_elsewhere:
        health = elsewhere(place)
        return State.DEGRADED, f"{health.reason}; only the local database is read", health.next_step
    newest, prompt = counts.newest_distilled, counts.newest_prompt
    if newest and prompt and prompt - newest > _LAG:
        reason = f"prompts were captured until {prompt:%Y-%m-%d}, observations only until {newest:%Y-%m-%d}"
        return State.DEGRADED, reason, f"look into {display_path(place.data / 'logs')}: nothing is distilled"
    return State.READY, "", ""


def _why_empty(counts: Counts, distilled: int) -> str:
    if OBSERVATIONS not in counts.tables:
        return (
            "the database has no observations table: claude-mem is installed and has never captured anything"
        )
    if counts.observer:
        return "nothing but claude-mem's own observer sessions"
    return f"{distilled:,} rows, none with content" if distilled else "no observations, summaries or prompts"


def _facts(wanted: Wanted, counts: Counts) -> list[str]:
    facts = [_inventory(wanted, counts)] if counts.rows else []
    distilled = counts.of(OBSERVATIONS) + counts.of(SUMMARIES) + (counts.of(PROMPTS) if wanted.prompts else 0)
    if counts.observer:
        facts.append(f"{counts.observer:,} rows of claude-mem watching itself, left out")
    if counts.real and (blank := distilled - counts.real - counts.observer):
        facts.append(f"{blank:,} rows blank or the observer's own words, left out")
    if counts.real and not counts.in_scope:
        facts.append(_other_projects(counts))
    if OBSERVATIONS in counts.tables and counts.indexed != counts.of(OBSERVATIONS):
        held = "is missing" if counts.indexed is None else f"holds {counts.indexed:,} observations"
        facts.append(f"claude-mem's own full-text index {held}; recall does not use it")
    return facts


def _inventory(wanted: Wanted, counts: Counts) -> str:
    """ "45 observations, 6 summaries, 12 prompts (not served), 3 tool uses (never served)"."""
    parts = [
        _counted(counts.of(OBSERVATIONS), "observation", "observations"),
        _counted(counts.of(SUMMARIES), "summary", "summaries"),
    ]
    if PROMPTS in counts.tables:
        served = "" if wanted.prompts else " (not served)"
        parts.append(_counted(counts.of(PROMPTS), "prompt", "prompts") + served)
    if TOOL_USES in counts.tables:
        parts.append(_counted(counts.of(TOOL_USES), "tool use", "tool uses") + " (never served)")
    return ", ".join(parts)


def _other_projects(counts: Counts) -> str:
    named = [f"{label or '(no project)'} ({rows:,})" for label, rows in counts.projects[:_PROJECTS_NAMED]]
    more = ", …" if len(counts.projects) > _PROJECTS_NAMED else ""
    return (
        f"no rows for this project; the store holds: {', '.join(named)}{more};"
        " ask with --all-projects or set providers.claude-mem.projects"
    )


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
