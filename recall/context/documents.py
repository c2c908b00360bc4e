"""What the documents in the project say: of its current state, and of what was decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recall import checkpoints, conventions
from recall.api import Authority, Deadline, Entry
from recall.engine import Engine
from recall.index import Row
from recall.wording import ago, counted, one_line

_STATE, _DECISIONS = "state", "decisions"
_DOCUMENTS = 8  # latest documents, or parts of them, that are shown
_LINES = 14  # of each; the rest is counted
_RECORDS = 12  # latest decision records that are named


def look(engine: Engine, deadline: Deadline) -> tuple[str, ...]:
    """Bring the index up to date with them: they are few, and lie in the project. Returns what is worth telling."""
    wanted = [name for name in (_STATE, _DECISIONS) if name in engine.sources]
    if not wanted:
        return ()
    remaining = deadline.remaining()
    reading = engine.refresh(engine.chosen(wanted), deadline, remaining, later=_is_of_checkpoints)
    troubled = {
        name: outcome for name, outcome in reading.outcomes.items() if outcome.late or outcome.problems
    }
    return (*reading.notices, *(f"{name}: {outcome.reason}" for name, outcome in troubled.items()))


def _is_of_checkpoints(entry: Entry) -> bool:
    """Whether an entry is the journal or a view of it: the journal itself is read for the answer, and not the index."""
    folder, _, name = entry.key.rpartition("/")
    is_ours = folder.rpartition("/")[2] == conventions.CONTEXT
    return is_ours and (name == checkpoints.JOURNAL or name in checkpoints.VIEWS)


def state(engine: Engine) -> Iterator[str]:
    """The documents of the current state as lines, the latest first."""
    if _STATE in engine.sources:
        current = [row for row in engine.index.latest(_STATE, 4 * _DOCUMENTS) if _is_current(engine, row)]
        for row in current[:_DOCUMENTS]:
            yield from _excerpt(row, engine.now())


def records(engine: Engine) -> Iterator[str]:
    """The latest decision records that still stand, by their titles."""
    if _DECISIONS in engine.sources:
        standing = [row for row in engine.index.latest(_DECISIONS, 2 * _RECORDS) if not row.withdrawn]
        for row in standing[:_RECORDS]:
            yield f"{one_line(row.title)} ({row.uri}{_age(row, engine.now())})"


def _is_current(engine: Engine, row: Row) -> bool:
    """Whether a memory tells the state as it is now; recall's own views repeat what the journal says."""
    own = f"/{conventions.CONTEXT}/" in row.path
    return engine.authority_of(row) is Authority.STATE and not row.withdrawn and not own


def _excerpt(row: Row, now: float) -> Iterator[str]:
    lines: Sequence[str] = [line.strip() for line in row.text.split("\n") if line.strip()]
    lines = [line for line in lines if line.lstrip("# ") != row.title]
    yield f"{one_line(row.title)} ({row.uri}{_age(row, now)}):"
    yield from (f"  {one_line(_flat(line))}" for line in lines[:_LINES])
    if more := len(lines[_LINES:]):
        yield f"  … {counted(more, 'more line')}: recall show {row.uri}"


def _flat(line: str) -> str:
    """A document's heading is no heading of the answer's, whose sections say what counts as a rule."""
    return f"{line.lstrip('# ')}:" if line.startswith("#") else line


def _age(row: Row, now: float) -> str:
    return f", {ago(now - row.dated)}" if row.dated is not None else ""
