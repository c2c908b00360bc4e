"""Real repositories for tests, made with the git of this machine and nothing of its configuration."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from support.worlds import snapshot

GIT = shutil.which("git") or ""
needs_git = pytest.mark.skipif(not GIT, reason="there is no git on this machine")
ENV = {"PATH": os.environ.get("PATH", os.defpath)}
START = 1_760_000_000  # epoch seconds of a repository's first commit; each later one is an hour younger


class Repo:
    """A repository in a folder, and a home beside it that has no settings."""

    def __init__(self, top: Path, home: Path) -> None:
        self.top = top
        self.home = home
        self.commits = 0

    @classmethod
    def new(cls, top: Path, home: Path, *arguments: str) -> Repo:
        top.mkdir(parents=True, exist_ok=True)
        home.mkdir(parents=True, exist_ok=True)
        repo = cls(top, home)
        repo.git("init", "-q", "-b", "main", *arguments)
        return repo

    @property
    def env(self) -> dict[str, str]:
        when = f"{START + self.commits * 3_600} +0900"
        people = {
            f"GIT_{who}_{what}": text for who in ("AUTHOR", "COMMITTER") for what, text in _PERSON.items()
        }
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        return {
            **ENV,
            **people,
            **dates,
            "HOME": os.fspath(self.home),
            "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C",
        }

    def git(self, *arguments: str | bytes, check: bool = True, stdin: bytes = b"") -> str:
        """Run git as its owner would; its output without the last line end."""
        done = subprocess.run(
            [GIT, *arguments],
            cwd=self.top,
            env=self.env,
            input=stdin,
            capture_output=True,
            check=False,
            timeout=60,
        )
        if check and done.returncode:
            raise AssertionError(f"git {arguments!r}: {done.stderr.decode()}")
        return os.fsdecode(done.stdout).removesuffix("\n")

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(os.fsencode(text))

    def commit(
        self, message: str = "A change", files: Mapping[str, str] | None = None, *arguments: str
    ) -> str:
        """Commit everything; the new commit's id."""
        self.write(files or {})
        self.git("add", "-A")
        self.commits += 1
        self.git(
            "commit",
            "-q",
            "--allow-empty",
            "--allow-empty-message",
            "-F",
            "-",
            *arguments,
            stdin=message.encode(),
        )
        return self.git("rev-parse", "HEAD")

    def traces(self) -> dict[str, tuple[object, ...]]:
        """All of the repository and the work tree: bytes, modes, times."""
        return snapshot(self.top)


_PERSON = {"NAME": "Kim Dev", "EMAIL": "dev@example.com"}
