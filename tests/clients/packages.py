"""The real clients and tools, with exact versions, installed from npm into a cache folder of their own.

    python tests/clients/packages.py        installs what is missing and says what could not be installed

The folder is $TEST_CLIENTS_CACHE, else recall-test-clients in the user's cache folder; it takes 1.5 GB and may be
deleted at any time. The versions are exact because npm, on a Node that is too old for a package, installs an older
one of another behaviour without a word.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

_SECONDS = 300.0  # for all downloads together; 45 s where the registry is near
_OLDEST_NODE = (22, 19)  # what the inspector needs; below it, Node itself is installed too
_SYSTEM = {"linux": "linux", "darwin": "darwin"}.get(sys.platform, sys.platform)
_MACHINE = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(
    platform.machine().lower(), platform.machine().lower()
)
_PLATFORM = f"{_SYSTEM}-{_MACHINE}"


@dataclass(frozen=True, slots=True)
class Package:
    """One package of npm; `file` is what tests start, a pattern below node_modules."""

    title: str
    version: str
    spec: str
    file: str

    @property
    def folder(self) -> Path:
        """Where it is, or will be, installed."""
        return cache() / f"{self.title.lower().replace(' ', '-')}-{self.version}"

    @property
    def program(self) -> Path | None:
        """The file to start; None if it is not installed."""
        return next(iter(sorted((self.folder / "node_modules").glob(self.file))), None)


# Programs come as a package for each platform; the package without a platform in its name only chooses one, in a
# script that npm may refuse to run.
CLAUDE_CODE = Package(
    "Claude Code",
    "2.1.332",
    f"@anthropic-ai/claude-code-{_PLATFORM}@2.1.332",
    f"@anthropic-ai/claude-code-{_PLATFORM}/claude",
)
CODEX = Package("Codex", "0.171.0", f"@openai/codex@0.171.0-{_PLATFORM}", "@openai/codex/vendor/*/bin/codex")
GEMINI = Package("Gemini CLI", "0.61.0", "@google/gemini-cli@0.61.0", "@google/gemini-cli/bundle/gemini.js")
OPENCODE = Package(
    "opencode",
    "1.18.33",
    f"opencode-{_PLATFORM}@1.18.33",
    f"opencode-{_PLATFORM}/bin/opencode",
)
INSPECTOR = Package("MCP inspector", "2.12.0", "@modelcontextprotocol/inspector@2.12.0", ".bin/mcp-inspector")
CONFORMANCE = Package(
    "MCP conformance", "0.1.16", "@modelcontextprotocol/conformance@0.1.16", ".bin/conformance"
)
NODE = Package("Node", "24.22.3", f"node-{_PLATFORM}@24.22.3", f"node-{_PLATFORM}/bin/node")
CLIENTS = (CLAUDE_CODE, CODEX, GEMINI, OPENCODE, INSPECTOR, CONFORMANCE)


def cache() -> Path:
    """The folder with the installed packages."""
    named = os.environ.get("TEST_CLIENTS_CACHE")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(named).absolute() if named else base / "recall-test-clients"


def node() -> str | None:
    """A Node that is new enough."""
    if NODE.program is not None:
        return str(NODE.program)
    found = shutil.which("node")
    return found if found and _version(found) >= _OLDEST_NODE else None


def _version(program: str) -> tuple[int, ...]:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    return tuple(int(part) for part in said.strip().removeprefix("v").split(".")[:2] if part.isdigit())


def install_all() -> int:
    """Install what is missing; one line for each package. Returns how many are missing still."""
    end = time.monotonic() + _SECONDS
    wanted = [*((NODE,) if node() is None else ()), *CLIENTS]
    missing = 0
    for package in wanted:
        reason = "" if package.program else _install(package, end - time.monotonic())
        missing += bool(reason)
        print(f"{package.title} {package.version}: {f'NOT INSTALLED: {reason}' if reason else 'installed'}")
    return missing


def _install(package: Package, seconds: float) -> str:
    """Install one package; why it could not be, in one line, or ""."""
    npm = shutil.which("npm")
    if npm is None:
        return "npm is not there"
    if seconds <= 0:
        return f"the {_SECONDS:.0f} s for downloads are over"
    new = package.folder.with_name(f"{package.folder.name}.{os.getpid()}")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    (new / "package.json").write_text(json.dumps({"private": True}))
    try:
        return _run_npm(npm, package, new, seconds) or _put_in_place(new, package)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _run_npm(npm: str, package: Package, folder: Path, seconds: float) -> str:
    flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"]
    try:
        done = subprocess.run(
            [npm, "install", *flags, package.spec],
            cwd=folder,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"npm did not end within {seconds:.0f} s"
    if done.returncode == 0:
        return ""
    return next(
        (line for line in done.stderr.splitlines() if line.strip()), f"npm ended with {done.returncode}"
    )


def _put_in_place(new: Path, package: Package) -> str:
    shutil.rmtree(package.folder, ignore_errors=True)
    new.rename(package.folder)
    return "" if package.program else f"no {package.file} in it"


if __name__ == "__main__":
    install_all()
