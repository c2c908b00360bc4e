"""Serena's memories: markdown notes an agent wrote about one project, or about all of them."""

from __future__ import annotations

from recall.api import hookimpl


@hookimpl
def recall_provider() -> type:
    """The provider class, imported when the host asks for it."""
    from recall_serena.provider import SerenaProvider

    return SerenaProvider
