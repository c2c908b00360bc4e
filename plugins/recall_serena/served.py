"""Serena asked over MCP: what it lists and how it reads it, for one project and all projects' memories.

Dates, and stamps that tell what has changed, are those of the files behind the names: Serena knows none. A text that
has not changed is asked for once.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from recall.api import Deadline, Entry, Health, Memory, Problem, Query, Scope
from recall.errors import ProviderError, StoreBroken, StoreBusy
from recall.files import Found, display_path, is_folder
from recall.transport.owntime import own_time
from recall.transport.tried import Tried
from recall_serena.asked import Serena, Text
from recall_serena.layout import Layout, Tree
from recall_serena.notes import Listing, Note, list_notes, walk_trees
from recall_serena.private import Opening, opening
from recall_serena.provider import SerenaOptions, SerenaProvider

if TYPE_CHECKING:
    from recall_serena.code import Asked

_FIRST_READ = 4  # texts asked for with the first one; four times as many with each further one
_FAR_AHEAD = 64


class Named(NamedTuple):
    """A memory as Serena lists it, and the file behind it."""

    name: str  # as Serena spells it
    note: Note


class _Listed(NamedTuple):
    layout: Layout
    listing: Listing
    names: tuple[str, ...]

    def memories(self) -> tuple[list[Named], list[Problem]]:
        """What Serena lists, with the files behind, and what it leaves out of them."""
        notes: dict[str, Note] = {}
        for note in self.listing.notes:
            notes.setdefault(note.name, note)
        found = []
        for name in self.names:
            composed = normalize("NFC", name)
            found.append(Named(name, notes.pop(composed) if composed in notes else self._unseen(name)))
        left = [note for note in notes.values() if note.key == note.name]
        if not left:
            return found, []
        where = display_path(left[0].found.path)
        others = f" (and {len(left) - 1} more)" if left[1:] else ""
        return found, [Problem(where, f"Serena does not list it{others}", harmless=bool(found))]

    def _unseen(self, name: str) -> Note:
        """A memory whose file was not seen: it has no date."""
        tree = next((tree for tree in self.layout.trees if name.startswith(tree.prefix or "\0")), None)
        own = next((tree for tree in self.layout.trees if not tree.prefix), Tree(""))
        return Note(name, name, Found("", name, 0, -1), tree or own)


class ServedSerena(SerenaProvider):
    """Memories of one project and of all projects, as Serena serves them."""

    def __init__(self, options: SerenaOptions | None = None) -> None:
        super().__init__(options)
        options = self._options
        self._serena = Serena(options.start_seconds, options.idle_seconds, options.max_file_bytes)
        self._made: tuple[Entry | Problem, ...] = ()
        self._entries: Sequence[Entry] = ()
        self._order: dict[str, int] = {}  # key -> place among them
        self._asked: dict[str, str] = {}  # key -> stamp: what was asked for already
        self._ahead: dict[str, Text] = {}  # key -> what came of it, until it is loaded
        self._stride = _FIRST_READ
        self._opened: Opening | None = None
        self._until = Deadline(0.0)

    def entries(self, scope: Scope, deadline: Deadline) -> tuple[Entry | Problem, ...]:
        """One entry a memory that Serena lists; Serena is not started where no folder of memories is."""
        layout = _one_project(self._survey(scope, thorough=False))
        walked = walk_trees(layout, self._walker, deadline)
        if not _has_memories(layout):
            return self._listed(layout, walked)
        self._until = own_time(deadline)
        self._opened = self._opening(scope, layout)
        names = self._serena.names(self._opened, scope, self._until)
        made = self._kept.of(
            (layout, walked, names),
            lambda: tuple(_entries(_Listed(layout, list_notes(layout, walked), names))),
        )
        if self._made is not made:
            self._made = made
            self._remember(made)
        return made

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:
        """The memory as Serena reads it, with others that will be asked for; raises a ProviderError if it is gone."""
        if not isinstance(entry.locator, Named):
            return ()
        if self._is_too_large(entry):
            return (_too_large(entry.locator.note),)
        if entry.key not in self._ahead:
            self._read_ahead(entry, scope)
        return _read(entry.locator, self._ahead.pop(entry.key))

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """Has Serena list and read everything: that a server answers proves nothing."""
        from recall_serena.verdict import Reading, verdict

        layout = _one_project(self._survey(scope, thorough=True))
        if not _has_memories(layout):
            return self._health_of(layout, deadline)
        until = own_time(deadline)
        opened = self._opening(scope, layout)
        listing = list_notes(layout, walk_trees(layout, self._walker, deadline))
        names = self._serena.names(opened, scope, until)
        listed, problems = _Listed(layout, listing, names).memories()
        large = self._options.max_file_bytes
        problems += [_too_large(memory.note) for memory in listed if memory.note.found.size > large]
        memories = [memory for memory in listed if memory.note.found.size <= large]
        texts = self._serena.texts([memory.name for memory in memories], opened, scope, until)
        readings = [
            Reading(memory.note, tuple(_read(memory, text)))
            for memory, text in zip(memories, texts, strict=True)
        ]
        listing = listing._replace(problems=(*listing.problems, *problems))
        health = verdict(layout, listing, readings)
        about = (
            f"{self._serena.about(opened, scope, until)}, lists {len(names):,} (program: {opened.argv[0]})"
        )
        return replace(health, facts=(about, *health.facts))

    def try_out(self, query: Query, scope: Scope, deadline: Deadline) -> Tried:
        """What Serena lists, and the memories that hold the question's terms."""
        found = [entry for entry in self.entries(scope, deadline) if isinstance(entry, Entry)]
        memories = [
            memory for entry in found for memory in self.load(entry, scope) if isinstance(memory, Memory)
        ]
        parts = {part for term in query.terms for part in re.split(r"[\W_]+", term.casefold()) if part}
        held = {memory.id: _count(memory, parts) for memory in memories}
        best = sorted((one for one in memories if held[one.id]), key=lambda one: -held[one.id])
        raw = "\n".join(entry.locator.name for entry in found if isinstance(entry.locator, Named))
        return Tried(f"list_memories, read_memory of {len(found):,}", raw, tuple(best[: query.limit]))

    def close(self) -> None:
        """End Serena."""
        self._serena.close()

    def _opening(self, scope: Scope, layout: Layout) -> Opening:
        options = self._options
        return opening(scope, layout, options.command, self._language_servers, options.home)

    @property
    def _language_servers(self) -> tuple[str, ...]:
        return ()

    def _remember(self, made: tuple[Entry | Problem, ...]) -> None:
        self._entries = [item for item in made if isinstance(item, Entry)]
        self._order = {entry.key: place for place, entry in enumerate(self._entries)}
        self._stride = _FIRST_READ
        self._ahead.clear()
        self._asked = {
            entry.key: entry.stamp for entry in self._entries if self._asked.get(entry.key) == entry.stamp
        }

    def _read_ahead(self, entry: Entry, scope: Scope) -> None:
        """Ask for a text, and for those behind it in the listing that were not asked for: all take as long as one."""
        if self._opened is None:
            raise StoreBroken("nothing was listed yet")
        if self._asked.get(entry.key) == entry.stamp:
            self._asked.clear()  # all of it is read again
        behind = self._entries[self._order.get(entry.key, len(self._entries)) + 1 :]
        new = (one for one in behind if self._asked.get(one.key) != one.stamp and not self._is_too_large(one))
        more = list(islice(new, self._stride - 1))
        self._stride = min(self._stride * 4, _FAR_AHEAD)
        names = [one.locator.name for one in (entry, *more)]
        texts = self._serena.texts(names, self._opened, scope, self._until)
        try:
            for one, text in zip((entry, *more), texts, strict=True):
                self._ahead[one.key] = text
                self._asked[one.key] = one.stamp
        except StoreBusy:
            self._until.check()  # what came in time is kept, and the rest is asked for at the next look
            raise
        except StoreBroken as error:  # true of all memories, and not of this one
            raise StoreBusy(str(error), error.next_step) from None

    def _is_too_large(self, entry: Entry) -> bool:
        return bool(entry.locator.note.found.size > self._options.max_file_bytes)


