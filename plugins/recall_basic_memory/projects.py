"""Basic Memory's projects: named folders, by its settings; which of them belong to the scope."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable
from typing import Any

from recall import files, notes
from recall.api import Problem, Scope
from recall.errors import StoreBroken
from recall.notes import Folder
from recall.project_files import places_in_project

_MAIN = "main"  # the project that is there from the start


def folders(
    scope: Scope, config: str, further: Iterable[str], *, default: bool
) -> tuple[list[Folder], tuple[Problem, ...]]:
    """The folders to read, and what is wrong with the settings.

    A project belongs to the scope when its folder lies inside, or it is called like the scope; the default one belongs
    to everybody.
    """
    settings, trouble = _settings(scope, config)
    main = settings.get("default_project") or _MAIN
    named = {_plain(name) for name in (*scope.names, *further)}
    label = scope.names[0] if scope.names else ""
    found = []
    for name, path in sorted(_projects(settings, scope).items()):
        folder = os.path.normpath(scope.expand(path))
        own = notes.is_own(scope, folder) or _plain(name) in named
        if own or scope.all_projects or (default and name == main):
            inside = places_in_project(scope, folder)
            within = tuple(os.path.realpath(root) for root in scope.roots) if inside else ()
            shown = label if own else "" if name == main else files.display_path(name)
            prefix = files.display_path(name).replace("/", "-")
            found.append(Folder(prefix, folder, shown, within=within, places=inside))
    return found, trouble


def _settings(scope: Scope, config: str) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    folder = config or scope.env.get("BASIC_MEMORY_CONFIG_DIR") or "~/.basic-memory"
    path = os.path.join(scope.expand(folder), "config.json")
    if not os.path.lexists(path):
        return {}, ()
    try:
        from recall.frontmatter import load_json  # only who has settings needs it

        settings = load_json(files.read_text(path).text)
        if not isinstance(settings, dict):
            raise StoreBroken("not an object")
    except StoreBroken as error:
        reason = f"its projects are not known: {error}"
        return {}, (Problem(files.display_path(path), reason, hides_entries=True),)
    return settings, ()


def _projects(settings: dict[str, Any], scope: Scope) -> dict[str, str]:
    """Folders by name: a plain path, or in releases since 0.17 a table with one."""
    listed = settings.get("projects")
    found = {}
    for name, value in listed.items() if isinstance(listed, dict) else ():
        path = value.get("path") if isinstance(value, dict) else value
        if isinstance(path, str) and path and "\0" not in path:
            found[name] = path
    return found or {_MAIN: scope.env.get("BASIC_MEMORY_HOME") or "~/basic-memory"}


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
