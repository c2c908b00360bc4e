"""Bringing the index up to date: what to read again, what is gone, and what only seems to be gone.

A file deleted from a healthy source is forgotten at once. A source that suddenly lists nothing, loses most of
what it had, or cannot be listed keeps its memories in the index, marked as vanished: they are forgotten when
the user says so, or when the source has been healthy without them for a while. A source whose listing is proof
(a history that was rewritten) is believed at once, as long as it can be listed. What a source gave for a question,
beside what it lists, is in no listing: it is forgotten when it is old.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from recall import intake
from recall.api import Deadline, Entry, Health, Memory, Problem, Query, Scope
from recall.errors import DeadlineExceeded, NotConfigured, ProviderError, StoreBroken, StoreBusy
from recall.fanout import Emit, Task
from recall.index import Index, Loaded
from recall.kept import Kept, Same
from recall.tokens import Tokenizer
from recall.told import told

_BATCH = 64  # entries handed over at once: small enough to lose little at the deadline
_BATCH_CHARACTERS = 200_000  # the same for long texts
_BATCH_SECONDS = 0.2  # the same for entries that take long to read
# Memories of one entry: what cannot be handed over before the deadline would be read in vain by every question.
_MOST_OF_ENTRY = 5_000
_SUSPICIOUS_LOSS = 0.5  # share of a corpus that must be missing at once to be taken for an accident
_SUSPICIOUS_COUNT = 10  # and at least that many entries: three notes of five are deleted on purpose
_SECONDS_A_DAY = 86_400.0
_CANDIDATES = "(candidates)"  # the store of what was given for a question
_CANDIDATES_LAST = 600.0  # seconds that those stay beside a corpus: to be opened, and for the next questions


class Listed(NamedTuple):
    """A provider's listing, complete unless something hides entries."""

    keys: frozenset[str]
    stores: frozenset[str]  # those that list anything
    problems: tuple[Problem, ...]
    to_read: int
    whole: bool = True  # a search-only provider's candidates are never a listing
    proof: bool = False  # what it does not list is gone, however much that is

    @property
    def complete(self) -> bool:
        """Whether an entry that is not listed is really not there."""
        return not any(problem.hides_entries for problem in self.problems)


class Batch(NamedTuple):
    """Entries as just read."""

    loaded: tuple[Loaded, ...]


@dataclass(slots=True)
class Progress:
    """What has come from one provider so far."""

    listed: Listed | None = None
    read: int = 0
    health: Health | None = None
    problems: list[Problem] = field(default_factory=list)
    vanished_now: int = 0
    forgotten: int = 0
    ended: bool = False  # nothing more comes
    late: bool = False  # because the time was over first


Later = Callable[[Entry], bool]


def none_later(_entry: Entry) -> bool:
    """Every entry is read."""
    return False


class Listing(NamedTuple):
    """What a provider lists, checked: each entry once."""

    entries: tuple[Entry, ...]
    keys: frozenset[str]
    stores: frozenset[str]
    problems: tuple[Problem, ...]


def corpus_task(
    provider: Any,
    scope: Scope,
    deadline: Deadline,
    known: Mapping[str, str],
    held: int,
    tokenizer: Tokenizer,
    kept: Kept[Listing],
    later: Later = none_later,
) -> Task:
    """The work of one corpus provider's thread: list, read what changed, and say how an empty source is.

    known: key -> stamp of what the index holds.
    held: how many of its memories the index holds.
    kept: what the provider listed last.
    later: entries that are left as they are in the index, whatever has become of them.
    """

    def task(emit: Emit) -> None:
        listed, changed = _list(provider, scope, deadline, known, kept, later)
        emit(listed)
        rows = _read_changed(provider, scope, deadline, changed, tokenizer, emit)
        if not listed.keys or held + rows == 0:
            emit(checked_health(provider, scope, deadline))

    return task


