"""An environment of its own, with recall installed from its wheel, as a user has it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from support.worlds import REPOSITORY, process_env

_SECONDS = 600.0  # for one run of pip; 30 s where the registry is near
_TOOLS = ("hatchling>=1.27", "pytest>=8.3", "mypy==2.4.1")


class CannotInstall(Exception):
    """pip cannot get what is needed here."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment and the folder that wheels are built into."""

    folder: Path

    @classmethod
    def new(cls, folder: Path) -> Environment:
        """With recall's own wheel, its dependencies, and what builds, tests and checks a plugin."""
        made = cls(folder)
        folder.mkdir()
        _run([sys.executable, "-m", "venv", str(folder / "venv")], folder)
        made.pip("install", *_TOOLS)
        made.pip("install", str(made.wheel(REPOSITORY)))
        return made

    @property
    def python(self) -> str:
        """The interpreter."""
        return str(self.folder / "venv" / "bin" / "python")

    def pip(self, *arguments: str) -> None:
        """Run pip; raises CannotInstall with what it said last."""
        command = [self.python, "-m", "pip", "--disable-pip-version-check", *arguments, "--quiet"]
        _run(command, self.folder)

    def wheel(self, project: Path) -> Path:
        """Build a project's wheel with the tools that are installed, so that no registry is asked."""
        wheels = self.folder / "wheels" / project.name
        options = ["--no-deps", "--no-build-isolation", "--no-cache-dir", "--wheel-dir", str(wheels)]
        self.pip("wheel", *options, str(project))
        (wheel,) = wheels.glob("*.whl")
        return wheel

    def run(self, *command: str, home: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run a module of the environment, with nothing of this machine's environment but the path."""
        return subprocess.run(
            [self.python, "-m", *command],
            cwd=cwd,
            env={**process_env(home), "PYTHONPATH": ""},
            text=True,
            encoding="utf-8",
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )


def _run(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False, encoding="utf-8"
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise CannotInstall("; ".join(said[-2:]))
