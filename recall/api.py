"""All that a plugin author imports.

A provider is plain blocking code that knows one kind of memory. The host runs it in a thread of its own,
never waits past the deadline, and writes down what happened; so a provider reports, and never prints.

    from recall.api import Entry, Health, Memory, State, hookimpl

    class NotesProvider:
        name = "notes"
        authority = Authority.CURATED
        Options = NotesOptions                       # a `record` (a frozen dataclass) of `option(...)` fields

        def __init__(self, options): ...
        def health(self, scope, deadline): ...       # -> Health
        def entries(self, scope, deadline): ...      # cheap listing -> Entry | Problem
        def load(self, entry, scope): ...            # read one entry -> Memory | Problem

    @hookimpl
    def recall_provider():
        return NotesProvider
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import pluggy

from recall.dates import utc_from_epoch, utc_from_text
from recall.errors import DeadlineExceeded, ProviderError
from recall.records import record

__all__ = [
    "Authority",
    "CorpusProvider",
    "Deadline",
    "Entry",
    "Health",
    "Memory",
    "Policy",
    "PolicyProvider",
    "Problem",
    "Provider",
    "Query",
    "Scope",
    "SearchProvider",
    "State",
    "hookimpl",
    "option",
    "record",
    "utc_from_epoch",
    "utc_from_text",
]

hookimpl = pluggy.HookimplMarker("recall")


class Authority(StrEnum):
    """How much a source is believed when memories disagree, highest first (weights: settings, `[authority]`)."""

    CODE = "code"  # running code and Git
    STATE = "state"  # checkpoints, hand-overs, current state documents
    DECISION = "decision"  # decision records
    CURATED = "curated"  # notes somebody wrote to be remembered
    CAPTURED = "captured"  # history recorded by a tool
    CHAT = "chat"  # old conversations


class State(StrEnum):
    """What a look at a corpus found."""

    READY = "ready"  # real text, all of it readable
    DEGRADED = "degraded"  # usable; something is unread, doubtful or damaged
    EMPTY = "empty"  # the store is there, without real content
    ABSENT = "absent"  # no store
    BUSY = "busy"  # locked or too slow
    BROKEN = "broken"  # there, and cannot be read
    OFF = "off"  # disabled, or not configured

    @property
    def usable(self) -> bool:
        """Whether memories can be served from a source in this state."""
        return self in (State.READY, State.DEGRADED)


class Deadline:
    """A moment after which nobody waits for the answer any more (monotonic seconds)."""

    __slots__ = ("_at", "_clock")

    def __init__(self, at: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._at = at
        self._clock = clock

    @classmethod
    def after(cls, seconds: float, clock: Callable[[], float] = time.monotonic) -> Deadline:
        """The moment `seconds` from now."""
        return cls(clock() + seconds, clock)

    def earlier(self, seconds: float) -> Deadline:
        """The moment `seconds` before this one: what a caller keeps for its own work."""
        return Deadline(self._at - seconds, self._clock)

    def remaining(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self._at - self._clock())

    def expired(self) -> bool:
        """Whether the moment has passed."""
        return self._clock() >= self._at

    def check(self) -> None:
        """Raise DeadlineExceeded once the moment has passed; call it in long loops."""
        if self.expired():
            raise DeadlineExceeded("out of time")


@record
class Scope:
    """Where to look: one project, one home folder, one environment. Providers read nothing else."""

    home: Path
    cwd: Path
    root: Path  # the working copy's top folder; `cwd` outside version control
    main_root: Path  # the main checkout when `root` is a linked worktree, else `root`
    names: tuple[str, ...]  # names the project goes by, most specific first, NFC
    env: Mapping[str, str] = field(default_factory=dict)
    in_git: bool = False
    all_projects: bool = False  # list every project's memories, not only this one's

    @property
    def roots(self) -> tuple[Path, ...]:
        """The working copy and, for a linked worktree, the main checkout behind it."""
        return (self.root,) if self.main_root == self.root else (self.root, self.main_root)

    @property
    def whose(self) -> str:
        """Whose memories are listed, in words for a reason."""
        return "any project" if self.all_projects else "this project"

    def expand(self, path: str) -> Path:
        """A path from settings or a foreign file: `~` is this scope's home, relative is below the project."""
        if path == "~" or path.startswith(("~/", "~\\")):
            return self.home / path[2:]
        return self.root / path


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that can be loaded: `stamp` changes when, and only when, its content may have changed."""

    key: str  # unique and stable within the provider
    stamp: str  # for example "mtime_ns:size", "rowid:epoch", a hash
    locator: Any = None  # anything `load` needs; never stored
    store: str = ""  # which of the provider's stores it is in: a store that lists nothing more has vanished


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be listed or read, or was read with damage: counted, shown, never raised."""

    where: str  # an entry's key, a file, a folder: what the user would look for
    reason: str  # one line without the place
    hides_entries: bool = False  # entries may exist that could not be listed: their memories are kept
    harmless: bool = False  # worth a line in doctor, but the corpus is not damaged by it