def _one_project(layout: Layout) -> Layout:
    """What one Serena can serve: the first folder of the project in hand, and the one for all projects."""
    own = [tree for tree in layout.trees if not tree.prefix and not tree.apart]
    served = next((tree for tree in own if is_folder(tree.folder)), next(iter(own), None))
    trees = tuple(tree for tree in layout.trees if tree.prefix or tree is served)
    others = [tree for tree in layout.trees if tree not in trees and is_folder(tree.folder)]
    if not others:
        return layout._replace(trees=trees)
    more = f" (nor {len(others) - 1} more)" if others[1:] else ""
    reason = f'not asked for{more}: one Serena serves one project; mode = "files" reads all'
    left = Problem(display_path(others[0].folder), reason, harmless=True)
    return layout._replace(trees=trees, problems=(*layout.problems, left))


def _too_large(note: Note) -> Problem:
    where = display_path(note.found.path)
    return Problem(where, f"{note.found.size:,} bytes, more than max_file_bytes: not asked for")


def _has_memories(layout: Layout) -> bool:
    return any(is_folder(tree.folder) for tree in layout.trees)


def _entries(listed: _Listed) -> Iterator[Entry | Problem]:
    yield from listed.listing.problems
    memories, problems = listed.memories()
    yield from problems
    for memory in memories:
        found = memory.note.found
        # Without a file there is no telling whether it has changed: it is read at every look.
        stamp = found.stamp if found.size >= 0 else uuid.uuid4().hex
        yield Entry(memory.note.key, stamp, memory, memory.note.tree.origin or "project")


