"""How the project's repository stands, and a name for the state of its work tree."""

from __future__ import annotations

from recall.api import Deadline, Scope
from recall.git import present, repository
from recall.git.fingerprint import fingerprint
from recall.git.present import Present


def look(scope: Scope, deadline: Deadline) -> tuple[Present | None, str]:
    """The repository as it stands, None outside one, and the work tree's fingerprint, "" where it is not known."""
    if not scope.in_git:
        return None, ""
    found = repository.find(scope.root, scope.home, scope.env, deadline)
    standing = present.stands(found, deadline)
    return standing, fingerprint(found, standing.tree, deadline)
