"""Where projects keep their decision records and the documents of their current state.

Known in one place, since a file belongs to one source: what `decisions` and `state` read by themselves, a folder
that the user lists for another source leaves to them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping

from recall import checkpoints, files
from recall.api import Scope

# adr-tools, MADR, log4brains and what repositories made of them; any case.
DECISION_FOLDERS = (
    "adr",
    "adrs",
    "architecture-decisions",
    "architecture/adr",
    "architecture/decisions",
    "contributing/decisions",
    "decisions",
    "doc/adr",
    "doc/adrs",
    "doc/architecture/decisions",
    "docs/adr",
    "docs/adrs",
    "docs/architecture-decision-records",
    "docs/architecture-decisions",
    "docs/architecture/adr",
    "docs/architecture/decisions",
    "docs/decisions",
)
# The same in one part of a repository; a folder there that is only called "decisions" may be code.
_PART_FOLDERS = tuple(
    name for name in DECISION_FOLDERS if name not in ("decisions", "contributing/decisions")
)
HANDOFF_FOLDERS = (
    ".claude/handoffs",
    ".handoffs",
    "docs/handoff",
    "docs/handoffs",
    "handoffs",
    "notes/handoffs",
)
NOTE_FOLDERS = ("", "doc", "docs", "notes")  # where single documents of either kind lie
CONTEXT = checkpoints.FOLDER  # a journal of checkpoints, and views made of it
_CONTAINERS = frozenset("apps components crates libs modules packages plugins projects services".split())
_NO_PARTS = frozenset("build dist env node_modules out site-packages target third_party vendor venv".split())
_MOST_PARTS = 300  # parts of one repository that are looked into: each costs one listing of a folder
# Patterns as texts, case aside: `re` compiles them at their first use, which most questions do not come to.
_LOG = r"(?i:decisions?(?:[-_. ]?log)?\.md|결정[-_ ]?(?:기록|사항|로그)\.md)"
_HANDOFF = r"(?i:hand-?off.*\.md|인수인계.*\.md)"
_STATE = (
    r"(?i:session[-_]checkpoint\.md|현재[-_ ]?상태.*\.md"
    r"|current[-_ ](?:state|status|context|focus|task|work).*\.md)"
)
_CURRENT = r"(?i:current.*\.md)"  # at the top; docs/current-user.md is about something else


def is_decision_log(relative: str) -> bool:
    """Whether a file of a project is a log of decisions, by its path below the project."""
    folder, _, name = relative.rpartition("/")
    return folder.lower() in NOTE_FOLDERS and re.fullmatch(_LOG, name) is not None


def is_state_document(relative: str) -> bool:
    """Whether a file of a project is a document of its current state, by its path below the project."""
    folder, _, name = relative.rpartition("/")
    if folder.lower() not in NOTE_FOLDERS:
        return False
    return bool(
        is_handoff(name) or re.fullmatch(_STATE, name) or (not folder and re.fullmatch(_CURRENT, name))
    )


def is_handoff(name: str) -> bool:
    """Whether a file's name says that it hands work over."""
    return re.fullmatch(_HANDOFF, name) is not None


def owner(relative: str) -> str:
    """The source that reads a file by itself ("decisions", "state", ""), by its path below the project."""
    plain = relative.lower()
    if is_decision_log(relative) or _lies_in(plain, DECISION_FOLDERS):
        return "decisions"
    if is_state_document(relative) or _lies_in(plain, (*HANDOFF_FOLDERS, CONTEXT)):
        return "state"
    first, _, below = plain.partition("/")
    child, _, rest = below.partition("/")
    if first in _NO_PARTS or first.startswith("."):
        return ""
    in_child = first in _CONTAINERS and child not in _NO_PARTS and _lies_in(rest, _PART_FOLDERS)
    return "decisions" if in_child or _lies_in(below, _PART_FOLDERS) else ""


def decision_folders(root: str) -> tuple[list[str], int]:
    """Folders of decision records in a project and in its parts, and how many parts were not looked into."""
    parts = list(_parts(root))
    found = list(present(root, DECISION_FOLDERS))
    for part in parts[:_MOST_PARTS]:
        found += (f"{part}/{name}" for name in present(os.path.join(root, part), _PART_FOLDERS))
    return list(dict.fromkeys(found)), max(0, len(parts) - _MOST_PARTS)


def present(root: str, wanted: Iterable[str]) -> Iterator[str]:
    """Those of the wanted folders that are there, in any case, as the file system spells them."""
    heads: dict[str, list[str]] = {}
    for path in wanted:
        head, _, rest = path.partition("/")
        heads.setdefault(head, []).append(rest)
    for name in _folders(root, heads):
        rests = heads[name.lower()]
        if "" in rests:
            yield name
        deeper = [rest for rest in rests if rest]
        if deeper:
            yield from (f"{name}/{below}" for below in present(os.path.join(root, name), deeper))


def bases(root: str, scope: Scope) -> Iterator[str]:
    """Below a project's folder: its top, and the folders from there down to the current one."""
    yield ""
    cwd = os.fspath(scope.cwd)
    below = os.path.relpath(cwd, root).split(os.sep) if files.lies_in(cwd, [root]) and cwd != root else []
    yield from ("/".join(below[:depth]) for depth in range(1, len(below) + 1))


def _lies_in(path: str, folders: Iterable[str]) -> bool:
    return path.startswith(tuple(f"{folder}/" for folder in folders))


def _parts(root: str) -> Iterator[str]:
    for name in _folders(root):
        yield name
        if name.lower() in _CONTAINERS:
            yield from (f"{name}/{child}" for child in _folders(os.path.join(root, name)))


def _folders(root: str, wanted: Mapping[str, object] | None = None) -> list[str]:
    """Names of the folders in a folder; unless they are wanted by name, without those of nobody's own work."""
    try:
        with os.scandir(root) as listing:
            return sorted(item.name for item in listing if _counts(item.name, wanted) and item.is_dir())
    except OSError:
        return []


def _counts(name: str, wanted: Mapping[str, object] | None) -> bool:
    plain = name.lower()
    return not (plain.startswith(".") or plain in _NO_PARTS) if wanted is None else plain in wanted
