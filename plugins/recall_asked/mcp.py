"""The family `mcp`: one source for each table `[providers.mcp.<name>]`."""

from __future__ import annotations

from recall.api import hookimpl


@hookimpl
def recall_provider() -> type:
    """The provider class, imported when the host asks for it."""
    from recall_asked.mcp_provider import McpSource

    return McpSource
