"""Basic Memory's notes: front matter, observations and relations, in the folders of its projects."""

from recall.api import hookimpl


@hookimpl
def recall_provider() -> type:
    """The provider class."""
    from recall_basic_memory.provider import BasicMemoryProvider

    return BasicMemoryProvider
