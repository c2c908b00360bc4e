"""Which of the user's workspaces a project is in."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from recall.settings.model import Workspace


def workspace_of(workspaces: Iterable[Workspace], root: Path, home: Path) -> Workspace | None:
    """The workspace with the nearest folder at or above a project's top folder, links followed; None if none has."""
    real = os.path.realpath(root)
    found: list[tuple[int, Workspace]] = []
    for workspace in workspaces:
        for folder in workspace.folders:
            place = os.path.realpath(
                home / folder[2:] if folder[:2] == "~/" else home if folder == "~" else folder
            )
            if real == place or real.startswith(place.rstrip(os.sep) + os.sep):
                found.append((len(place), workspace))
    return max(found, key=lambda one: one[0])[1] if found else None
