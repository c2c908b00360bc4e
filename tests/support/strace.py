"""Faults of the system's calls, put in by strace where it is there and may be used."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache

import pytest


@cache
def unusable() -> str:
    """Why no fault can be put in, "" if it can: strace may be missing, too old, or forbidden here."""
    if not shutil.which("strace"):
        return "there is no strace on this machine (apt install strace)"
    command = [*injecting("trace=none", "inject=pwrite64:error=EIO:when=9+"), "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"strace cannot be used here: {done.stderr.strip()[:200]}"


def require() -> None:
    """Skip the test where no fault can be put in."""
    if reason := unusable():
        pytest.skip(reason)


def injecting(*expressions: str, paths: Iterable[str | os.PathLike[str]] = ()) -> list[str]:
    """The command that runs another one with these faults, only on calls on these paths if any are named.

    expressions: as strace's `-e` takes them: `inject=read:error=EIO`.
    """
    only = [part for path in paths for part in ("-P", os.fspath(path))]
    told = [part for expression in expressions for part in ("-e", expression)]
    return ["strace", "-f", "-qqq", "-o", os.devnull, *only, *told]
