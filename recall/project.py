"""A path to a Scope: which project this is, and what it may be called. Reads files only; runs no git."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path

from recall import files
from recall.api import Scope
from recall.errors import ProviderError, UsageError
from recall.git import folders

_SMALL = 65_536  # bytes of a repository's `config` that are read
# A folder outside version control that holds one of these is a project's top folder.
_MARKERS = (".recall.toml", ".serena")
# Whole trees that are the system's, and folders that only hold others' folders: the Filesystem Hierarchy Standard's
# and Apple's.
_SYSTEM = (
    *("/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys"),
    *("/usr/bin", "/usr/lib", "/usr/sbin", "/private/etc"),
)
_SHELVES = {
    *("/home", "/media", "/mnt", "/opt", "/run", "/srv", "/tmp", "/usr", "/usr/local", "/var"),
    *(
        "/Applications",
        "/Library",
        "/System",
        "/Users",
        "/Volumes",
        "/private",
        "/private/tmp",
        "/private/var",
    ),
}
_SECTION = r'^\s*\[\s*remote\s+"(?P<name>[^"]+)"\s*\]'
_URL = r"^[^\S\n]*+url\s*+=\s*+(?P<url>\S++(?:[^\S\n]++\S++)*+)\s*$"


def find_scope(
    path: Path, *, home: Path, env: Mapping[str, str], names: tuple[str, ...] = (), all_projects: bool = False
) -> Scope:
    """The scope of the project that `path` lies in.

    names: further names from the settings.
    Raises UsageError if `path` is not a folder.
    """
    if not files.is_folder(path):
        what = "not a folder" if os.path.lexists(path) else "no such folder"
        raise UsageError(f"{files.display_path(path)}: {what}", "name an existing one with --project")
    cwd = Path(os.path.realpath(path))
    git = folders.top(cwd)
    root = git or _marked_root(cwd, home) or cwd
    main_root = _main_checkout(root) if git else root
    return Scope(
        home=home,
        cwd=cwd,
        root=root,
        main_root=main_root,
        names=_names(root, main_root, git is not None, names),
        env=env,
        in_git=git is not None,
        all_projects=all_projects,
    )


def is_system_folder(folder: Path) -> bool:
    """Whether a real folder belongs to the system, or only holds others' folders; one inside a repository does not."""
    path = os.fspath(folder)
    system = any(path == top or path.startswith(top + "/") for top in _SYSTEM)
    return (system or path in _SHELVES or path == folder.anchor) and folders.top(folder) is None


def _marked_root(cwd: Path, home: Path) -> Path | None:
    # The home folder holds ~/.serena on every machine that runs Serena: it is no project for that.
    for folder in (cwd, *cwd.parents):
        if folder == home:
            return None
        if any(os.path.lexists(folder / marker) for marker in _MARKERS):
            return folder
    return None


def _main_checkout(root: Path) -> Path:
    """The main checkout behind a linked worktree; `root` itself for anything else (a submodule, a clone)."""
    git_dir, common_dir = folders.folders(root)
    if common_dir is None or common_dir == git_dir:
        return root
    main = common_dir.parent
    return main if common_dir.name == ".git" and files.is_folder(main) else root


def _names(root: Path, main_root: Path, in_git: bool, extra: tuple[str, ...]) -> tuple[str, ...]:
    found = [main_root.name]
    if main_root != root:
        found += [f"{main_root.name}/{root.name}", root.name]
    if in_git:
        found += [main_root.name.removesuffix(".git"), *_remote_names(main_root)]  # of a bare repository
    found += extra
    return tuple(dict.fromkeys(unicodedata.normalize("NFC", name) for name in found if name))


def _remote_names(main_root: Path) -> Iterator[str]:
    """The repository's name in its remote, as folder names and remote names often differ."""
    git_dir, _common_dir = folders.folders(main_root)
    if git_dir is None:
        return
    in_origin = False
    for line in _read(git_dir / "config").split("\n"):
        section = re.match(_SECTION, line)
        if section or line.lstrip().startswith("["):
            in_origin = bool(section and section.group("name") == "origin")
        elif in_origin and (url := re.match(_URL, line)):
            name = re.split(r"[/:\\]", url.group("url").rstrip("/\\"))[-1].removesuffix(".git")
            if name:
                yield name


def _read(path: Path) -> str:
    try:
        return files.read_text(path, _SMALL).text
    except ProviderError:
        return ""
