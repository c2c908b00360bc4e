"""The version of the installed distribution."""

from __future__ import annotations

DISTRIBUTION = "recall-orchestrator"


def version() -> str:
    """The installed version, or "0+unknown" when recall runs from a folder that was never installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed(DISTRIBUTION)
    except PackageNotFoundError:
        return "0+unknown"
