"""Words that were looked for and not found: what of them still holds when HEAD, the index or a file has moved on.

A search through all files costs far more than a look at what changed. So what changed is looked at once: a word whose
line was put in, taken away or edited is looked for again, and the absence of all others goes on.
"""

from __future__ import annotations

from collections.abc import Callable

from recall.api import Deadline
from recall.evidence import words
from recall.evidence.edits import Edits
from recall.evidence.store import Store, hashed
from recall.git import history
from recall.git.command import Git

_LONGEST = 3_600.0  # seconds that an absence goes on: folders that git does not know are not looked into here
_MOST_FILES = 100  # edited files that are read
_MOST_BYTES = 4 << 20  # of changed lines; more is another branch, and all is looked for again
_STATE, _HEAD, _EDITED = "looked state", "looked head", "looked edits"


class Absences:
    """The absences that are kept in a store."""

    def __init__(self, git: Git, store: Store, text: Callable[[str], str], now: Callable[[], float]) -> None:
        """`text`: a file's text by its path; `now`: epoch seconds."""
        self._git = git
        self._store = store
        self._text = text
        self._now = now

    def move_on(self, head: str, state: str, changed: Callable[[], Edits], deadline: Deadline) -> None:
        """Bring them to another state; what cannot be decided is forgotten.

        state: something that changes with HEAD, the index, and the files that differ.
        """
        before = self._store.fact(_STATE)
        if before == state:
            return
        edits = changed()
        edited = edits.paths if edits == edits._replace(lists_changed=True, lists_untracked=True) else None
        found = self._what_changed(head, edited, deadline) if before else None
        with self._store:
            if found is not None:
                named, paths = found
                self._store.many("DELETE FROM absent WHERE pattern = ?", [(hashed(one),) for one in named])
                self._store.many("DELETE FROM absent WHERE path = ?", [(path,) for path in paths])
                self._store.run(
                    "UPDATE absent SET state = ? WHERE state = ? AND at > ?",
                    (state, before, self._now() - _LONGEST),
                )
            self._store.run("DELETE FROM absent WHERE state <> ?", (state,))
            self._store.keep(_STATE, state)
            self._store.keep(_HEAD, head if edited is not None else "")
            self._store.keep(_EDITED, "\0".join(sorted(edited or ())))

    def _what_changed(
        self, head: str, edited: frozenset[str] | None, deadline: Deadline
    ) -> tuple[set[str], set[str]] | None:
        """Names of the lines that changed, and the files they are in; None if that is too much to tell."""
        old = self._store.fact(_HEAD)
        if not old or edited is None:
            return None
        before = self._store.fact(_EDITED).split("\0")
        if any(path.endswith("/") for path in edited.difference(before)):
            return None  # a folder that git does not know: what is in it is not listed
        paths = {path for path in (*edited, *before) if path and path[-1] != "/"}
        if len(paths) > _MOST_FILES:
            return None
        named = {name for path in paths for name in words.named_in(self._text(path).split("\n"))}
        if old != head:
            with history.between(self._git, old, head, deadline, _MOST_BYTES) as reading:
                for file in reading.files():
                    paths.add(file.path)
                    lines = (line.decode("utf-8", "replace") for line in (*file.removed, *file.added))
                    named |= words.named_in(lines)
                if not reading.result.ok:
                    return None
        return (named, paths) if not deadline.expired() else None
