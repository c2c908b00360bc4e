"""From entry points and settings to the sources an engine reads, and a row for every plugin that is not one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from recall import plugins, settings
from recall.api import Authority, Scope, SearchProvider
from recall.places import Places
from recall.plugins import Plugin
from recall.settings import ProviderOptions, Settings
from recall.settings.notation import dotted


class Source(NamedTuple):
    """A provider that is read, with the authority the settings give it."""

    name: str
    provider: Any
    authority: Authority
    plugin: Plugin

    @property
    def searches(self) -> bool:
        """Whether it can only be asked."""
        return isinstance(self.provider, SearchProvider) and not hasattr(self.provider, "entries")

    @property
    def reading(self) -> str:
        """Which version of its reading the provider has; "" if it tells none. Each text of a single file is another."""
        told = getattr(self.provider, "reading", "")
        told = told if isinstance(told, str) else ""
        return f"{told} {type(self.provider).__module__}".strip() if self.plugin.file else told


class Loaded(NamedTuple):
    """The settings as the plugins are known; every plugin as a row, the usable ones as sources with options."""

    settings: Settings
    plugins: tuple[Plugin, ...]
    sources: Mapping[str, Source]
    options: Mapping[str, ProviderOptions[Any]]


def load(configured: Settings, places: Places, scope: Scope) -> Loaded:
    """Load what is enabled; a disabled plugin is never imported. Raises SettingsError."""
    cache = os.fspath(places.cache) if places.cache.is_dir() else None
    files, problem = plugins.in_files(places.config, _named(configured, places, scope))
    if problem:
        configured = replace(configured, notices=(*configured.notices, problem))
    offers = [*plugins.discover(cache), *files]
    chosen, rows = plugins.choose(offers, lambda name: configured.provider(name).distribution)
    configured = settings.check_provider_names(configured, [offer.name for offer in offers])
    options: dict[str, ProviderOptions[Any]] = {}

    def options_for(name: str, options_class: type) -> Any:
        options[name] = settings.provider_options(
            configured, name, options_class, places=places, root=scope.root
        )
        return options[name].value

    for candidate in chosen:
        if configured.enabled(candidate.name):
            rows.append(plugins.load(candidate, options_for))
        else:
            by_default = configured.provider(candidate.name).enabled is None
            reason = "off by default" if by_default else "disabled in the settings"
            rows.append(plugins.switched_off(candidate, reason))
    rows.sort(key=lambda row: (row.name, row.provider is None, row.distribution, row.file))
    return Loaded(
        configured, tuple(rows), {row.name: _source(row, configured) for row in rows if row.provider}, options
    )


def _named(configured: Settings, places: Places, scope: Scope) -> dict[str, str]:
    """The single files that the settings name; a relative path is below the settings file that says it."""
    named = {}
    for name, chosen in configured.providers.items():
        if chosen.file:
            trusted = configured.origin(dotted(("providers", name, "file"))).kind == "project"
            folder = scope.root if trusted else places.config
            path = scope.expand(chosen.file) if chosen.file.startswith("~") else folder / chosen.file
            named[name] = os.fspath(path)
    return named


def _source(row: Plugin, configured: Settings) -> Source:
    authority = configured.provider(row.name).authority or row.provider.authority
    return Source(row.name, row.provider, Authority(authority), row)
