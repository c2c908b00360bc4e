"""Documents of a project's current state: hand-overs, checkpoints, and the checkpoint journal."""

from recall.api import hookimpl


@hookimpl
def recall_provider() -> type:
    """The provider class."""
    from recall_state.provider import StateProvider

    return StateProvider
