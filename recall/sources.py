"""From entry points and settings to the sources an engine reads, and a row for every plugin that is not one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from recall import plugins, settings
from recall.api import Authority, Scope, SearchProvider
from recall.places import Places
from recall.plugins import Candidate, Plugin
from recall.settings import FAMILIES, ProviderOptions, Settings
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
        return self.is_asked and not hasattr(self.provider, "entries")

    @property
    def is_asked(self) -> bool:
        """Whether it gets each question: it can only be asked, or is asked beside being read."""
        return isinstance(self.provider, SearchProvider)

    def close(self) -> None:
        """Have the provider close what it keeps open between questions; what fails then is past helping."""
        try:
            getattr(self.provider, "close", _nothing)()
        except Exception:
            pass

    @property
    def is_policy(self) -> bool:
        """Whether it gives rules, and no memory."""
        return hasattr(self.provider, "policies")

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
    sources: Mapping[str, Source]  # of memory
    options: Mapping[str, ProviderOptions[Any]]
    policies: Mapping[str, Source] = {}  # of rules


def load(configured: Settings, places: Places, scope: Scope) -> Loaded:
    """Load what is enabled; a disabled plugin is never imported. Raises SettingsError."""
    cache = os.fspath(places.cache) if places.cache.is_dir() else None
    files, problem = plugins.in_files(places.config, _named(configured, places, scope))
    if problem:
        configured = replace(configured, notices=(*configured.notices, problem))
    offers = [*plugins.discover(cache), *files]
    chosen, rows = plugins.choose(offers, lambda name: configured.provider(name).distribution)
    chosen = _with_members(chosen, configured)
    known = [*(offer.name for offer in offers if offer.name not in FAMILIES), *(one.name for one in chosen)]
    configured = settings.check_provider_names(configured, known)
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
    made = [_source(row, configured) for row in rows if row.provider]
    memory = {source.name: source for source in made if not source.is_policy}
    policies = {source.name: source for source in made if source.is_policy}
    return Loaded(configured, tuple(rows), memory, options, policies)


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


def _nothing() -> None:
    """A provider that keeps nothing open."""


def _with_members(chosen: Sequence[Candidate], configured: Settings) -> list[Candidate]:
    """The plugins, where each family is replaced by what the user's settings make of it: nothing, or several.

    What only an untrusted project's file speaks of is not among them.
    """
    taken = {settings.canonical(candidate.name) for candidate in chosen}
    found: list[Candidate] = []
    for candidate in chosen:
        if candidate.name not in FAMILIES:
            found.append(candidate)
            continue
        members = (
            name
            for name in configured.providers
            if name.startswith(f"{candidate.name}-") and name not in taken and _is_the_users(configured, name)
        )
        found += [candidate._replace(name=name, family=candidate.name) for name in members]
    return found


def _is_the_users(configured: Settings, name: str) -> bool:
    """Whether anything that a provider is set to comes from elsewhere than an untrusted project's file."""
    if configured.provider(name).options:
        return True
    table = f"providers.{name}"
    return any(
        origin.kind != "project"
        for key, origin in configured.origins.items()
        if key == table or key.startswith(f"{table}.")
    )


def _source(row: Plugin, configured: Settings) -> Source:
    authority = configured.provider(row.name).authority or row.provider.authority
    return Source(row.name, row.provider, Authority(authority), row)
