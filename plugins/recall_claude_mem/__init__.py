"""claude-mem's observations and session summaries, read from its SQLite file."""

from __future__ import annotations

from recall.api import hookimpl


@hookimpl
def recall_provider() -> type:
    """The provider class, imported when the host asks for it."""
    from recall_claude_mem.provider import ClaudeMemProvider

    return ClaudeMemProvider
