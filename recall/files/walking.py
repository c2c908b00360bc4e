"""Walking a folder: through links at most once per real folder, with a word for everything that is left out."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from typing import Concatenate, NamedTuple, ParamSpec

from recall.api import Deadline, Problem
from recall.errors import StoreBroken
from recall.files import apart
from recall.files.folders import Item, Listing, Times, list_folder, times
from recall.files.found import NOWHERE, Found, Identity
from recall.files.names import display_path, is_inside
from recall.files.reading import kind
from recall.wording import why

WALK_LIMIT = 200_000  # entries of one tree
_P = ParamSpec("_P")


_Walked = Iterator[Found | Problem]


class _Wanted(NamedTuple):
    """What a walk is to find, and where it may go: as `Walker.walk` is told."""

    suffixes: tuple[str, ...]
    enter: Callable[[str], bool] | None
    leave_root: bool
    allowed: tuple[str, ...]
    limit: int


class _Seen(NamedTuple):
    """What a walk leaves for the next one of the same tree."""

    folders: dict[str, Listing]  # by path
    files: dict[str, Found]  # by path


class Walker:
    """Walks the same trees again and again: a folder that has not changed is not listed again.

    Every file is looked at each time. One that is as before is the same `Found` object as before, so that a
    caller can tell a tree without a change by comparing. Not for two threads at once.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        """`now` is epoch seconds."""
        self._now = now
        self._seen: dict[tuple[str, tuple[str, ...]], _Seen] = {}

    def walk(
        self,
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

        Links are followed; each real folder and file comes once, so loops end. Whatever cannot be looked at
        comes as a Problem. A missing `root` yields nothing.

        enter: decides by the relative folder name whether to descend; default: always.
        leave_root: whether links may lead out of `root` (a shared folder) or are reported instead.
        allowed: real folders into which links may lead all the same.
        """
        top = os.fspath(root)
        before = self._seen.get((top, suffixes), _Seen({}, {}))
        wanted = _Wanted(suffixes, enter, leave_root, allowed, limit)
        walk = _Walk(top, deadline, wanted, before, self._now())
        yield from walk.run()
        self._seen[top, suffixes] = walk.after


def _once(
    method: Callable[Concatenate[Walker, _P], Iterator[Found | Problem]],
) -> Callable[_P, Iterator[Found | Problem]]:
    def walking(*arguments: _P.args, **wanted: _P.kwargs) -> Iterator[Found | Problem]:
        """`Walker.walk` for a tree that is walked once."""
        return method(Walker(), *arguments, **wanted)

    return walking


walk = _once(Walker.walk)


class _Folder(NamedTuple):
    """A folder that is still to be walked."""

    path: str
    prefix: str  # before the names in it: "" or "a/b/"
    identity: Identity
    times: Times


class _Full(Exception):
    """The tree has more entries than are looked at."""


class _Walk:
    """One walk of one tree."""

    def __init__(
        self,
        top: str,
        deadline: Deadline,
        wanted: _Wanted,
        before: _Seen,
        now: float,
    ) -> None:
        self.after = _Seen({}, {})
        self._top = top
        self._deadline = deadline
        self._wanted = wanted
        self._before = before
        self._now = now
        self._count = 0
        self._careful = apart.avoided()
        self._been: set[Identity] = set()
        self._pending = [_folder(top)]
        self._linked_folders: list[_Folder] = []
        self._linked_files: list[tuple[Item, os.stat_result]] = []

    def run(self) -> Iterator[Found | Problem]:
        """The whole tree."""
        try:
            while self._pending or self._linked_folders:
                # What links lead to comes last, so that a file inside keeps the name it has without them.
                folder = self._pending.pop() if self._pending else self._linked_folders.pop(0)
                self._deadline.check()
                if folder.identity not in self._been:
                    self._been.add(folder.identity)
                    yield from self._in(folder)
        except _Full:
            reason = f"more than {self._wanted.limit:,} entries; the rest is not read"
            yield Problem(display_path(self._top), reason, hides_entries=True)
            return
        for item, found in self._linked_files:
            if (identity := (found.st_dev, found.st_ino)) not in self._been:
                yield self._file(item, found, identity)

    def _in(self, folder: _Folder) -> Iterator[Found | Problem]:
        """The files of one folder; the folders in it are put down for later."""
        if self._careful and (reason := apart.obstacle(folder.path)):
            yield Problem(display_path(folder.path), reason, hides_entries=True)
            return
        known = self._before.folders.get(folder.path)
        if known is None or not known.holds(folder.identity, folder.times, folder.prefix, self._now):
            listed = list_folder(
                folder.path, folder.prefix, self._wanted.suffixes, folder.identity, folder.times, self._now
            )
            if isinstance(listed, Problem):
                yield listed
                return
            known = listed
        if known.settled:
            self.after.folders[folder.path] = known
        room = max(0, self._wanted.limit - self._count - known.others)
        self._count += known.others + len(known.items)
        below: list[_Folder] = []
        # A tree may have thousands of files, all looked at for each question: no step more than is needed.
        lstat, is_file, been, take = os.lstat, stat.S_ISREG, self._been, self._file
        for number, item in enumerate(known.items[:room], 1):
            if number % 256 == 0:
                self._deadline.check()
            if self._careful and (reason := apart.obstacle(item.path)):
                yield Problem(item.relative, reason, hides_entries=True)
                continue
            try:
                found = lstat(item.path)
                if is_file(found.st_mode):
                    if item.is_wanted and (identity := (found.st_dev, found.st_ino)) not in been:
                        yield take(item, found, identity)
                    continue
                if stat.S_ISLNK(found.st_mode):
                    item = item._replace(is_link=True)  # whatever it was when the folder was listed
                    found = os.stat(item.path)
            except OSError as error:
                told = _unseen(item, error)
                if told is not None:
                    yield told
                continue
            if item.is_wanted or stat.S_ISDIR(found.st_mode):
                yield from self._placed(item, found, below)
        self._pending.extend(reversed(below))
        if room < len(known.items):
            raise _Full

    def _placed(self, item: Item, found: os.stat_result, below: list[_Folder]) -> Iterator[Found | Problem]:
        is_folder = stat.S_ISDIR(found.st_mode)
        if is_folder and self._wanted.enter is not None and not self._wanted.enter(item.relative):
            return
        if not is_folder and not stat.S_ISREG(found.st_mode):
            yield Problem(item.relative, f"not a regular file but {kind(found.st_mode)}; skipped")
            return
        if item.is_link:
            target, told = self._link(item)
            if told is not None:
                yield told
            if target is None:
                return
            if stat.S_IFMT(target.st_mode) != stat.S_IFMT(found.st_mode):
                yield Problem(item.relative, "changed while it was looked at", hides_entries=True)
                return
            found = target
        if is_folder:
            identity = (found.st_dev, found.st_ino)
            entered = _Folder(item.path, item.relative + "/", identity, times(found))
            (self._linked_folders if item.is_link else below).append(entered)
        else:
            self._linked_files.append((item, found))

    def _file(self, item: Item, found: os.stat_result, identity: Identity) -> Found:
        """The file as it was found by the walk before, if nothing of it has changed."""
        self._been.add(identity)
        file = self._before.files.get(item.path)
        if (
            file is None
            or file.ctime_ns != found.st_ctime_ns
            or file.mtime_ns != found.st_mtime_ns
            or file.size != found.st_size
            or file.identity != identity
        ):
            file = Found(
                item.path, item.relative, found.st_mtime_ns, found.st_size, identity, found.st_ctime_ns
            )
        self.after.files[item.path] = file
        return file

    def _link(self, item: Item) -> tuple[os.stat_result | None, Problem | None]:
        """What a link leads to, None if it is not followed, and what there is to tell of it."""
        real_top = os.path.realpath(self._top)
        target = os.path.realpath(item.path)
        told = None
        if not is_inside(target, (real_top, *self._wanted.allowed)):
            if is_inside(real_top, (target,)):
                reason = "link to a folder around the store; not followed"
                return None, Problem(item.relative, reason, harmless=True)
            if not self._wanted.leave_root:
                return None, Problem(item.relative, "link that leaves the store")
            reason = f"link out of the store, to {display_path(target)}"
            told = Problem(item.relative, reason, harmless=True)
        try:
            return os.lstat(target), told  # of the place that was judged: by now the link may lead elsewhere
        except OSError as error:
            return None, Problem(item.relative, f"broken link or {why(error)}", hides_entries=True)


def _unseen(item: Item, error: OSError) -> Problem | None:
    """What there is to tell of an entry that cannot be looked at."""
    if item.is_wanted:
        return Problem(item.relative, f"broken link or {why(error)}" if item.is_link else why(error))
    if isinstance(error, FileNotFoundError):
        # A link to nowhere may be the way to a folder that is away for now.
        if item.is_link and "." not in item.relative.rsplit("/", 1)[-1]:
            return Problem(item.relative, "broken link", hides_entries=True, harmless=True)
        return None
    if error.errno == errno.ELOOP:  # hides nothing
        return None
    return Problem(item.relative, why(error), hides_entries=True)


def _folder(top: str) -> _Folder:
    try:
        apart.require_answering(top)
        found = os.stat(top)
    except (OSError, ValueError, StoreBroken):
        return _Folder(top, "", NOWHERE, (0, 0))
    return _Folder(top, "", (found.st_dev, found.st_ino), times(found))