@record
class Memory:
    """One remembered thing."""

    id: str  # stable and unique within the provider; becomes recall://<provider>/<id>
    text: str
    title: str = ""
    path: str = ""  # where a person can open it
    line: int | None = None  # 1-based line in `path` where the text begins
    project: str = ""  # label of the project it belongs to; "" = all projects
    created: datetime | None = None  # UTC
    updated: datetime | None = None  # UTC
    date_origin: str = ""  # where the date came from: "front matter", "database", "file time", ...
    kind: str = "note"  # the source's own word: observation, summary, feedback, decision, ...
    authority: Authority | None = None  # overrides the provider's (an ADR is a decision, a README is not)
    # Why its source itself no longer stands by it, in one line ("superseded by ADR-12", "rejected"); "" = it does.
    withdrawn: str = ""
    successor: str = ""  # id of the memory that took its place, if `withdrawn` names one
    # The same said of other memories of the provider: id -> why. It holds as long as this memory is there.
    withdraws: Mapping[str, str] = field(default_factory=dict)
    amends: tuple[str, ...] = ()  # ids of memories of the provider whose rest still stands
    extra: Mapping[str, str] = field(default_factory=dict)
    context: str = ""  # what stands around it, as a chat's turn before: helps to find it, is never shown


@record
class Health:
    """What a look at the corpus found. `items == 0` is never READY."""

    state: State
    items: int | None = None  # real memories in the whole store; None = cannot count
    in_scope: int | None = None  # those that belong to this scope; None = same as `items`
    reason: str = ""  # one line for every state but READY
    next_step: str = ""  # what the user can type or do
    newest: datetime | None = None  # UTC
    facts: tuple[str, ...] = ()  # further lines worth knowing ("3 tool uses captured")
    problems: tuple[Problem, ...] = ()
    places: tuple[str, ...] = ()  # where it looked, whether or not something was there

    @classmethod
    def unread(cls, error: ProviderError, places: tuple[str, ...] = ()) -> Health:
        """What a store amounts to in which nothing could be listed: what was raised says the state."""
        states = {"absent": State.ABSENT, "busy": State.BUSY, "not-configured": State.OFF}
        state = states.get(error.kind, State.BROKEN)
        count = 0 if state is State.ABSENT else None
        return cls(state, count, reason=str(error), next_step=error.next_step, places=places)

    @property
    def claimed(self) -> int | None:
        """How many memories of this scope can be read, by the provider's word; None = it cannot count."""
        return self.items if self.in_scope is None else self.in_scope


@record
class Policy:
    """Rules that are to be followed, by their name: they are no memory, and are never searched."""

    title: str
    path: str = ""  # where a person can open it
    summary: str = ""  # its first words, one line


@record
class Query:
    """A question for a provider that can only be asked."""

    text: str
    terms: tuple[str, ...]  # key terms, most distinctive first: send these rather than the sentence
    limit: int = 50  # over-fetch: the host scores everything on one scale


@runtime_checkable
class Provider(Protocol):
    """What every provider has. It is constructed once per engine, with its validated options."""

    name: str  # equal to its entry point's name: key in settings, tag on every memory
    authority: Authority  # default; settings and single memories override it

    @property
    def Options(self) -> type:  # noqa: N802 - a class attribute, which a protocol can only ask for like this
        """The class of its options, `Options = NotesOptions`: a frozen dataclass with defaults; see `option`."""
        ...

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """Look at the corpus, not at the installation.

        A ProviderError tells a state too: StoreAbsent ABSENT, StoreBusy BUSY, NotConfigured OFF, any other BROKEN.
        """
        ...


@runtime_checkable
class CorpusProvider(Provider, Protocol):
    """A provider whose text can be read: the host indexes it.

    With a class attribute `listing_is_proof = True`, what `entries` does not list is gone and forgotten at once.
    Without it, a corpus that is mostly gone is taken for an accident and kept for a while.

    With a class attribute `reading = "1"`, everything is read again once that text is another one: raise it when the
    same content gives another memory, since no stamp tells that the rules of reading have changed.
    """

    def entries(self, scope: Scope, deadline: Deadline) -> Iterable[Entry | Problem]:
        """List cheaply what there is; raise a ProviderError when nothing can be listed.

        Asked for every question. A provider that can tell that nothing has changed gives the very tuple that it
        gave before: the host then has nothing to check (see `recall.kept` and `recall.files.Walker`).
        """
        ...

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:
        """Read one entry, for a new or changed stamp only; a StoreBroken is a problem of this entry alone."""
        ...


@runtime_checkable
class SearchProvider(Provider, Protocol):
    """A provider that can only be asked; `close()`, if it has one, closes what it keeps open between questions."""

    def search(self, query: Query, scope: Scope, deadline: Deadline) -> Iterable[Memory | Problem]:
        """Candidates for the question, as many as `query.limit`; the host scores them."""
        ...


@runtime_checkable
class PolicyProvider(Provider, Protocol):
    """A provider of rules: a session's start names them, doctor shows them apart, a question never searches them."""

    def policies(self, scope: Scope, deadline: Deadline) -> Iterable[Policy | Problem]:
        """The rules that hold in a project, the nearest first."""
        ...


def option(
    default: Any,
    help: str,
    *,
    from_project: str = "never",
    secret: bool = False,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Any:
    """A field of an Options dataclass: its default, and its line in `config.example.toml`.

    from_project: what an untrusted project's `.recall.toml` may set. "never" (paths, commands, URLs),
        "value" (a name, a number, a switch), "folder" (a path that stays inside the project).
    secret: the value is never shown.
    at_least, at_most: the range of a number, both ends included.
    """
    if from_project not in ("never", "value", "folder"):
        raise ValueError(f"from_project must be never, value or folder, not {from_project!r}")
    if isinstance(default, list | dict | set):
        raise TypeError("an option's default is immutable: use a tuple")
    told = {"help": help, "from_project": from_project, "secret": secret}
    return field(default=default, metadata={**told, "at_least": at_least, "at_most": at_most})
