"""Where a repository keeps itself, told from a few small files; git is not run."""

from __future__ import annotations

import os
from pathlib import Path

from recall import files
from recall.errors import ProviderError

_SMALL = 65_536  # bytes of `.git` and `commondir` that are read


def top(folder: Path) -> Path | None:
    """The nearest folder at or above this one that holds a `.git`."""
    return next((place for place in (folder, *folder.parents) if os.path.lexists(place / ".git")), None)


def folders(top: Path) -> tuple[Path | None, Path | None]:
    """A repository's own folder and the one it shares with its worktrees; None where `.git` names none."""
    dot_git = top / ".git"
    if not os.path.lexists(dot_git):
        return top, top  # bare
    git_dir = dot_git
    if not files.is_folder(dot_git):
        text = _read(dot_git)
        if not text.startswith("gitdir:"):
            return None, None
        git_dir = Path(os.path.normpath(top / text.removeprefix("gitdir:").strip()))
    common = _read(git_dir / "commondir").strip()
    return git_dir, Path(os.path.normpath(git_dir / common)) if common else git_dir


def _read(path: Path) -> str:
    try:
        return os.fsdecode(files.read_bytes(path, _SMALL))
    except ProviderError:
        return ""
