"""Old conversations with coding agents, as their clients recorded them: Claude Code, Codex, Gemini CLI."""

from recall.api import hookimpl


@hookimpl
def recall_provider() -> type:
    """The provider class."""
    from recall_transcripts.provider import TranscriptsProvider

    return TranscriptsProvider
