"""The version of basic-memory that tests start; it needs a newer Python than recall does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from live.environments import CannotInstall, FromPyPI, run

_OLDEST = (3, 12, 1)  # of Python, as its package requires
_VERSION = "import sys; print(*sys.version_info[:3])"


@dataclass(frozen=True, slots=True)
class WithNewerPython(FromPyPI):
    """A virtual environment made by a Python that is new enough, wherever one is."""

    def install(self, folder: Path, seconds: float) -> None:
        """With the first that is found."""
        until = time.monotonic() + seconds
        python = next((path for path in _pythons() if _version(path) >= _OLDEST), None)
        if python is None:
            wanted = ".".join(map(str, _OLDEST))
            raise CannotInstall(f"it needs Python {wanted} or newer, and none was found")
        run([python, "-m", "venv", os.fspath(folder)], folder.parent, seconds)
        pip = [os.fspath(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
        run([*pip, "install", "--quiet", *self.packages], folder, until - time.monotonic())


def _pythons() -> Iterator[str]:
    yield sys.executable
    for name in ("python3.13", "python3.12", "python3.14"):
        yield from filter(None, [shutil.which(name)])
    yield from map(os.fspath, sorted((Path.home() / ".pyenv" / "versions").glob("3.1[2-4]*/bin/python")))


def _version(python: str) -> tuple[int, ...]:
    done = subprocess.run([python, "-c", _VERSION], capture_output=True, text=True, check=False)
    return tuple(int(part) for part in done.stdout.split()) if done.returncode == 0 else ()


NEW = WithNewerPython("basic-memory", "0.24.1", ("basic-memory==0.24.1",), "bin/basic-memory")
PROGRAMS = (NEW,)
