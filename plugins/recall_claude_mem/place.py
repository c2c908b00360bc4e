"""Where claude-mem keeps its data, and whether it keeps its memories there at all.

The rule is `resolveDataDir` of claude-mem 13.25: the environment, else the settings file in the home folder,
else `~/.claude-mem`. Settings files may hold API keys in clear: only the keys named here are looked at.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from recall.api import Problem, Scope
from recall.errors import StoreBroken
from recall.files import display_path, is_folder, read_text

_DATA_DIR = "CLAUDE_MEM_DATA_DIR"
_RUNTIME = "CLAUDE_MEM_RUNTIME"
_DATABASE = "claude-mem.db"  # never a pattern: whole copies lie beside it as backups
_SERVER_RUNTIMES = ("server", "server-beta")


class Place(NamedTuple):
    """The data folder in use."""

    data: Path
    runtime: str = ""  # "server": memories go to another back end, the database may stay empty
    facts: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def database(self) -> Path:
        """The one database for all projects, whether or not it exists."""
        return self.data / _DATABASE

    @property
    def is_elsewhere(self) -> bool:
        """Whether new memories go to a server instead of the database."""
        return self.runtime in _SERVER_RUNTIMES


class Wanted(NamedTuple):
    """Which rows a scope asks for."""

    names: tuple[str, ...]  # of the project
    all_projects: bool
    prompts: bool
    most: int  # rows of one table, the newest


def find_place(scope: Scope, data_dir: str) -> Place:
    """The data folder by option, environment, settings or default."""
    default = scope.home / ".claude-mem"
    explicit = data_dir.strip() or scope.env.get(_DATA_DIR, "").strip()
    values, problems = settings(default / "settings.json", (_DATA_DIR, _RUNTIME))
    facts: list[str] = []
    data = scope.expand(explicit) if explicit else default
    if not explicit and (named := values.get(_DATA_DIR, "").strip()):
        data = scope.expand(named)
        if not is_folder(data) and is_folder(default):
            # A home folder that was copied or renamed keeps the old path in its settings.
            facts.append(f"the settings name {display_path(data)}, which is not there: {default} is read")
            data = default
    if data != default:
        values, more = settings(data / "settings.json", (_RUNTIME,))
        problems = (*problems, *more)
    runtime = scope.env.get(_RUNTIME, "").strip() or values.get(_RUNTIME, "").strip()
    return Place(data, runtime, tuple(facts), problems)


def settings(path: Path, keys: Iterable[str]) -> tuple[Mapping[str, str], tuple[Problem, ...]]:
    """The named settings, flat or below "env"."""
    if not os.path.lexists(path):
        return {}, ()
    try:
        from recall.frontmatter import load_json  # only who has settings needs it

        document = load_json(read_text(path).text)
    except StoreBroken as error:
        return {}, (Problem(display_path(path), f"settings are not applied: {error}", harmless=True),)
    flat = document if isinstance(document, dict) else {}
    nested = flat.get("env")
    below = nested if isinstance(nested, dict) else {}
    found = {key: flat.get(key, below.get(key)) for key in keys}
    return {key: value for key, value in found.items() if isinstance(value, str)}, ()
