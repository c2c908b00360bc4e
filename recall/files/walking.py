"""Walking a folder: through links at most once per real folder, with a word for everything that is left out."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from recall.api import Deadline, Problem
from recall.files.names import display_path, displayed, is_inside
from recall.files.reading import kind, why

WALK_LIMIT = 200_000  # entries of one tree
_Identity = tuple[int, int]  # device and file number


@dataclass(frozen=True, slots=True)
class Found:
    """A regular file found by `walk`."""

    path: str  # as the file system spells it
    relative: str  # below the walked folder, with "/", NFC, raw bytes shown as %XX
    mtime_ns: int
    size: int
    identity: _Identity = (0, 0)  # device and file number: the same real file, by whatever name

    @property
    def stamp(self) -> str:
        """Changes when the content may have changed."""
        return f"{self.mtime_ns}:{self.size}"


def walk(
    root: str | os.PathLike[str],
    deadline: Deadline,
    *,
    suffixes: tuple[str, ...] = (".md",),
    enter: Callable[[str], bool] | None = None,
    leave_root: bool = True,
    allowed: tuple[str, ...] = (),
    limit: int = WALK_LIMIT,
) -> Iterator[Found | Problem]:
    """Every regular file below `root` whose name ends in one of `suffixes`, in a stable order.

    Links are followed; each real folder and file comes once, so loops end. Whatever cannot be looked at comes
    as a Problem. A missing `root` yields nothing.

    enter: decides by the relative folder name whether to descend; default: always.
    leave_root: whether links may lead out of `root` (a shared folder) or are reported instead.
    allowed: real folders into which links may lead all the same.
    """
    top = os.fspath(root)
    seen: set[_Identity] = set()
    count = 0
    pending = [(top, "", _identity(top))]
    linked_folders: list[tuple[str, str, _Identity]] = []
    linked_files: list[Found] = []
    while pending or linked_folders:
        # What links lead to comes last, so that a file inside keeps the name it has without them.
        folder, prefix, itself = pending.pop() if pending else linked_folders.pop(0)
        deadline.check()
        if itself in seen:
            continue
        seen.add(itself)
        items = _listing(folder)
        if isinstance(items, Problem):
            yield items
            continue
        below: list[tuple[str, str, _Identity]] = []
        for item in items:
            count += 1
            if count > limit:
                yield Problem(display_path(top), f"more than {limit:,} entries; the rest is not read", True)
                return
            if count % 256 == 0:
                deadline.check()
            relative = prefix + displayed(item.name)
            found = _looked_at(item, relative, suffixes)
            if not isinstance(found, os.stat_result):
                if found:
                    yield found
                continue
            is_folder = stat.S_ISDIR(found.st_mode)
            if is_folder and enter is not None and not enter(relative):
                continue
            is_link = item.is_symlink()
            if not is_folder and not stat.S_ISREG(found.st_mode):
                yield Problem(relative, f"not a regular file but {kind(found.st_mode)}; skipped")
                continue
            if is_link:
                refused, told = _link(item.path, relative, os.path.realpath(top), leave_root, allowed)
                if told is not None:
                    yield told
                if refused:
                    continue
            identity = (found.st_dev, found.st_ino)
            if is_folder:
                (linked_folders if is_link else below).append((item.path, relative + "/", identity))
                continue
            file = Found(item.path, relative, found.st_mtime_ns, found.st_size, identity)
            if is_link:
                linked_files.append(file)
            elif identity not in seen:
                seen.add(identity)
                yield file
        pending.extend(reversed(below))
    for file in linked_files:
        if file.identity not in seen:
            seen.add(file.identity)
            yield file


def _link(
    path: str, relative: str, real_top: str, leave_root: bool, allowed: tuple[str, ...]
) -> tuple[bool, Problem | None]:
    """Whether a link is not followed, and what there is to tell of it."""
    if is_inside(path, (real_top, *allowed)):
        return False, None
    target = os.path.realpath(path)
    if is_inside(real_top, (target,)):
        return True, Problem(relative, "link to a folder around the store; not followed", harmless=True)
    if not leave_root:
        return True, Problem(relative, "link that leaves the store")
    return False, Problem(relative, f"link out of the store, to {display_path(target)}", harmless=True)


def _listing(folder: str) -> list[os.DirEntry[str]] | Problem:
    try:
        with os.scandir(folder) as listing:
            return sorted(listing, key=lambda item: item.name)
    except FileNotFoundError:
        return Problem(display_path(folder), "broken link", True) if os.path.islink(folder) else []
    except (OSError, ValueError) as error:
        return Problem(display_path(folder), why(error), hides_entries=True)


def _looked_at(
    item: os.DirEntry[str], relative: str, suffixes: tuple[str, ...]
) -> os.stat_result | Problem | None:
    """What an entry is, links followed; None if it is neither a folder nor has one of the suffixes."""
    is_wanted = item.name.endswith(suffixes)
    try:
        if not is_wanted and not item.is_dir():
            # Told by the listing itself: media folders hold thousands of other files. A link to nowhere may be
            # the way to a folder that is away for now.
            if item.is_symlink() and "." not in item.name and not os.path.exists(item.path):
                return Problem(relative, "broken link", hides_entries=True, harmless=True)
            return None
        # On Windows a listing carries no file numbers.
        return os.stat(item.path) if os.name == "nt" else item.stat()
    except OSError as error:
        if is_wanted:
            return Problem(relative, f"broken link or {why(error)}" if item.is_symlink() else why(error))
        if error.errno == errno.ELOOP:  # hides nothing
            return None
        return Problem(relative, why(error), hides_entries=True)


def _identity(path: str) -> _Identity:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return (0, 0)
    return (found.st_dev, found.st_ino)
