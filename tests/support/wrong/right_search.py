"""A provider that keeps the contract and can only be asked."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import islice
from typing import Any

from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Query, Scope, hookimpl
from recall.errors import StoreBroken
from support.wrong.right import NotesOptions, RightNotes


class RightSearch:
    """The same folder, which can only be asked for words."""

    name = "right-search"
    authority = Authority.CURATED
    Options: Any = NotesOptions

    def __init__(self, options: NotesOptions) -> None:
        self.notes = RightNotes(options)

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        return self.notes.health(scope, deadline)

    def search(self, query: Query, scope: Scope, deadline: Deadline) -> Iterator[Memory | Problem]:
        for entry in islice(self.hits(query, scope, deadline), query.limit):
            try:
                yield from self.notes.load(entry, scope)
            except StoreBroken as error:
                yield Problem(entry.key, str(error))

    def hits(self, query: Query, scope: Scope, deadline: Deadline) -> Iterator[Entry]:
        """Notes with any of the words in them, and those that cannot be looked into."""
        for entry in self.notes.entries(scope, deadline):
            assert isinstance(entry, Entry)
            text = unicodedata.normalize("NFC", entry.locator.read_bytes().decode("utf-8", "replace"))
            if "\ufffd" in text or any(term in text for term in query.terms):
                yield entry


@hookimpl
def recall_provider() -> type:
    return RightSearch
