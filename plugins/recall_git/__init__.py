"""The history of the project's repository: what was changed, when, and in whose words why."""

from recall.api import hookimpl


@hookimpl
def recall_provider() -> type:
    """The provider class."""
    from recall_git.provider import GitProvider

    return GitProvider
