"""Tests that need programs from npm, or minutes, run when they are asked for by name, not with the rest."""

from __future__ import annotations

from pathlib import Path

import pytest


def is_asked_for(config: pytest.Config, folder: Path) -> bool:
    """Whether the command line names this folder or something in it."""
    named = (config.invocation_params.dir / argument.split("::")[0] for argument in config.args)
    return any(folder == path or folder in path.parents for path in (path.resolve() for path in named))