def in_turn(tasks: Sequence[Task]) -> Task:
    """Pieces of work of one thread, one after the other; a store that is locked to one way may be open to the next."""

    def task(emit: Emit) -> None:
        busy: StoreBusy | None = None
        for one in tasks:
            try:
                one(emit)
            except StoreBusy as error:
                busy = busy or error
        if busy is not None:
            raise busy

    return task


def search_task(
    provider: Any, scope: Scope, deadline: Deadline, query: Query, tokenizer: Tokenizer, now: float
) -> Task:
    """The work of a thread that asks a provider, and hands over the candidates; now: epoch seconds."""

    def task(emit: Emit) -> None:
        found, problems = [], []
        for item in provider.search(query, scope, deadline) or ():
            deadline.check()
            if isinstance(item, Problem):
                problems.append(intake.checked_problem(item))
            else:
                key = intake.storable(str(getattr(item, "id", "")))
                loaded = intake.prepare(provider.name, key, f"{now:.0f}", [item], tokenizer)
                found.append(loaded._replace(store=_CANDIDATES))
        keys = frozenset(loaded.key for loaded in found)
        emit(Listed(keys, frozenset(), tuple(problems), len(found), whole=False))
        emit(Batch(tuple(found)))

    return task


def checked_health(provider: Any, scope: Scope, deadline: Deadline) -> Health:
    """A provider's health, held to the contract."""
    return intake.checked_health(provider.health(scope, deadline))


def source_is_gone(error: BaseException | None) -> bool:
    """Whether a failed listing means that the source's memories cannot be vouched for any more."""
    return error is not None and not isinstance(error, StoreBusy | DeadlineExceeded | NotConfigured)


def apply(index: Index, name: str, payload: Any, progress: Progress, now: float, keep_days: float) -> None:
    """Put into the index what a task handed in."""
    if isinstance(payload, Listed):
        progress.listed = payload if payload.whole else progress.listed or payload
        progress.problems += payload.problems
        if payload.whole:
            _retire(index, name, payload, progress, now, keep_days)
    elif isinstance(payload, Batch):
        index.store(name, payload.loaded)
        progress.read += len(payload.loaded)
    elif isinstance(payload, Health):
        progress.health = payload


def _list(
    provider: Any,
    scope: Scope,
    deadline: Deadline,
    known: Mapping[str, str],
    kept: Kept[Listing],
    later: Later,
) -> tuple[Listed, list[Entry]]:
    items = provider.entries(scope, deadline) or ()
    if isinstance(items, tuple):  # a provider gives the same one as long as nothing has changed
        listing = kept.of(Same(items), lambda: _checked(items, deadline))
    else:
        listing = _checked(items, deadline)
    changed = [entry for entry in listing.entries if known.get(entry.key) != entry.stamp and not later(entry)]
    proof = getattr(provider, "listing_is_proof", False) is True
    listed = Listed(listing.keys, listing.stores, listing.problems, len(changed), proof=proof)
    return listed, changed


def _checked(items: Iterable[object], deadline: Deadline) -> Listing:
    entries: dict[str, Entry] = {}
    problems: list[Problem] = []
    for item in items:
        deadline.check()
        if isinstance(item, Problem):
            problems.append(intake.checked_problem(item))
        elif isinstance(item, Entry):
            entries.setdefault(intake.checked_entry(item).key, item)
        else:
            raise intake.Garbage(f"entries returned {type(item).__name__} where an Entry is expected")
    stores = frozenset(item.store for item in entries.values())
    return Listing(tuple(entries.values()), frozenset(entries), stores, tuple(problems))


