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
from recall.settings import Settings
from recall.testing import engines
from recall.testing.corpus import NOW as NOW  # the moment tests take for now
from recall.testing.engines import found as found
from recall.testing.traces import snapshot as snapshot

REPOSITORY = Path(__file__).resolve().parents[2]


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
    scope: Scope | None = None,
    **rest: Any,
) -> Engine:
    """An engine over the given provider objects, by default in a made-up scope below `folder`."""
    return engines.make_engine(folder, providers, scope or make_scope(folder), settings, **rest)


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
