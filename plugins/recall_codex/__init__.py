"""What Codex remembers of its sessions: the memories it distilled, and its summary of each session."""

from recall.api import hookimpl


@hookimpl
def recall_provider() -> type:
    """The provider class."""
    from recall_codex.provider import CodexProvider

    return CodexProvider
