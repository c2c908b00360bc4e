"""Engines over given providers: everything is passed in, nothing is taken from the machine."""

from __future__ import annotations

from collections.abc import Sequence
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
from recall.testing.corpus import NOW


def make_engine(
    folder: Path,
    providers: Sequence[Any],
    scope: Scope,
    settings: Settings | None = None,
    *,
    broken: Sequence[Plugin] = (),
    now: float = NOW,
    **rest: Any,
) -> Engine:
    """An engine over the given provider objects, with its own folders below `folder`.

    broken: further rows, of plugins that could not be loaded.
    now: epoch seconds.
    """
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
    rest.setdefault("started", Started.at(found(scope), places))
    return Engine(scope, loaded, places, now=lambda: now, **rest)


def found(scope: Scope) -> Scope:
    """What is found where a made-up scope lies; itself, where there is nothing."""
    if not scope.cwd.is_dir():
        return scope
    return find_scope(scope.cwd, home=scope.home, env=scope.env, all_projects=scope.all_projects)
