"""Markdown memories: Claude Code's, its sub-agents', memory banks, and any folders the user lists."""

from recall.api import hookimpl


@hookimpl
def recall_provider() -> type:
    """The provider class."""
    from recall_markdown.provider import MarkdownProvider

    return MarkdownProvider
