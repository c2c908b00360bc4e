"""Builds small real histories: files written, renamed and deleted on given days."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

DAY_ZERO = 1_767_225_600  # 2026-01-01, the first commit's day
DAY = 86_400


def day(number: float) -> float:
    """The epoch of a day of the history, at noon: after that day's commit."""
    return DAY_ZERO + number * DAY + DAY / 2


class Repository:
    """A repository that a test writes."""

    def __init__(self, top: Path) -> None:
        self.top = top
        top.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, at: int = DAY_ZERO) -> str:
        """Run git for the test, with nothing of this machine's settings."""
        env = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": os.fspath(self.top.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Dev",
            "GIT_AUTHOR_EMAIL": "dev@example.org",
            "GIT_COMMITTER_NAME": "Dev",
            "GIT_COMMITTER_EMAIL": "dev@example.org",
            "GIT_AUTHOR_DATE": f"{at} +0000",
            "GIT_COMMITTER_DATE": f"{at} +0000",
        }
        done = subprocess.run(
            ["git", *arguments], cwd=self.top, env=env, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def write(self, files: Mapping[str, str | None]) -> None:
        """Write files; None deletes one."""
        for name, text in files.items():
            path = self.top / name
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")

    def commit(self, number: float, files: Mapping[str, str | None], message: str = "work") -> str:
        """Write files and commit everything on a day; returns the commit's id."""
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, at=int(DAY_ZERO + number * DAY))
        return self.git("rev-parse", "HEAD")

    def move(self, number: float, old: str, new: str) -> str:
        """Rename a file and commit that."""
        (self.top / new).parent.mkdir(parents=True, exist_ok=True)
        self.git("mv", old, new)
        return self.commit(number, {}, f"Move {old}")

    def aside(self, number: float, files: Mapping[str, str | None], since: str = "HEAD") -> str:
        """Commit files on a branch that main does not have; returns the commit's id."""
        self.git("checkout", "-q", "-b", "aside", since)
        made = self.commit(number, files, "Aside")
        self.git("checkout", "-q", "main")
        return made

    def replace(self, number: float, changes: Mapping[str, tuple[str, str]], message: str = "work") -> str:
        """Replace text in files and commit that."""
        texts = {name: (self.top / name).read_text(encoding="utf-8") for name in changes}
        for name, (old, new) in changes.items():
            assert old in texts[name], (name, old)
            texts[name] = texts[name].replace(old, new)
        return self.commit(number, texts, message)
