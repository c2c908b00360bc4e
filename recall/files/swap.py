"""Two files change places in one step: what somebody else put there meanwhile comes out, and is never written over."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

_WORKING_FOLDER = -100 if sys.platform.startswith("linux") else -2  # AT_FDCWD
# The kernel's numbers: RENAME_NOREPLACE and RENAME_EXCHANGE on Linux, RENAME_EXCL and RENAME_SWAP on macOS.
_FLAGS = {"linux": ("renameat2", 1, 2), "darwin": ("renameatx_np", 4, 2)}
_NOT_HERE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def exchange(new: Path, path: Path) -> None:
    """Give each of two files in one folder the other's name. Raises OSError.

    Where the system cannot do it in one step, `path` is missing for a moment. If somebody makes a file there in
    that moment, theirs stays, `new` is what was there before, and FileExistsError is raised.
    """
    if not _renamed(new, path, swap=True):
        _exchanged_in_steps(new, path)


def place(new: Path, path: Path) -> None:
    """Give a file another name in its folder; FileExistsError if there is something. Raises OSError."""
    if _renamed(new, path, swap=False):
        return
    if os.name == "nt":
        os.rename(new, path)  # which replaces nothing there
        return
    os.link(new, path)
    os.unlink(new)


def _exchanged_in_steps(new: Path, path: Path) -> None:
    aside = new.with_name(f"{new.name}.old")  # nobody else's: `new` has a name of its own
    os.rename(path, aside)
    try:
        place(new, path)
    except BaseException:
        try:
            place(aside, path)
        except FileExistsError:
            os.replace(aside, new)
        raise
    os.rename(aside, new)


def _renamed(old: Path, new: Path, *, swap: bool) -> bool:
    """Rename with a promise of the kernel's; False where the system or the file system gives none."""
    rename = _system_call()
    if rename is None:
        return False
    _, no_replace, exchanged = _FLAGS[sys.platform]
    flag = exchanged if swap else no_replace
    if rename(_WORKING_FOLDER, os.fsencode(old), _WORKING_FOLDER, os.fsencode(new), flag) == 0:
        return True
    number = ctypes.get_errno()
    if number in _NOT_HERE:
        return False
    raise OSError(number, os.strerror(number), os.fspath(old), None, os.fspath(new))


@cache
def _system_call() -> Callable[..., int] | None:
    if sys.platform not in _FLAGS:
        return None
    call = getattr(ctypes.CDLL(None, use_errno=True), _FLAGS[sys.platform][0], None)
    if call is None:  # an old C library
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    call.restype = ctypes.c_int
    found: Callable[..., int] = call
    return found