def _read(memory: Named, told: Text) -> Iterator[Memory | Problem]:
    """What Serena told of a memory; a text as long as its file is that file's, whatever it looks like."""
    from recall_serena.texts import note_of

    found = memory.note.found
    if told.failure and len(told.text.encode("utf-8", "replace")) != found.size:
        yield Problem(display_path(found.path or memory.name), told.failure)
        return
    yield from note_of(memory.note, told.text.removeprefix("\ufeff").replace("\r\n", "\n"))


def _count(memory: Memory, words: Iterable[str]) -> int:
    """How many of some words a memory holds."""
    text = f"{memory.id} {memory.title} {memory.text}".casefold()
    return sum(word in text for word in words)


class ServedSerenaWithCode(ServedSerena):
    """The same, asked for code as well: what it finds stands beside its memories, as code."""

    def search(self, query: Query, scope: Scope, deadline: Deadline) -> Iterator[Memory | Problem]:
        """Code that holds the identifiers in the question; a failure is a problem, and takes no memory away."""
        from recall_serena import code

        names = code.identifiers(query.text)
        if not names:
            return
        try:
            asked, told = self._code(names, scope, deadline)
        except ProviderError as error:
            yield Problem("code search", str(error), harmless=True)
            return
        yield from code.memories(asked, told, scope, query)

    def try_out(self, query: Query, scope: Scope, deadline: Deadline) -> Tried:
        """As for memories, with the answers about code."""
        from recall_serena import code

        tried = super().try_out(query, scope, deadline)
        asked, told = self._code(code.identifiers(query.text), scope, deadline)
        raw = [
            f"{call.tool} {call.identifier}:\n{text.text if text else ''}"
            for call, text in zip(asked, told, strict=True)
        ]
        return replace(
            tried,
            sent=", ".join([tried.sent, *(f"{call.tool} {call.identifier}" for call in asked)]),
            raw="\n\n".join([tried.raw, *raw]),
            understood=(*tried.understood, *code.memories(asked, told, scope, query)),
        )

    def _code(
        self, names: tuple[str, ...], scope: Scope, deadline: Deadline
    ) -> tuple[list[Asked], list[Text | None]]:
        from recall_serena import code

        asked = code.calls(names, definitions=bool(self._options.language_servers))
        if not asked:
            return [], []
        opened = self._opening(scope, _one_project(self._survey(scope, thorough=False)))
        told = self._serena.answers_to(
            [(call.tool, call.arguments) for call in asked], opened, scope, own_time(deadline)
        )
        return asked, told

    @property
    def _language_servers(self) -> tuple[str, ...]:
        return self._options.language_servers
