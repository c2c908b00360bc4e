"""Markdown notes as memories: which there are; one file, one memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import ClassVar

from recall import files
from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope, State
from recall.errors import StoreAbsent
from recall.files import Found
from recall.kept import Kept
from recall_markdown import claude_code
from recall_markdown.stores import Located, MarkdownOptions, Store, listing, stores

_ABSENT = "no Claude Code memory, sub-agent memory, memory bank or listed folder belongs to {}"
_NEXT_STEP = (
    "let an agent save a memory here, or list a folder of notes under `folders` in [providers.markdown]"
)


class MarkdownProvider:
    """Claude Code's memory, its sub-agents', memory banks, and folders the user lists."""

    name = "markdown"
    reading = "2"
    authority = Authority.CURATED
    Options: ClassVar[type] = MarkdownOptions

    def __init__(self, options: MarkdownOptions) -> None:
        self._options = options
        self._walker = files.Walker()
        self._kept: Kept[tuple[Entry | Problem, ...]] = Kept()

    def entries(self, scope: Scope, deadline: Deadline) -> tuple[Entry | Problem, ...]:
        """Every note, each real file once; notes on shared folders come as harmless problems."""
        present = [store for store in stores(self._options, scope) if files.look(store.folder) is not None]
        if not present:
            raise StoreAbsent(_ABSENT.format(scope.whose), _NEXT_STEP)
        own = claude_code.own_paths(scope)
        listed = []
        for store in present:
            found = tuple(listing(store, self._walker, deadline))
            shared = None
            if found and store.owner is not None and store.owner.mine:
                shared = claude_code.collision(store.owner, own)
            listed.append((store, found, shared))
        return self._kept.of(listed, lambda: tuple(_all_entries(listed)))

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:
        """One note."""
        from recall_markdown import notes  # a question after which nothing changed reads no note

        return notes.read(entry, self._options.max_file_bytes, scope)

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """Read every note and tell what there is."""
        from recall import documents
        from recall_markdown import findings

        looked_at = stores(self._options, scope)
        places = tuple(dict.fromkeys(files.display_path(store.folder) for store in looked_at))
        beyond = tuple(findings.beyond(self._options, scope))
        try:
            survey = documents.survey(self, scope, deadline)
        except StoreAbsent as error:
            return Health(
                State.ABSENT, 0, reason=str(error), next_step=_NEXT_STEP, facts=beyond, places=places
            )
        indexes = findings.indexes(looked_at, self._options.max_file_bytes, deadline)
        survey = findings.doubted(survey, indexes)
        facts = (*findings.counts(survey, looked_at), *findings.drift(indexes), *beyond)
        silent = findings.silent(survey)
        reason = f"nothing but templates or empty files: {silent[0]}" if silent else "folders without a note"
        return survey.health(places=places, facts=facts, reason=reason, next_step=_NEXT_STEP)


def _all_entries(
    listed: Iterable[tuple[Store, tuple[Found | Problem, ...], Problem | None]],
) -> Iterator[Entry | Problem]:
    seen: set[tuple[int, int]] = set()
    taken: set[str] = set()
    for store, found, shared in listed:
        fresh: list[Found] = []
        for item in found:
            if isinstance(item, Problem):
                yield item
            elif item.identity not in seen or item.identity == (0, 0):
                seen.add(item.identity)
                fresh.append(item)
        if fresh and shared is not None:
            yield shared
        yield from _entries(store, fresh, taken)


def _entries(store: Store, found: list[Found], taken: set[str]) -> Iterator[Entry]:
    """Entries by place; `taken` are the ids so far."""
    names, ending = "", store.ending
    for item in found:
        located = Located(store, item)
        stamp = item.stamp
        # What an index says itself depends on which of its targets are there.
        if located.store.is_index(located.found):
            names = names or "\n".join(other.relative for other in found)
            stamp = f"{stamp}:{zlib.crc32(names.encode('utf-8', 'replace')):08x}"
        identity = files.unique(located.place.removesuffix(ending), taken)
        yield Entry(identity + ending, stamp, located, store.prefix)
