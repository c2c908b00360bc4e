"""What a project file may say before the user trusts it: providers, names, weights, folders inside it.

Never a command, a URL or a path that leads outside. Whatever else it says is not used, and a notice names it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recall.settings import shape
from recall.settings.layers import Layer, split_options
from recall.settings.model import OFF_BY_DEFAULT, TABLES, Origin, ProviderSettings, canonical
from recall.settings.notation import dotted, problem

UNTIL_TRUSTED = 'not used until you run "recall config trust"'


def restrict(layer: Layer, user: Mapping[str, Any]) -> tuple[Layer, dict[str, dict[str, Any]], list[str]]:
    """What is left of an untrusted project's layer, the options its providers have to judge, and notices.

    user: the user's own file; a project cannot switch on what the user switched off.
    """
    core, options = split_options(layer.data)
    notices: list[str] = []

    def keep(path: tuple[str, ...], table: Any, cls: type) -> Any:
        if not isinstance(table, dict):
            return table
        refused = _refused(table, cls)
        if (
            cls is ProviderSettings
            and table.get("enabled") is True
            and (why := _switched_off(user, path[-1]))
        ):
            refused["enabled"] = f"{why}; {UNTIL_TRUSTED}"
        for key, why in refused.items():
            notices.append(problem(str(layer.origin((*path, key))), dotted((*path, key)), why))
        return {key: value for key, value in table.items() if key not in refused}

    for name in TABLES.keys() & core.keys():
        core[name] = keep((name,), core[name], TABLES[name])
    if isinstance(providers := core.get("providers"), dict):
        core["providers"] = {
            name: keep(("providers", name), table, ProviderSettings) for name, table in providers.items()
        }
    return Layer(layer.kind, core, layer.places, layer.place), options, notices


def _refused(table: Mapping[str, Any], cls: type) -> dict[str, str]:
    """Keys that are the user's alone; keys that do not exist are left for validation to name."""
    described = shape.keys(cls)
    return {
        key: UNTIL_TRUSTED
        for key in table
        if key in described and _rule(described[key][1], "never") != "value"
    }


def _switched_off(user: Mapping[str, Any], name: str) -> str:
    """Why a source is off by the user's own settings, "" if it is on."""
    providers = user.get("providers")
    table = providers.get(name) if isinstance(providers, dict) else None
    chosen = table.get("enabled") if isinstance(table, dict) else None
    if chosen is None:
        return "it is off by default" if canonical(name) in OFF_BY_DEFAULT else ""
    return "you switched it off" if chosen is False else ""


def usable_options(
    name: str, asked: Mapping[str, Any], cls: type, origins: Mapping[str, Origin], root: Path
) -> tuple[dict[str, Any], list[str]]:
    """The options an untrusted project may set, by what the provider's Options class says, and notices."""
    usable: dict[str, Any] = {}
    notices: list[str] = []
    for key, value in asked.items():
        refusal = _table_refusal({key: value}, cls, "never", os.path.realpath(root))
        if refusal:
            path = dotted(("providers", name, key))
            notices.append(problem(str(origins.get(path, "")), path, refusal))
        else:
            usable[key] = value
    return usable, notices


def _table_refusal(table: Mapping[str, Any], cls: type, otherwise: str, real_root: str) -> str:
    """Why a table is not used, or nothing.

    otherwise: the rule of keys that state none. For a table within an option that is "folder", the strictest
        that still lets plain words pass.
    """
    described = shape.keys(cls)
    for key in table.keys() & described.keys():
        annotation, told = described[key]
        if why := _refusal(table[key], annotation, _rule(told, otherwise), real_root):
            return why
    return ""


def _refusal(value: Any, annotation: Any, rule: str, real_root: str) -> str:
    if rule == "never":
        return UNTIL_TRUSTED
    if isinstance(value, list):
        return next((why for item in value if (why := _refusal(item, annotation, rule, real_root))), "")
    if isinstance(value, dict) and (cls := shape.dataclass_in(annotation)) is not None:
        return _table_refusal(value, cls, "folder", real_root)
    if rule == "folder" and isinstance(value, str) and not _is_inside(value, real_root):
        return f"leads out of the project; {UNTIL_TRUSTED}"
    return ""


def _rule(told: Mapping[str, Any], otherwise: str) -> str:
    return str(told.get("from_project", otherwise))


def _is_inside(folder: str, real_root: str) -> bool:
    """Whether a path stays in the project, links followed.

    `..` is refused even where it would come back: behind a wildcard it cannot be told where it leads.
    """
    if folder.startswith("~") or ".." in folder.replace("\\", "/").split("/"):
        return False
    try:
        real = os.path.realpath(os.path.join(real_root, folder))
    except (OSError, ValueError):
        return False
    return os.path.commonpath([real, real_root]) == real_root
