"""A checkpoint before it is saved: its kind known, its size in bounds, no secret in it, nothing hidden.

Nothing is cut and nothing is masked: what cannot be saved as it is, is refused with the place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from recall.checkpoints import KINDS
from recall.errors import UsageError
from recall.wording import counted, nearest, visible

TEXT_LIMIT = (
    8_000  # characters of the text and of the reason, each: about 2,000 tokens, two thirds of a bootstrap
)
ITEM_LIMIT = 1_000  # characters of one path, piece of evidence or next step
ITEMS_LIMIT = 50  # of each list
_PLACES = 5  # secrets that are named; the others are counted
_LISTS = {"paths": "path", "evidence": "evidence", "next": "next step", "closes": "closed entry"}
_ONE_LINE = ("paths", "next", "closes")


@dataclass(frozen=True, slots=True)
class Entry:
    """What is to be saved."""

    kind: str  # one of recall.checkpoints.KINDS
    text: str
    why: str = ""
    paths: tuple[str, ...] = ()  # below the project's folder
    evidence: tuple[str, ...] = ()  # commands, commits, addresses that show it
    next: tuple[str, ...] = ()  # next steps, one line each
    closes: tuple[str, ...] = ()  # entries (12, 12-7f3a) and next steps (12.1, 12-7f3a.1) that this one ends


class Ready(NamedTuple):
    """An entry that may be saved, and what was done to it."""

    entry: Entry
    notes: tuple[str, ...] = ()


class _Part(NamedTuple):
    """One text of an entry, and what it is called."""

    name: str
    text: str
    limit: int
    one_line: bool


def ready(entry: Entry) -> Ready:
    """The entry as it may be saved; raises UsageError with the place of what may not."""
    if entry.kind not in KINDS:
        meant = nearest(entry.kind, KINDS)
        hint = f', did you mean "{meant}"?' if meant else ""
        raise UsageError(f"{entry.kind!r} is no kind of checkpoint{hint}", f"one of: {', '.join(KINDS)}")
    for field, name in _LISTS.items():
        if (count := len(getattr(entry, field))) > ITEMS_LIMIT:
            raise UsageError(f"{name}: {count:,} of them, at most {ITEMS_LIMIT} are saved", "save fewer")
    for part in _parts(entry):
        _require_size(part)
    hidden = 0
    changed = False

    def cleaned(part: _Part) -> str:
        nonlocal hidden, changed
        done = _cleaned(part)
        hidden += done.hidden
        changed |= not done.hidden and done.text != part.text
        return done.text

    texts = {part.name: cleaned(part) for part in _parts(entry)}
    if not texts["text"]:
        raise UsageError("text: nothing that can be seen", "say what happened")
    lists: dict[str, Any] = {
        field: tuple(text for key, text in texts.items() if key.partition(" #")[0] == name and text)
        for field, name in _LISTS.items()
    }
    notes = [f"{counted(hidden, 'hidden character')} taken out"] if hidden else []
    notes += ["spelling made uniform, or what imitates a client's frame made harmless"] if changed else []
    return Ready(replace(entry, text=texts["text"], why=texts["why"], **lists), tuple(notes))


def _parts(entry: Entry) -> Iterator[_Part]:
    yield _Part("text", entry.text.strip(), TEXT_LIMIT, False)
    yield _Part("why", entry.why.strip(), TEXT_LIMIT, False)
    for field, name in _LISTS.items():
        for number, text in enumerate(getattr(entry, field), 1):
            yield _Part(f"{name} #{number}", text.strip(), ITEM_LIMIT, field in _ONE_LINE)


def _require_size(part: _Part) -> None:
    if len(part.text) > part.limit:
        raise UsageError(
            f"{part.name}: {len(part.text):,} characters, at most {part.limit:,} are saved; nothing was cut",
            "say it shorter, and name the file that holds the rest with --path",
        )
    if part.one_line and len(part.text.splitlines()) > 1:
        raise UsageError(f"{part.name}: more than one line", "one line each")


class _Done(NamedTuple):
    text: str
    hidden: int


def _cleaned(part: _Part) -> _Done:
    """The text as it may be shown later; raises UsageError for a secret."""
    from recall import clean, secrets  # their patterns cost more than everything else here

    found = secrets.find(part.text)
    safe = clean.clean(part.text)
    if found or safe.masked:
        places = [f"{part.name}, line {_line(part.text, one.start)}: {one.kind}" for one in found[:_PLACES]]
        if not found:
            places = [f"{part.name}: a secret between hidden characters"]
        more = f", and {len(found) - _PLACES} more" if len(found) > _PLACES else ""
        raise UsageError(
            f"what looks like a secret is not saved ({visible('; '.join(places))}{more}); nothing was saved",
            "say where the secret is kept, not what it is",
        )
    return _Done(safe.text.strip(), safe.hidden)


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
