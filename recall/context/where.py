"""How the work tree stands, as a checkpoint notes it; told from a few small files, git is not run."""

from __future__ import annotations

from recall.api import Scope
from recall.context.saving import Where
from recall.git import heads
from recall.git.shown import safe


def stands(scope: Scope, fingerprint: str = "") -> Where:
    """Branch and commit of the work tree the user stands in."""
    if not scope.in_git:
        return Where(fingerprint=fingerprint)
    head = heads.current(scope.root)
    linked = safe(scope.root.name) if scope.root != scope.main_root else ""
    return Where(safe(head.branch), head.commit, fingerprint, linked)
