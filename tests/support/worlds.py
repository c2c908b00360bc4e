"""Scopes, engines and snapshots for tests: everything is passed in, nothing is taken from the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from recall.api import Scope
from recall.engine import Engine
from recall.places import Places
from recall.plugins import Plugin
from recall.project import find_scope
from recall.settings import Settings
from recall.sources import Loaded, Source
from recall.started import Started

REPOSITORY = Path(__file__).resolve().parents[2]
NOW = 1_780_000_000.0  # 2026-05-28, the moment tests take for now


def make_scope(folder: Path, **changes: Any) -> Scope:
    """A scope with a home and a project below `folder`; both exist."""
    home, root = folder / "home", folder / "shop-api"
    home.mkdir(parents=True, exist_ok=True)
    root.mkdir(parents=True, exist_ok=True)
    scope = Scope(home=home, cwd=root, root=root, main_root=root, names=("shop-api",), env={})
    return replace(scope, **changes)


def make_engine(
    folder: Path,
    providers: Sequence[Any],
    settings: Settings | None = None,
    *,
    broken: Sequence[Plugin] = (),
    scope: Scope | None = None,
    now: float = NOW,
    **rest: Any,
) -> Engine:
    """An engine over the given provider objects, with its own folders below `folder`."""
    settings = settings or Settings()
    rows = [Plugin(one.name, "tests", "1", one, one.Options()) for one in providers]
    sources = {
        row.name: Source(
            row.name, row.provider, settings.provider(row.name).authority or row.provider.authority, row
        )
        for row in rows
    }
    places = Places(folder / "config", folder / "cache", folder / "state")
    memory = {name: source for name, source in sources.items() if not source.is_policy}
    rules = {name: source for name, source in sources.items() if source.is_policy}
    loaded = Loaded(settings, (*rows, *broken), memory, {}, rules)
    scope = scope or make_scope(folder)
    rest.setdefault("started", Started.at(found(scope), places))
    return Engine(scope, loaded, places, now=lambda: now, **rest)


def found(scope: Scope) -> Scope:
    """What is found where a made-up scope lies; itself, where there is nothing."""
    if not scope.cwd.is_dir():
        return scope
    return find_scope(scope.cwd, home=scope.home, env=scope.env, all_projects=scope.all_projects)


def snapshot(*folders: Path) -> dict[str, tuple[object, ...]]:
    """Everything below the folders: kind, bytes (of a link: its target's too), mode and modification time."""
    seen: dict[str, tuple[object, ...]] = {}
    for top in folders:
        for folder, folders_below, files in os.walk(top):
            for name in (*folders_below, *files, "."):
                path = os.path.join(folder, name)
                found = os.lstat(path)
                content = b""
                if os.path.islink(path):
                    content = os.fsencode(os.readlink(path)) + b"\0"
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        content += file.read()
                seen[path] = (found.st_mode, found.st_mtime_ns, found.st_size, content)
    return seen


def run_recall(
    arguments: Sequence[str], *, home: Path, cwd: Path, env: Mapping[str, str] | None = None, **rest: Any
) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own, with nothing of this machine's environment but the path."""
    return subprocess.run(
        [sys.executable, "-m", "recall", *arguments],
        cwd=cwd,
        env=process_env(home, env),
        text=True,
        encoding="utf-8",
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
        **rest,
    )


def process_env(home: Path, env: Mapping[str, str] | None = None) -> dict[str, str]:
    """A child's environment: this Python's path, a home, UTF-8."""
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": os.fspath(home),
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "LANG": "C.UTF-8",
        **(env or {}),
    }
