"""The hook a plugin module implements. Registering is all it does; behaviour lives in the provider."""

from __future__ import annotations

import pluggy

PROJECT = "recall"
ENTRY_POINT_GROUP = "recall.providers"

hookspec = pluggy.HookspecMarker(PROJECT)


@hookspec(firstresult=True)
def recall_provider() -> type:  # type: ignore[empty-body]  # a specification has no body
    """Return the provider class; the host constructs it with its validated options."""
