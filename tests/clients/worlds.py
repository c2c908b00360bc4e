"""The machine of a user without a login: a home, a project with memories, a clean environment, one client."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from clients import packages
from recall.demo import sample

REPOSITORY = Path(__file__).resolve().parents[2]
QUESTION = sample.QUESTION
MEMORY = "실패한 결제는 최대 3번까지 재시도한다."  # Serena's, which outranks the rest
URI = "recall://serena/payments/retry_policy"
TOOLS = {
    "deep_recall", "memory_health", "read_memory", "search", "fetch",
    "context_bootstrap", "context_checkpoint", "check_handle",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class World:
    """Where a client runs."""

    home: Path
    project: Path
    recall: Path  # starts this checkout's recall, with nothing in the environment
    env: Mapping[str, str] = field(default_factory=dict)

    def run(
        self,
        arguments: Sequence[str | Path],
        env: Mapping[str, str] | None = None,
        *,
        cwd: Path | None = None,
        seconds: float = 90.0,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program to its end, without input; after `seconds` it and all that it started are ended."""
        process = subprocess.Popen(
            [os.fspath(argument) for argument in arguments],
            cwd=cwd or self.project,
            env={**self.env, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        try:
            out, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, errors = process.communicate()
            pytest.fail(f"{arguments[0]} did not end within {seconds:.0f} s\n{out[-2000:]}\n{errors[-2000:]}")
        return subprocess.CompletedProcess(arguments, process.returncode, out, errors)

    @contextmanager
    def started(
        self, arguments: Sequence[str | Path], *, wait_for: str, seconds: float = 30.0
    ) -> Iterator[str]:
        """A server while it is needed; the first group of a pattern in what it prints once it is ready."""
        process = subprocess.Popen(
            [os.fspath(argument) for argument in arguments],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        watchdog = threading.Timer(seconds, process.kill)
        watchdog.start()
        try:
            assert process.stdout is not None
            found = next(filter(None, (re.search(wait_for, line) for line in process.stdout)), None)
            watchdog.cancel()
            assert found is not None, f"{arguments[0]} ended, or was not ready within {seconds:.0f} s"
            yield found[1]
        finally:
            watchdog.cancel()
            process.kill()
            process.communicate()

    @contextmanager
    def served(self) -> Iterator[tuple[str, str]]:
        """The address of `recall serve --http` while it is needed, and the token that opens it."""
        token = self.run([self.recall, "serve", "--show-token"]).stdout.strip()
        with self.started(
            [self.recall, "serve", "--http", "--port", "0"], wait_for=r"(http://\S+/mcp)"
        ) as url:
            yield url, token

    def python(self, *arguments: str | Path) -> list[str | Path]:
        """The command that runs a script of this checkout."""
        return ["/usr/bin/env", f"PYTHONPATH={_code()}", sys.executable, *arguments]

    def set_up(self, client: str, *options: str) -> None:
        """`recall setup CLIENT --write`, with this world's recall."""
        assert self.asked_to_set_up(client, *options).startswith("set up: ")

    def asked_to_set_up(self, client: str, *options: str) -> str:
        """What that command says."""
        done = self.run([self.recall, "setup", client, "--write", "--command", self.recall, *options])
        assert done.returncode == 0, done.stderr
        return done.stdout


def make_world(folder: Path) -> World:
    """A world below a folder, with the sample's memories."""
    built = sample.build(folder, time.time())
    env = {"PATH": _path(), "HOME": os.fspath(built.home), "LANG": "C.UTF-8", "TERM": "dumb"}
    return World(built.home, built.project, _recall(folder), env)


def _path() -> str:
    node = packages.node()
    return ":".join(filter(None, (node and os.path.dirname(node), "/usr/local/bin", "/usr/bin", "/bin")))


def _code() -> str:
    """Where Python finds the code of this checkout."""
    return ":".join(
        filter(None, (os.fspath(REPOSITORY), f"{REPOSITORY}/plugins", os.environ.get("PYTHONPATH", "")))
    )


def _recall(folder: Path) -> Path:
    """A script that starts the code of this checkout, wherever it is started."""
    script = folder / "recall"
    script.write_text(
        f'#!/bin/sh\nPYTHONPATH={shlex.quote(_code())} exec {shlex.quote(sys.executable)} -m recall "$@"\n'
    )
    script.chmod(0o755)
    return script


def program_of(package: packages.Package) -> Path:
    """The program of a package; skips the test if it is not installed."""
    if package.program is None:
        pytest.skip(f"{package.title} {package.version} is not installed: run tests/clients/run")
    return package.program


def node_program(package: packages.Package) -> list[str | Path]:
    """The command that starts a package's script; skips the test if it, or Node, is not installed."""
    node = packages.node()
    if node is None:
        pytest.skip("Node is not installed: run tests/clients/run")
    return [node, program_of(package)]
