"""Antigravity's knowledge items and brain documents."""

from recall.api import hookimpl


@hookimpl
def recall_provider() -> type:
    """The provider class."""
    from recall_antigravity.provider import AntigravityProvider

    return AntigravityProvider
