"""Real programs in side environments: pinned, each in a folder of its own, kept between runs.

    python tests/live/environments.py        installs what is missing and says what could not be installed

The folder is $TEST_LIVE_CACHE, else recall-test-live in the user's cache folder; it may be deleted at any time.
What is to be installed stands in the modules `*_programs.py` beside this one, each with a tuple PROGRAMS.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_SECONDS = 1_500.0  # for all downloads together; four minutes where the registries are near
_HERE = Path(__file__).resolve().parent
_COMPLETE = "recall-tests-installed-this"  # a file in an environment that is whole; it says of what
_REASON = "NOT INSTALLED"  # a file with the reason, beside the folder that could not be made


class CannotInstall(Exception):
    """Why a program is not there, in one line."""


@dataclass(frozen=True, slots=True)
class Program:
    """One program of one version; `file` is what tests start, below the environment's folder."""

    title: str
    version: str
    packages: tuple[str, ...]  # as the registry's client names them, with exact versions
    file: str

    @property
    def folder(self) -> Path:
        """Where its environment is, or will be."""
        return cache() / f"{self.title}-{self.version}"

    @property
    def path(self) -> Path | None:
        """The program, if it is installed."""
        path, mark = self.folder / self.file, self.folder / _COMPLETE
        whole = mark.exists() and mark.read_text("utf-8").split() == list(self.packages)
        return path if whole and path.exists() else None

    @property
    def reason(self) -> str:
        """Why it is not installed."""
        try:
            said = _note(self).read_text("utf-8")
        except OSError:
            said = "run tests/live/run"
        return f"{self.title} {self.version} is not installed: {said}"

    def installed(self) -> Path:
        """The program; skips the test that asks if it is not installed, with the reason."""
        import pytest  # the installer needs none

        if self.path is None:
            pytest.skip(self.reason)
        return self.path

    def install(self, folder: Path, seconds: float) -> None:
        """Make the environment; raises CannotInstall."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class FromPyPI(Program):
    """A virtual environment of its own."""

    def install(self, folder: Path, seconds: float) -> None:
        """With this Python."""
        until = time.monotonic() + seconds
        run([sys.executable, "-m", "venv", os.fspath(folder)], folder.parent, seconds)
        pip = [os.fspath(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
        run([*pip, "install", "--quiet", *self.packages], folder, until - time.monotonic())


@dataclass(frozen=True, slots=True)
class FromNpm(Program):
    """A folder with node_modules."""

    def install(self, folder: Path, seconds: float) -> None:
        """Without scripts of the packages."""
        npm = shutil.which("npm")
        if npm is None:
            raise CannotInstall("npm is not there")
        folder.mkdir()
        (folder / "package.json").write_text(json.dumps({"private": True}))
        flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"]
        run([npm, "install", *flags, *self.packages], folder, seconds)


def cache() -> Path:
    """The folder with the environments."""
    named = os.environ.get("TEST_LIVE_CACHE")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(named).absolute() if named else base / "recall-test-live"


def programs() -> Iterator[Program]:
    """All that tests here start."""
    for file in sorted(_HERE.glob("*_programs.py")):
        yield from importlib.import_module(f"live.{file.stem}").PROGRAMS


def install_all(wanted: Iterable[Program]) -> int:
    """Install what is missing; one line for each program. Returns how many are missing still."""
    end = time.monotonic() + _SECONDS
    missing = 0
    for program in wanted:
        reason = "" if program.path else _install(program, end - time.monotonic())
        missing += bool(reason)
        said = f"{_REASON}: {reason}" if reason else "installed"
        print(f"{program.title} {program.version}: {said}", flush=True)
    return missing


def _install(program: Program, seconds: float) -> str:
    """Install one program; why it could not be, in one line, or ""."""
    cache().mkdir(parents=True, exist_ok=True)
    _note(program).unlink(missing_ok=True)
    shutil.rmtree(program.folder, ignore_errors=True)
    try:
        if seconds <= 0:
            raise CannotInstall(f"the {_SECONDS:.0f} s for downloads are over")
        # In place, since programs of a virtual environment name their folder; so a mark says that it is whole.
        program.install(program.folder, seconds)
        (program.folder / _COMPLETE).write_text("\n".join(program.packages), "utf-8")
        if program.path is None:
            raise CannotInstall(f"no {program.file} in it")
    except CannotInstall as reason:
        shutil.rmtree(program.folder, ignore_errors=True)
        _note(program).write_text(str(reason), "utf-8")
        return str(reason)
    return ""


def _note(program: Program) -> Path:
    return program.folder.with_name(f"{program.folder.name}.{_REASON.lower().replace(' ', '-')}")


def run(command: Sequence[str], folder: Path, seconds: float) -> None:
    """Run a registry's client; raises CannotInstall with what it said last."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=max(1.0, seconds),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CannotInstall(f"{Path(command[0]).name} did not end within {seconds:.0f} s") from None
    if done.returncode:
        said = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        errors = [line for line in said if line.lower().startswith(("error", "npm err"))]
        raise CannotInstall((errors or said or [f"it ended with {done.returncode}"])[-1])


if __name__ == "__main__":
    sys.path.insert(0, os.fspath(_HERE.parent))  # the modules of programs are `live.…`
    from live import environments  # this very file, by the name that they import

    environments.install_all(environments.programs())
