"""Folders of our own below the one for temporary files, for this user only; those of killed processes are removed."""

from __future__ import annotations

import os


def new(kind: str) -> str:
    """A new empty folder, mode 0700; `kind` begins its name. Raises OSError.

    What processes of this user left of the same kind when they were killed is removed first.
    """
    import tempfile

    base = tempfile.gettempdir()
    sweep(base, kind)
    return os.path.realpath(tempfile.mkdtemp(prefix=f"{kind}{os.getpid()}-", dir=base))


def sweep(base: str, kind: str) -> None:
    """Remove what processes of this user that are gone left of a kind."""
    try:
        names = os.listdir(base)
    except OSError:
        return
    for name in names:
        owner = name.removeprefix(kind).partition("-")[0]
        if name.startswith(kind) and owner.isdigit() and not _is_alive(int(owner)):
            remove(os.path.join(base, name))


def remove(folder: str) -> None:
    """Remove a folder, if it is this user's; links in it are not followed."""
    try:
        if os.lstat(folder).st_uid == os.getuid():
            import shutil

            shutil.rmtree(folder, ignore_errors=True)
    except (OSError, AttributeError):  # Windows has no user numbers, and cleans its folder itself
        pass


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
