"""The text of `config.example.toml`."""

from __future__ import annotations

import contextlib
import sys


def rendered() -> str:
    """Every option of the core and of the project's own providers, commented."""
    from recall import plugins
    from recall.settings.example import example
    from recall.version import DISTRIBUTION

    own = [candidate for candidate in plugins.discover() if candidate.distribution == DISTRIBUTION]
    with contextlib.redirect_stdout(sys.stderr):
        return example([plugins.provider_class(candidate) for candidate in own])
