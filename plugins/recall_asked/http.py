"""The family `http`: one source for each table `[providers.http.<name>]`."""

from __future__ import annotations

from recall.api import hookimpl


@hookimpl
def recall_provider() -> type:
    """The provider class, imported when the host asks for it."""
    from recall_asked.http_provider import HttpSource

    return HttpSource
