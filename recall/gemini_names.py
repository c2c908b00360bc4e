"""Where Gemini CLI keeps a project's files, and which project a folder of its belongs to.

It names one after the project's folder, without what is not a-z or 0-9 ("project", "project-1" for Korean names), older
releases after a hash of the path. Who owns it stands in the folder itself or in the program's register; as of 0.61.
"""

from __future__ import annotations

import hashlib
import json
import os
import unicodedata

from recall import files
from recall.api import Scope
from recall.errors import StoreBroken

_SMALL = 65_536  # bytes of .project_root and projects.json that are read


def home(scope: Scope) -> str:
    """The program's own folder."""
    return os.path.join(scope.expand(scope.env.get("GEMINI_CLI_HOME") or "~"), ".gemini")


def context_names(home: str) -> frozenset[str]:
    """What context files are called, by the user's settings: a project's own come with a clone from strangers."""
    try:
        settings = json.loads(_read(os.path.join(home, "settings.json")) or "{}")
    except (ValueError, RecursionError):
        settings = {}  # as the program's own comments make it: the usual name is looked for
    settings = settings if isinstance(settings, dict) else {}
    context = settings.get("context")
    chosen = (context.get("fileName") if isinstance(context, dict) else None) or settings.get(
        "contextFileName"
    )
    named = [chosen] if isinstance(chosen, str) else chosen if isinstance(chosen, list) else []
    plain = {name for name in named if isinstance(name, str) and name.endswith(".md") and "/" not in name}
    return frozenset(plain) or frozenset({"GEMINI.md"})


class Owners:
    """Which project's path a folder below `tmp` stands for; each is looked up once."""

    def __init__(self, scope: Scope) -> None:
        self.top = os.path.join(home(scope), "tmp")
        self._register = _registered(scope)
        self._known: dict[str, str] = {}

    def of(self, name: str) -> str:
        """The project's path, "" if nobody says."""
        if name not in self._known:
            told = _read(os.path.join(self.top, name, ".project_root")).strip()
            self._known[name] = told or self._register.get(name, "")
        return self._known[name]


def _registered(scope: Scope) -> dict[str, str]:
    """Folder name -> project's path: by hash of the scope's own paths, and as the program's own register has it."""
    given = [os.fspath(path) for path in scope.roots]
    paths = [
        unicodedata.normalize(form, path)
        for one in given
        for path in (one, os.path.realpath(one))
        for form in ("NFC", "NFD")
    ]
    hashed = {hashlib.sha256(path.encode("utf-8", "replace")).hexdigest(): path for path in paths}
    try:
        register = json.loads(_read(os.path.join(home(scope), "projects.json")) or "{}")
    except (ValueError, RecursionError):
        return hashed
    projects = register.get("projects") if isinstance(register, dict) else None
    pairs = projects.items() if isinstance(projects, dict) else ()
    return hashed | {name: path for path, name in pairs if isinstance(name, str)}


def _read(path: str) -> str:
    try:
        return files.read_text(path, _SMALL).text
    except StoreBroken:
        return ""
