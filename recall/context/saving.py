"""A checkpoint is saved: refused, or durable in the journal when this returns, with its views made anew.

result = save(scope.main_root, Entry("decision", "Retry four times", why="the bank asks for it"))
result.saved, result.revision, result.notes
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from recall import checkpoints
from recall.checkpoints import JOURNAL, NOTHING, VIEWS, Contents, Record, Standing, standing
from recall.context import entry as entries
from recall.context.appending import append
from recall.context.entry import Entry
from recall.context.folder import LOCK, PATIENCE, Folder, opened
from recall.context.journal import Memo, content, understood, whole
from recall.context.references import named
from recall.errors import ContextUnavailable, NotFound, UsageError
from recall.wording import why


class Where(NamedTuple):
    """How the work tree stands while a checkpoint is saved."""

    branch: str = ""
    head: str = ""  # full commit id
    fingerprint: str = ""  # of the work tree, without `.context`
    worktree: str = ""  # name of a linked work tree


UNKNOWN = Where()


class Saved(NamedTuple):
    """What became of a save."""

    saved: bool
    revision: str  # of the journal now; what the next save may name as its base
    record: Record | None = None
    newer: tuple[Record, ...] = ()  # refused: what was saved since the base
    reason: str = ""  # why it was refused
    notes: tuple[str, ...] = ()  # what was taken out, kept aside, damaged, not written
    kept_aside: tuple[str, ...] = ()  # names of views in `.context` that were changed by hand
    contents: Contents = NOTHING
    now: Standing = Standing()


def save(
    root: Path,
    entry: Entry,
    base: str | None = None,
    *,
    where: Where = UNKNOWN,
    project: str = "",
    clock: Callable[[], float] = time.time,
    memo: Memo | None = None,
    patience: float = PATIENCE,
) -> Saved:
    """Save a checkpoint in the project whose main checkout is `root` (`Scope.main_root`).

    base: the revision it was based on; if the journal has moved on, nothing is saved, and the newer entries come
    back. project: a name for the views' titles. patience: seconds to wait for others who save.
    Raises UsageError for an entry that may not be saved (a secret, too long, closes what is not there),
    ContextBusy and ContextUnavailable where the journal cannot be written: nothing was saved then.
    """
    ready = entries.ready(entry)
    with opened(root, make=True) as folder:
        if folder is None:
            raise ContextUnavailable(f"{root / checkpoints.FOLDER}: was removed just now", "save it again")
        if not os.path.lexists(folder.path / LOCK):
            _require_own(folder)  # before anything is made in it
        with folder.locked(patience):
            return _saved(folder, ready, base, where, project, clock, memo or Memo())


def _saved(
    folder: Folder,
    ready: entries.Ready,
    base: str | None,
    where: Where,
    project: str,
    clock: Callable[[], float],
    memo: Memo,
) -> Saved:
    path = folder.path / JOURNAL
    descriptor = _journal(folder)
    try:
        data = whole(descriptor, path)
        before = understood(path, data, memo)
        if not before.records:
            _require_no_foreign_views(folder.path)
        if base is not None and base != before.revision:
            return _stale(before, base)
        record = _record(ready.entry, before.records, where, clock())
        if not data:
            folder.sync_names()  # before there is a record: an acknowledged one must not vanish with its file
        written = append(descriptor, path, data, checkpoints.encode(record))
    finally:
        os.close(descriptor)
    contents = memo.parsed(data + written)
    now = standing(contents.records)
    kept, problems = write_views(folder.path, contents, now, project)
    notes = (
        *ready.notes,
        *_closed_before(record, before.records),
        *map(_kept, kept),
        *problems,
        *_damage(contents),
    )
    return Saved(True, contents.revision, record, notes=notes, kept_aside=kept, contents=contents, now=now)


def _require_own(folder: Folder) -> None:
    """Raises ContextUnavailable for a folder in which another program keeps its own journal or pages."""
    data = content(folder)
    if data is None or not understood(folder.path / JOURNAL, data).records:
        _require_no_foreign_views(folder.path)


def _journal(folder: Folder) -> int:
    flags = os.O_RDWR | os.O_APPEND
    try:
        return folder.open(JOURNAL, flags)
    except FileNotFoundError:
        _require_no_foreign_views(folder.path)
        return folder.open(JOURNAL, flags | os.O_CREAT)


def _require_no_foreign_views(folder: Path) -> None:
    """Before the first entry a file in a view's place is somebody else's, and is neither replaced nor moved."""
    from recall.context.viewfiles import is_own

    for name in VIEWS:
        if os.path.lexists(folder / name) and not is_own(folder / name, name):
            raise ContextUnavailable(
                f"{folder / name}: not written by recall; this folder seems to be another program's",
                f"give {name} another name if recall may write its own there, then save again",
            )


def _stale(before: Contents, base: str) -> Saved:
    known = next((number for number, record in enumerate(before.records) if record.id == base), None)
    if known is None and base != checkpoints.EMPTY:
        newer, reason = before.records, f"revision {base} is not in the journal"
    else:
        newer = before.records[0 if known is None else known + 1 :]
        reason = f"the journal has moved on from {base} to {before.revision}"
    return Saved(
        False, before.revision, newer=newer, reason=reason, notes=_damage(before), contents=before,
        now=standing(before.records),
    )  # fmt: skip


def _record(entry: Entry, records: Sequence[Record], where: Where, moment: float) -> Record:
    seq = min(checkpoints.LAST, max((record.seq for record in records), default=0) + 1)
    at = datetime.fromtimestamp(int(moment), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Record(
        seq=seq,
        id=checkpoints.name(seq, at, entry.kind, entry.text),
        at=at,
        kind=entry.kind,
        text=entry.text,
        why=entry.why,
        paths=entry.paths,
        evidence=entry.evidence,
        next=entry.next,
        closes=tuple(dict.fromkeys(_closed(text, records) for text in entry.closes)),
        **where._asdict(),
    )


def _closed(text: str, records: Sequence[Record]) -> str:
    try:
        return named(text, records).id
    except NotFound as error:
        raise UsageError(f"closes {text}: {error}; nothing was saved", error.next_step) from None


def write_views(
    folder: Path, contents: Contents, now: Standing, project: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Make all views anew: the names under which changed ones are kept, and lines for those not written."""
    from recall.context import viewfiles, views

    seen = views.Seen(contents, now, project)
    moment = _epoch(seen.at)
    kept: list[str] = []
    problems: list[str] = []
    for name, data in views.made(seen).items():
        try:
            kept += viewfiles.put(folder, name, data, moment)
        except OSError as error:
            problems.append(f"the view {name} could not be written: {why(error)}; the entry itself is saved")
    return tuple(kept), tuple(problems)


def _epoch(at: str) -> float:
    """The moment of a record in epoch seconds; 0 for one that another program wrote with another kind of date."""
    try:
        return max(0.0, datetime.fromisoformat(at).timestamp())
    except (ValueError, OverflowError):
        return 0.0


def _closed_before(record: Record, records: Sequence[Record]) -> Iterator[str]:
    closed = {name: one.id for one in records for name in one.closes}
    return (f"{name} was closed already, by {closed[name]}" for name in record.closes if name in closed)


def _kept(name: str) -> str:
    return f"a view that was changed by hand is kept as {checkpoints.FOLDER}/{name}"


def _damage(contents: Contents) -> tuple[str, ...]:
    words = contents.damage_words()
    return (f"damaged in the journal, and left where it is: {words}",) if words else ()