def _read_changed(
    provider: Any, scope: Scope, deadline: Deadline, changed: list[Entry], tokenizer: Tokenizer, emit: Emit
) -> int:
    """How many memories were read."""
    batch: list[Loaded] = []
    rows = size = 0
    left = deadline.remaining()  # when the last batch was handed over
    for entry in changed:
        try:
            loaded = _load(provider, entry, scope, tokenizer)
        except DeadlineExceeded:
            if batch:
                emit(Batch(tuple(batch)))
            raise
        rows += len(loaded.rows)
        size += sum(len(row.text) for row in loaded.rows)
        batch.append(loaded)
        # Whatever was read is handed over before the time is over: the next look begins after it. Nobody waits
        # for what comes with the deadline, so what takes long is not kept until then.
        now = deadline.remaining()
        if len(batch) >= _BATCH or size >= _BATCH_CHARACTERS or left - now >= _BATCH_SECONDS or not now:
            emit(Batch(tuple(batch)))
            batch, size, left = [], 0, now
            deadline.check()
    if batch:
        emit(Batch(tuple(batch)))
    return rows


def _load(provider: Any, entry: Entry, scope: Scope, tokenizer: Tokenizer) -> Loaded:
    """One entry; a store that cannot give it is a problem of the entry, not of the provider."""
    try:
        items = _bounded(provider.load(entry, scope) or (), entry.key)
        loaded = intake.prepare(provider.name, entry.key, entry.stamp, items, tokenizer)
        return loaded._replace(store=entry.store)
    except intake.Garbage:
        raise
    except StoreBroken as error:
        return Loaded(
            entry.key,
            entry.stamp,
            (),
            (Problem(told(entry.key), told(str(error))),),
            entry.store,
            failed=True,
        )
    except ProviderError:
        raise  # busy, absent: true of the whole store


def _bounded(items: Iterable[object], key: str) -> Iterator[object]:
    """What an entry holds, up to the limit, and a problem in the place of the rest."""
    memories = 0
    for item in items:
        memories += isinstance(item, Memory)
        if memories > _MOST_OF_ENTRY:
            yield Problem(key, f"more than {_MOST_OF_ENTRY:,} memories in it: only the first are read")
            return
        yield item


def _retire(
    index: Index, name: str, listed: Listed, progress: Progress, now: float, keep_days: float
) -> None:
    vanished = index.vanished(name)
    present, outdated = _without_candidates(index, name, now)
    missing = present.keys() - listed.keys
    if returned := vanished.keys() & listed.keys:
        index.unmark_vanished(name, returned)
    lost = missing if not listed.complete else _lost(missing, present, listed)
    if lost:
        index.mark_vanished(name, lost, now)
        progress.vanished_now = len(lost)
    gone = (missing - lost) | (outdated - listed.keys)
    if listed.proof and listed.complete:
        gone |= vanished.keys() - listed.keys
    elif listed.keys and listed.complete:  # healthy without them for long enough
        too_old = now - keep_days * _SECONDS_A_DAY
        gone |= {key for key, since in vanished.items() if key not in listed.keys and since < too_old}
    if gone:
        index.forget(name, gone)
        progress.forgotten = len(gone)


def _without_candidates(index: Index, name: str, now: float) -> tuple[dict[str, str], set[str]]:
    """What a corpus holds, by its stores, and those of a question's candidates that are too old to be kept."""
    present = index.stores(name)
    candidates = {key for key, store in present.items() if store == _CANDIDATES}
    if not candidates:
        return present, set()
    stamps = index.stamps(name)
    fresh = {key for key in candidates if now - float(stamps[key] or 0) < _CANDIDATES_LAST}
    return {key: store for key, store in present.items() if key not in candidates}, candidates - fresh


def _lost(missing: Set[str], present: Mapping[str, str], listed: Listed) -> set[str]:
    """Those of the missing entries that were hardly deleted on purpose.

    All that a store held, when it lists nothing any more; everything missing, when it is most of the corpus.
    """
    if listed.proof:
        return set()
    if len(missing) >= _SUSPICIOUS_COUNT and len(missing) > _SUSPICIOUS_LOSS * len(present):
        return set(missing)
    return {key for key in missing if present[key] not in listed.stores}
