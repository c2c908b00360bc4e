"""What is different in the work tree, without running or writing anything.

To tell whether a file is changed, Git may have to read it through the filter its attributes name, and filters are
programs of the repository's choice. So each is emptied first. A file that lies in the work tree filtered (Git LFS)
can then be told as changed although it is not, as long as it is as young as the index.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from recall import conventions, files
from recall.api import Deadline
from recall.git.command import Git
from recall.git.ownindex import copied
from recall.git.repository import Repository
from recall.transport.process import Result
from recall.wording import counted

PATHS_KEPT = 1_000  # paths of each kind that are kept; the others are counted
_OUTPUT = 32 << 20  # bytes: some 200,000 paths
_FILTERS = 100  # more of them than any repository needs, few enough for a command line
_AHEAD_BEHIND = re.compile(r"\+([0-9]{1,9}) -([0-9]{1,9})")
_FIELDS = {"1": 8, "2": 9, "u": 10}  # fields before the path of a changed, renamed, conflicted file


class WorkTree(NamedTuple):
    """What differs from the last commit. Counts are whole unless `reason` says why not."""

    changed: int = 0  # files Git knows, changed or removed or added to the index
    untracked: int = 0  # files and folders Git does not know; a folder counts once, whatever is in it
    conflicted: int = 0
    paths: tuple[str, ...] = ()  # as they are shown; the first of each kind
    upstream: str = ""  # the branch it follows
    ahead: int | None = None  # commits that the upstream lacks; None without an upstream that is known
    behind: int | None = None
    reason: str = ""  # why it was not looked at, or not to the end
    raw: tuple[str, ...] = ()  # `paths` as the system names them, without those of recall's own folder
    changes: str = ""  # a digest of all that git said of them; "" where nothing differs

    @property
    def looked(self) -> bool:
        """Whether the counts are whole."""
        return not self.reason

    @property
    def lists_changed(self) -> bool:
        """Whether `paths` holds every file that Git knows and that differs."""
        return self.looked and max(self.changed, self.conflicted) <= PATHS_KEPT

    @property
    def lists_untracked(self) -> bool:
        """Whether `paths` holds every file and folder that Git does not know."""
        return self.looked and self.untracked <= PATHS_KEPT

    def words(self) -> str:
        """`3 files changed, 1 untracked`; "clean" when nothing differs."""
        parts = [f"{counted(self.changed, 'file')} changed"] if self.changed else []
        parts += [f"{self.conflicted:,} conflicted"] if self.conflicted else []
        parts += [f"{self.untracked:,} untracked"] if self.untracked else []
        return ", ".join(parts) or "clean"


NOT_LOOKED = WorkTree(reason="it was not looked at")


class Filters:
    """The content filters that a repository's settings name, asked for while something else is done.

    A context manager, to be used while git lists them.
    """

    def __init__(self, git: Git, deadline: Deadline) -> None:
        self._git = git
        self._running = git.start("config", "--list", "--name-only", "-z", deadline=deadline)

    def __enter__(self) -> Filters:
        self._running.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._running.__exit__(*error)

    def emptied(self) -> tuple[Git, str]:
        """Git with every one of them emptied, and why that cannot be done."""
        listed = b"".join(self._running.chunks())
        asked = self._running.result()
        if not asked.ok:
            return self._git, _why(asked)
        names = {
            name.removeprefix("filter.").rpartition(".")[0]
            for name in os.fsdecode(listed).split("\0")
            if name.startswith("filter.")
        }
        if len(names) > _FILTERS or any("=" in name for name in names):
            return self._git, "its settings name filters that cannot be switched off"
        emptied = [
            f"filter.{name}.{key}"
            for name in sorted(names)
            for key in ("clean=", "smudge=", "process=", "required=false")
        ]
        return self._git._replace(settings=(*self._git.settings, *emptied)), ""


def look(
    repository: Repository, deadline: Deadline, cache: Path | None = None, filters: Filters | None = None
) -> WorkTree:
    """Compare the work tree with the index and the last commit; untracked folders are not walked.

    cache: recall's own cache folder, where git may keep what it learns for the next look.
    filters: those of the repository, if they are asked for already.
    """
    if repository.git_dir is None or repository.bare:
        return WorkTree(reason="no work tree")
    if repository.elsewhere:
        return WorkTree(reason="the repository's settings put its work tree elsewhere")
    if splits_index(repository.git_dir):
        return WorkTree(reason="its index is split, and git cannot read such a one without touching it")
    with nullcontext(filters) if filters is not None else Filters(repository.git, deadline) as asked:
        git, reason = asked.emptied()
    if reason:
        return WorkTree(reason=reason)
    if cache is not None:
        with copied(git, repository.git_dir, cache) as own:
            if own is not None:
                found = _compared(own.git, deadline)
                if found.looked and not own.outdated:
                    return found
    return _compared(git, deadline)


def _compared(git: Git, deadline: Deadline) -> WorkTree:
    with git.start(
        "status",
        "--porcelain=2",
        "-z",
        "--branch",
        "--ahead-behind",
        "--untracked-files=normal",
        "--ignored=no",
        "--ignore-submodules=dirty",
        "--no-renames",
        deadline=deadline,
        limit=_OUTPUT,
    ) as running:
        found = _read(running.records())
        result = running.result()
    return found if result.ok else found._replace(reason=_why(result))


def _read(records: Iterator[bytes]) -> WorkTree:
    counts = dict.fromkeys("12u?", 0)
    paths: list[str] = []
    raw: list[str] = []
    changes = hashlib.sha256()
    branch: dict[str, str] = {}
    for record in records:
        line = os.fsdecode(record)
        kind, _, rest = line.partition(" ")
        if kind == "#":
            name, _, value = rest.partition(" ")
            branch[name] = value
        elif kind in counts:
            counts[kind] += 1
            path = line.split(" ", _FIELDS.get(kind, 1))[-1]
            own = path.partition("/")[0] == conventions.CONTEXT
            if not own:
                changes.update(record + b"\0")
            if counts[kind] <= PATHS_KEPT:
                paths.append(files.display_path(path))
                raw += [] if own else [path]
            if kind == "2":
                next(records, None)  # where it was
    ahead, behind = _distance(branch.get("branch.ab", ""))
    upstream = files.display_path(branch.get("branch.upstream", ""))
    return WorkTree(
        changed=counts["1"] + counts["2"],
        untracked=counts["?"],
        conflicted=counts["u"],
        paths=tuple(paths),
        upstream=upstream,
        ahead=ahead,
        behind=behind,
        raw=tuple(raw),
        changes=changes.hexdigest() if raw else "",
    )


def _distance(text: str) -> tuple[int | None, int | None]:
    """`+2 -1` as 2 ahead and 1 behind."""
    found = _AHEAD_BEHIND.fullmatch(text)
    return (int(found[1]), int(found[2])) if found else (None, None)


def splits_index(git_dir: os.PathLike[str]) -> bool:
    """Whether reading the index would change the time of its shared part."""
    try:
        return any(name.startswith("sharedindex.") for name in os.listdir(git_dir))
    except (OSError, ValueError):
        return False


def _why(result: Result) -> str:
    if result.late:
        return "git did not answer in time"
    if result.cut:
        return "there are more changes than can be counted"
    return "git says: " + files.display_path(
        result.failed or result.last_line or f"it ended with {result.code}"
    )
