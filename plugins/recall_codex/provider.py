"""Codex's memories as a source: one folder for all projects, in which each memory names its own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import ClassVar

from recall import files
from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope, option, record
from recall.errors import StoreAbsent
from recall.notes import Folder, Shelf

SUMMARIES = "rollout_summaries"
_DISTILLED = frozenset({"MEMORY.md", "memory_summary.md"})
_NEXT_STEP = "switch on memories in Codex (features.memories in its config.toml) and let a session end"


@record
class CodexOptions:
    """Settings below `[providers.codex]`."""

    home: str = option("", "Codex's folder; empty: $CODEX_HOME, else ~/.codex.")
    summaries: bool = option(
        True, "Also read its summary of each session (rollout_summaries).", from_project="value"
    )
    max_file_bytes: int = option(
        files.READ_LIMIT, "Most bytes read of one file; what is cut is reported.", at_least=1024
    )


class CodexProvider:
    """Memories that Codex distilled, and its summaries of sessions."""

    name = "codex"
    reading = "2"
    authority = Authority.CURATED
    Options: ClassVar[type] = CodexOptions

    def __init__(self, options: CodexOptions) -> None:
        self._options = options
        self._shelf = Shelf()

    def entries(self, scope: Scope, deadline: Deadline) -> tuple[Entry | Problem, ...]:
        """One entry a file; raises StoreAbsent if Codex has no memories folder."""
        top = self._top(scope)
        folders = [Folder("", top, names=_DISTILLED)]
        if self._options.summaries:
            folders.append(Folder(SUMMARIES, os.path.join(top, SUMMARIES)))
        return self._shelf.entries(
            folders, deadline, StoreAbsent(f"no memories folder of Codex ({top})", _NEXT_STEP)
        )

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:
        """The memories of one file, without those of other projects unless they are wanted."""
        from recall_codex import memories  # a question after which nothing changed reads no file

        return memories.read(entry, self._options.max_file_bytes, scope)

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """Reads every file and counts its memories, those of this project and all."""
        from recall import documents

        top = self._top(scope)
        raw = os.path.join(top, "raw_memories.md")
        waits = "; what it noted of single sessions waits to be distilled" if files.is_file(raw) else ""
        reason = f"Codex keeps a memories folder, and nothing distilled is in it{waits}"
        return documents.health(self, scope, deadline, places=[top], reason=reason, next_step=_NEXT_STEP)

    def _top(self, scope: Scope) -> str:
        home = self._options.home or scope.env.get("CODEX_HOME") or "~/.codex"
        return os.path.join(scope.expand(home), "memories")
