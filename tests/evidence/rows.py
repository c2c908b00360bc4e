"""Rows and checkers for tests of evidence."""

from __future__ import annotations

import os
from pathlib import Path

from evidence.repository import day
from recall.api import Deadline, Scope
from recall.evidence.checker import Checker
from recall.evidence.result import Evidence
from recall.index import Row

NOW = day(100)
LONG = Deadline.after(600)


def row(identity: str, text: str, on: float | None, origin: str = "front matter", path: str = "") -> Row:
    """A memory written on a day of the history."""
    return Row(
        provider="notes",
        uri=f"recall://notes/{identity}",
        title="",
        text=text,
        path=path,
        line=None,
        project="",
        created=None,
        updated=None if on is None else day(on),
        date_origin=origin,
        kind="note",
        authority="",
        extra="{}",
        flags="",
        title_tokens="",
        body_tokens="",
    )


def checker_for(folder: Path, top: Path) -> Checker:
    """A checker of the work tree at `top`, with a home and a cache below `folder`."""
    for name in ("home", "cache"):
        (folder / name).mkdir(exist_ok=True)
    env = {"PATH": os.environ.get("PATH", "")}
    scope = Scope(folder / "home", top, top, top, ("shop",), env, in_git=True)
    return Checker(scope, lambda: folder / "cache", now=lambda: NOW)


def one(checker: Checker, text: str, on: float | None = 10, **rest: str) -> Evidence:
    """The evidence on one memory, written on a day of the history."""
    memory = row("one", text, on, **rest)
    return checker.check([memory], LONG)[memory.uri]
