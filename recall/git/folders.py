"""Where a repository keeps itself, told from a few small files; git is not run."""

from __future__ import annotations

import os
from pathlib import Path

from recall import files
from recall.errors import ProviderError

_SMALL = 65_536  # bytes of `.git` and `commondir` that are read


def top(folder: Path) -> Path | None:
    """The nearest folder at or above this one that holds a `.git`, else this one if it is a bare repository."""
    found = next((place for place in (folder, *folder.parents) if os.path.lexists(place / ".git")), None)
    return folder if found is None and _looks_bare(folder) else found


def _looks_bare(folder: Path) -> bool:
    return files.is_file(folder / "HEAD") and all(
        files.is_folder(folder / name) for name in ("objects", "refs")
    )


def folders(top: Path) -> tuple[Path | None, Path | None]:
    """A repository's own folder and the one it shares with its worktrees; None where `.git` names none."""
    dot_git = top / ".git"
    if not os.path.lexists(dot_git):
        return top, top  # bare
    git_dir: Path | None = dot_git
    if not files.is_folder(dot_git):
        text = _read(dot_git)
        git_dir = _named(top, text.removeprefix("gitdir:")) if text.startswith("gitdir:") else None
    if git_dir is None:
        return None, None
    common = _read(git_dir / "commondir")
    return git_dir, _named(git_dir, common) if common.strip() else git_dir


def _named(folder: Path, text: str) -> Path | None:
    """The folder that a file names, from where it is named; None for a name that no folder can have."""
    name = text.strip()
    return Path(os.path.normpath(folder / name)) if name and "\0" not in name else None


def _read(path: Path) -> str:
    try:
        return os.fsdecode(files.read_bytes(path, _SMALL))
    except ProviderError:
        return ""
