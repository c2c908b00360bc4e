"""Every setting with its value and where it came from, for `recall config show`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recall.settings import shape
from recall.settings.model import DEFAULT, TABLES, Origin, Settings, canonical
from recall.settings.notation import KeyPath, dotted, printable, toml
from recall.settings.providers import ProviderOptions

SECRET = "(secret)"
NOT_SET = "(not set)"
NOT_LOADED = "(not shown: the provider is not loaded)"

Row = tuple[str, str, Origin]


def describe(settings: Settings, options: Mapping[str, ProviderOptions[Any]] | None = None) -> list[Row]:
    """(dotted key, value as TOML, origin) of every setting, defaults too, in the order of the keys.

    options: what `options_for` returned, by provider. Options of a provider that is not among them are listed
    without their values: only the provider knows which of them are secret.
    """
    loaded = {canonical(name): found for name, found in (options or {}).items()}
    rows = [row for name in TABLES for row in _table((name,), getattr(settings, name), settings.origins)]
    for name in {*settings.providers, *loaded}:
        path: KeyPath = ("providers", name)
        provider = settings.provider(name)
        rows += _table(path, provider, settings.origins)
        if name in loaded:
            rows += _table(path, loaded[name].value, loaded[name].origins)
        else:
            keys = [dotted((*path, own)) for own in provider.options]
            rows += [(key, NOT_LOADED, settings.origin(key)) for key in keys]
    return sorted(rows, key=lambda row: row[0])


def described_options(
    settings: Settings, name: str, options: Mapping[str, ProviderOptions[Any]]
) -> list[tuple[str, str, Origin]]:
    """A provider's own options, as `describe` tells them, by their names; of one that is not loaded, those set."""
    path: KeyPath = ("providers", canonical(name))
    provider = settings.provider(name)
    loaded = options.get(name)
    if loaded is None:
        return [(own, NOT_LOADED, settings.origin(dotted((*path, own)))) for own in sorted(provider.options)]
    rows = _table(path, loaded.value, loaded.origins)
    return [(key.removeprefix(dotted(path)).lstrip("."), value, origin) for key, value, origin in rows]


def _table(path: KeyPath, table: Any, origins: Mapping[str, Origin]) -> list[Row]:
    rows = []
    for name, (_annotation, told) in shape.keys(type(table)).items():
        key = dotted((*path, name))
        rows.append((key, _shown(getattr(table, name), told), origins.get(key, DEFAULT)))
    return rows


def _shown(value: Any, told: Mapping[str, Any]) -> str:
    if value is None:
        return NOT_SET
    if told.get("secret"):
        return SECRET if value else toml(value)
    return printable(toml(value))
