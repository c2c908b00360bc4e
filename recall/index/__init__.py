"""The one persistent index: what every provider remembers, in SQLite FTS5, in the cache folder.

One file per scope and set of options, so that one project's words never weigh in another's ranking and two
engines with different settings never meet. It can be deleted at any time: it is rebuilt when it is missing,
damaged or of another version.
"""

from __future__ import annotations

from recall.index.file import IN_MEMORY, remove_stale
from recall.index.rows import CorpusCounts, Loaded, Match, Row
from recall.index.store import Index

__all__ = ["IN_MEMORY", "CorpusCounts", "Index", "Loaded", "Match", "Row", "remove_stale"]
