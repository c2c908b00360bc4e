"""Providers of one file, without packaging: which there are, whether one may be run, and its module.

A file runs with the user's rights. So it is run only if nobody but the user, or the system's own root, can have
written it: the file is the user's, and neither it nor a folder above it can be written by others.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import stat
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import NamedTuple

from recall.errors import ProviderError
from recall.files import display_path, open_regular
from recall.wording import why

_MOST_BYTES = 1 << 20  # of one file: twenty times the longest provider
_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_ROOT = 0  # the system's own user, who may write everything anyway


class Listed(NamedTuple):
    """The files of a folder, and why it could not be listed, or ""."""

    paths: tuple[str, ...]
    problem: str = ""


def listed(folder: str) -> Listed:
    """Every `*.py` in a folder but those that begin with `_` or `.`; none of them is opened."""
    try:
        names = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return Listed(())
    except OSError as error:
        return Listed(
            (), f"{display_path(folder)}: cannot be listed: {why(error)}; no provider in it is read"
        )
    chosen = [name for name in names if name.endswith(".py") and name[0] not in "._"]
    return Listed(tuple(os.path.join(folder, name) for name in chosen))


def name_of(path: str) -> str:
    """The provider that a file of the folder offers: it is called like the file."""
    return os.path.basename(path).removesuffix(".py")


def module(name: str, path: str) -> ModuleType:
    """Run the file as a module; what was judged is what runs, and no compiled copy is kept or believed.

    Raises ProviderError if it may not be run, and whatever the file itself raises.
    """
    if not _NAME.fullmatch(name):
        raise ProviderError(
            "its name is none for a provider", "rename it: a to z, digits, and one - or _ between them"
        )
    text = _text(name, path)
    digest = hashlib.sha256(os.fsencode(path) + b"\0" + text).hexdigest()[:16]
    made = ModuleType(f"recall_provider_{digest}")  # another text is another module, and another reading
    made.__file__ = path
    sys.modules[made.__name__] = made  # dataclasses and type hints look their module up
    try:
        exec(compile(text, path, "exec", dont_inherit=True), made.__dict__)
    except BaseException:
        sys.modules.pop(made.__name__, None)
        raise
    return made


def _text(name: str, path: str) -> bytes:
    if not hasattr(os, "geteuid"):
        raise ProviderError(
            "who can write to a file cannot be told on this system", "make it a package: recall new-provider"
        )
    if not os.path.exists(path):
        raise ProviderError("no such file", f"put it there, or set providers.{name}.file to where it is")
    folder, real = os.path.dirname(os.path.abspath(path)), os.path.realpath(path)
    if os.path.dirname(real) != os.path.realpath(folder):
        raise ProviderError(
            "it is a link out of its folder",
            f'set providers.{name}.file = "{display_path(real)}", or copy it',
        )
    for above in (*_passed(folder, set()), *_upwards(os.path.dirname(real))):
        _require_safe(above, os.lstat(above), display_path(above), {os.geteuid(), _ROOT})
    with open_regular(real) as file:
        _require_safe(real, os.fstat(file.fileno()), "it", {os.geteuid()})
        text = file.read(_MOST_BYTES + 1)
    if len(text) > _MOST_BYTES:
        raise ProviderError(
            f"it is larger than {_MOST_BYTES:,} bytes", "make it a package: recall new-provider"
        )
    return text


def _passed(folder: str, seen: set[str]) -> Iterator[str]:
    """Every folder and link on the way to a folder: whoever can change one of them chooses the file."""
    for above in _upwards(folder):
        if above in seen:
            continue
        seen.add(above)
        yield above
        if os.path.islink(above):
            target = os.path.join(os.path.dirname(above), os.readlink(above))
            yield from _passed(os.path.normpath(target), seen)


def _upwards(folder: str) -> Iterator[str]:
    """A folder and every folder above it."""
    yield folder
    while (above := os.path.dirname(folder)) != folder:
        yield above
        folder = above


def _require_safe(path: str, found: os.stat_result, what: str, owners: set[int]) -> None:
    """Refuse what belongs to another user or can be written by others.

    In a folder with the sticky bit (`/tmp`) nobody can replace what is another's; a link's own mode says nothing.
    """
    if found.st_uid not in owners:
        raise ProviderError(f"another user owns {what}", "copy the file into a folder of your own")
    mode = found.st_mode
    sticky = stat.S_ISDIR(mode) and mode & stat.S_ISVTX
    if mode & (stat.S_IWGRP | stat.S_IWOTH) and not (sticky or stat.S_ISLNK(mode)):
        raise ProviderError(f"others can write to {what}", f"chmod go-w {shlex.quote(path)}")
