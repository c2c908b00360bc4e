"""The versions of claude-mem whose worker tests start, and the bun that runs it.

The package is unpacked beside what the worker needs of its dependencies: npm looks for peers of its accounts library,
which the worker never loads, for longer than a test run takes.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tarfile
import time
from dataclasses import dataclass
from pathlib import Path

from live.environments import CannotInstall, FromNpm, run

_SYSTEM = {"linux": "linux", "darwin": "darwin"}.get(sys.platform, sys.platform)
_MACHINE = {"x86_64": "x64", "amd64": "x64", "arm64": "aarch64"}.get(
    platform.machine().lower(), platform.machine().lower()
)
_BUN = f"@oven/bun-{_SYSTEM}-{_MACHINE}"
_NEEDED = (f"{_BUN}@1.3.6", "zod@4.4.3", "shell-quote@1.9.0")


@dataclass(frozen=True, slots=True)
class ClaudeMem(FromNpm):
    """Its worker's script is what tests start, by `bun`."""

    @classmethod
    def of(cls, version: str) -> ClaudeMem:
        """A version."""
        return cls(
            "claude-mem", version, _NEEDED, "node_modules/claude-mem/plugin/scripts/worker-service.cjs"
        )

    @property
    def bun(self) -> Path:
        """What runs it."""
        return self.folder / "node_modules" / _BUN / "bin" / "bun"

    def install(self, folder: Path, seconds: float) -> None:
        """What it needs by npm; its own package as it is."""
        until = time.monotonic() + seconds
        FromNpm.install(self, folder, seconds)
        npm = shutil.which("npm")
        assert npm is not None  # the line above needed it
        command = [npm, "pack", "--silent", f"claude-mem@{self.version}"]
        run(command, folder, until - time.monotonic())
        try:
            with tarfile.open(folder / f"claude-mem-{self.version}.tgz") as archive:
                archive.extractall(folder / "unpacked", filter="data")
            (folder / "unpacked" / "package").rename(folder / "node_modules" / "claude-mem")
        except (OSError, tarfile.TarError) as error:
            raise CannotInstall(f"the package cannot be unpacked: {error}") from None
        if not os.access(self.bun, os.X_OK):
            raise CannotInstall(f"no {_BUN}/bin/bun in it")


NEW = ClaudeMem.of("13.25.3")
OLD = ClaudeMem.of("13.4.0")  # schema 32; the new one raises it to 52
PROGRAMS = (NEW, OLD)
