"""What Gemini CLI is told and remembers: `GEMINI.md`, global and of the project, and its memory folders."""

from recall.api import hookimpl


@hookimpl
def recall_provider() -> type:
    """The provider class."""
    from recall_gemini.provider import GeminiProvider

    return GeminiProvider
