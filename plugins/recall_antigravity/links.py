"""Which project a text is about, told by the files it links to: nothing in these stores says it outright."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from urllib.parse import unquote

from recall import files
from recall.api import Scope

_LINK = re.compile(r"file:///([^\s()<>\[\]\"'`|]+)")
_DRIVE = re.compile(r"/[A-Za-z]:/")
# Folders of the system, and the agent's own: a link into them says nothing about a project.
_SYSTEM = ("/etc", "/usr", "/bin", "/lib", "/proc", "/sys", "/dev")
_AGENT = re.compile(r"[/\\]\.gemini(?:[/\\]|$)")


class Pointing(Enum):
    """Where links lead, seen from a scope."""

    HERE = auto()
    ELSEWHERE = auto()  # all of them into other folders
    NOWHERE = auto()  # there are none that tell


def linked_files(text: str) -> Iterator[str]:
    """The paths behind a text's file:/// links."""
    for match in _LINK.finditer(text):
        path = "/" + unquote(match[1].split("#", 1)[0])
        yield path[1:] if _DRIVE.match(path) else path


def pointing(paths: Iterable[str], scope: Scope) -> Pointing:
    """Whether absolute paths lead into the scope's project; one that does is enough."""
    own = _own(scope)
    telling = [path for path in paths if not _AGENT.search(path) and not files.lies_in(path, _SYSTEM)]
    if any(files.lies_in(path, own) for path in telling):
        return Pointing.HERE
    return Pointing.ELSEWHERE if telling else Pointing.NOWHERE


def mostly_here(paths: Iterable[str], scope: Scope) -> bool:
    """Whether at least half of the relative paths are there in the scope's project.

    Bare names do not count: nearly every project has a README.md.
    """
    telling = [path for path in paths if "/" in path and _is_relative(path)]
    present = [path for path in telling if _is_in(path, scope)]
    return bool(telling) and 2 * len(present) >= len(telling)


def _is_relative(path: str) -> bool:
    return not (os.path.isabs(path) or "://" in path or "\0" in path or ".." in path.split("/"))


def _is_in(path: str, scope: Scope) -> bool:
    return any(os.path.exists(os.path.join(root, path)) for root in scope.roots)


def _own(scope: Scope) -> tuple[str, ...]:
    roots = [os.fspath(root) for root in scope.roots]
    return (*roots, *map(os.path.realpath, roots))
