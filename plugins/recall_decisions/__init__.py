"""Decision records: ADR folders and logs of decisions, with those that no longer hold marked as withdrawn."""

from recall.api import hookimpl


@hookimpl
def recall_provider() -> type:
    """The provider class."""
    from recall_decisions.provider import DecisionsProvider

    return DecisionsProvider
