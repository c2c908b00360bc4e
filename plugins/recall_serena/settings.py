"""Serena's own settings files, as far as they decide where memories are and which of them are served.

Key names and rules: Serena's documentation of memories and configuration, and `serena/config` of its releases
0.1 to 2.1.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

from recall.api import Problem
from recall.errors import StoreBroken
from recall.files import display_path, read_text

LOCATION = "project_serena_folder_location"
IGNORED = "ignored_memory_patterns"
PROJECTS = "projects"
LISTING_KEYS = frozenset({LOCATION, IGNORED})  # all that decides what is listed for one project

# Texts after a key that leave Serena's default in force.
_DEFAULTS = frozenset(
    {"", "~", "null", "[]", "$projectDir/.serena", '"$projectDir/.serena"', "'$projectDir/.serena'"}
)
_NEXT_KEY = r"[\w.-]+:(?:\s.*)?|---|\.\.\.|"


class Settings(NamedTuple):
    """One settings file, or two of which the later replaced keys of the earlier."""

    values: Mapping[str, Any] = MappingProxyType({})
    problems: tuple[Problem, ...] = ()

    def text(self, key: str) -> str:
        """A key's text, or ""."""
        value = self.values.get(key)
        return value.strip() if isinstance(value, str) else ""

    def texts(self, key: str) -> tuple[str, ...]:
        """A key's list of texts; a single text counts as a list of one."""
        value = self.values.get(key)
        items = value if isinstance(value, list) else [value]
        return tuple(item for item in items if isinstance(item, str) and item)


def read_settings(path: str, keys: Iterable[str] | None, *, hides_entries: bool = False) -> Settings:
    """A settings file; only the given keys matter, None means all of them. A missing file is empty.

    Loading YAML costs as much as a whole small query, so a file that leaves every such key at its default is
    not parsed at all.
    """
    if not os.path.lexists(path):
        return Settings()
    try:
        text = read_text(path).text
        values = _loaded(text) if keys is None or may_set(text, keys) else {}
        if not isinstance(values, dict):
            raise StoreBroken("not a mapping")
    except StoreBroken as error:
        reason = f"settings are not applied: {error}"
        return Settings(problems=(Problem(display_path(path), reason, hides_entries=hides_entries),))
    return Settings(values)


def _loaded(text: str) -> Any:
    from recall.frontmatter import load_yaml  # few settings files need it

    return load_yaml(text) or {}


def read_project_settings(data_folder: str, keys: Iterable[str] | None) -> Settings:
    """`project.yml`, with keys replaced (not merged) by the machine's own `project.local.yml`."""
    shared = read_settings(os.path.join(data_folder, "project.yml"), keys)
    # A default in the local file matters as soon as it replaces something.
    local = read_settings(os.path.join(data_folder, "project.local.yml"), None if shared.values else keys)
    return Settings({**shared.values, **local.values}, shared.problems + local.problems)


def may_set(text: str, keys: Iterable[str]) -> bool:
    """Whether YAML text may give one of the keys another value than its default.

    Never False for a text that does; True for some that do not. A key is at its default when every line that
    holds its name is exactly `key: <default>`, and nothing continues that line.
    """
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    for line, following in pairwise([*lines, ""]):
        if "\\" in line and '"' in line:
            return True  # a double-quoted text may spell a key with escapes
        for key in keys:
            if key in line and not _is_default(line, key, following):
                return True
    return False


def _is_default(line: str, key: str, following: str) -> bool:
    if not line.startswith(key + ":") or re.fullmatch(_NEXT_KEY, following) is None:
        return False
    value = line[len(key) + 1 :]
    written = re.split(r"\s#", value, maxsplit=1)[0]  # without a comment
    return written.strip() in _DEFAULTS and value[:1] in ("", " ", "\t")


def why_withheld(home: Settings, project: Settings) -> str:
    """Why Serena itself would not serve memories to its agent just now, or ""."""
    interface = project.text("agent_interface") or home.text("agent_interface")
    if interface.casefold() == "repl":
        return "agent_interface is REPL, which has no memory tools"
    modes = [
        mode for key in ("base_modes", "default_modes", "added_modes") for mode in _both(home, project, key)
    ]
    if "no-memories" in modes:
        return "the mode no-memories is on"
    excluded = {*home.texts("excluded_tools"), *project.texts("excluded_tools")}
    missing = sorted(excluded & {"list_memories", "read_memory"})
    return f"excluded_tools holds {' and '.join(missing)}" if missing else ""


def _both(home: Settings, project: Settings, key: str) -> tuple[str, ...]:
    return project.texts(key) or home.texts(key)
