"""How the project's repository stands, and a name for the state of its work tree."""

from __future__ import annotations

from pathlib import Path

from recall.api import Deadline, Scope
from recall.git import present
from recall.git.fingerprint import fingerprint
from recall.git.present import Present


def look(scope: Scope, cache: Path, deadline: Deadline) -> tuple[Present | None, str]:
    """The repository as it stands, None outside one, and the work tree's fingerprint, "" where it is not known.

    cache: recall's own cache folder.
    """
    if not scope.in_git:
        return None, ""
    found, standing = present.found_and_stands(scope.root, scope.home, scope.env, deadline, cache)
    return standing, fingerprint(found, standing.tree, deadline)
