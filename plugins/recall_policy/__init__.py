"""Policies: rules set down for agents, in the project, at home, and by plugins that are nothing but rules."""

from __future__ import annotations

from recall.api import hookimpl


@hookimpl
def recall_provider() -> type:
    """The provider class, imported when the host asks for it."""
    from recall_policy.provider import PolicyFiles

    return PolicyFiles
