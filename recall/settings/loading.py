"""From files, environment and flags to settings; validated when an input changed, else taken from the cache.

Precedence: flags > RECALL_* > the project's file > the user's file > defaults.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from recall.errors import SettingsError
from recall.places import Places
from recall.settings import shape, sources
from recall.settings.layers import Layer, forget, merge, split_options, within
from recall.settings.model import NEXT_STEP, TABLES, Origin, ProviderSettings, Settings, canonical
from recall.settings.notation import capped, did_you_mean, dotted, problem

_SCHEMA = 1  # of the kept documents


def load(
    *,
    places: Places,
    root: Path | None,
    env: Mapping[str, str],
    flags: Mapping[str, Any] | None = None,
    home: Path | None = None,
) -> Settings:
    """Everything that is set for a project.

    Providers' own options are left for `options_for`, their names for `check_provider_names`.

    places: recall's own folders: `config.toml` is in the one, what the user trusts and what was validated in
    the others. root: holds the project's `.recall.toml`; None: no project. flags: nested like the files,
    `{"query": {"limit": 3}}`; a value of None was not given. home: what `~/` in RECALL_CONFIG means.

    Raises SettingsError with one line for every mistake.
    """
    problems: list[str] = []
    files = sources.config_files(places.config, root, home, env, problems)
    variables = sources.variables(env)
    if not (files or variables or flags or problems):
        return Settings()
    environment = sources.environment_layer(variables, problems)
    core, options = split_options(environment.data)
    inputs = _Inputs(files, environment._replace(data=core), _trusts_project(files, places.state))
    settings = _settings(_document(inputs, places.cache, problems))
    settings = _with_options(settings, environment, options)
    settings = _with_flags(settings, sources.flag_layer(flags or {}), problems)
    if problems:
        raise SettingsError(capped(problems), NEXT_STEP)
    return settings


def stamps(
    places: Places, root: Path, env: Mapping[str, str], home: Path
) -> tuple[tuple[int, int] | None, ...]:
    """What changes when the files do that `load` reads: their times and sizes, None for one that is not there."""
    named = sources.written_in(places.config, root, home, env)
    return tuple(
        map(_stamp, [*(path for _kind, path in named), os.fspath(places.state / sources.TRUST_FILE)])
    )


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


class _Inputs(NamedTuple):
    """All that the validated document depends on.

    Provider options from the environment and flags are not in it: they are laid over the document, and so are
    never written to the cache.
    """

    files: list[sources.ConfigFile]
    environment: Layer
    trusted: bool

    def digest(self) -> str:
        from recall.settings.cache import digest

        files = [(file.kind, file.path, file.content) for file in self.files]
        shapes = [shape.signature(cls) for cls in (*TABLES.values(), ProviderSettings)]
        return digest("core", _SCHEMA, shapes, files, self.environment, self.trusted)


def _trusts_project(files: list[sources.ConfigFile], state_dir: Path) -> bool:
    project = next((file for file in files if file.kind == "project"), None)
    if project is None:
        return False
    from recall.settings.trust import is_trusted

    return is_trusted(project.real_path, project.content, state_dir)


def _document(inputs: _Inputs, cache_dir: Path, problems: list[str]) -> dict[str, Any]:
    """The validated settings as plain values, from the cache if the same inputs were validated before."""
    if problems or not (inputs.files or inputs.environment.data):
        return _validated(inputs, problems)
    from recall.settings import cache

    key = inputs.digest()
    kept = cache.read(cache_dir, key)
    if kept is not None:
        return dict(kept)
    document = _validated(inputs, problems)
    if not problems:
        cache.write(cache_dir, key, document)
    return document


def _validated(inputs: _Inputs, problems: list[str]) -> dict[str, Any]:
    layers: list[Layer] = []
    asked: dict[str, Any] = {}
    asked_origins: dict[str, Origin] = {}
    notices: list[str] = []
    for file in inputs.files:
        layer = sources.file_layer(file, problems)
        if file.kind == "project" and not inputs.trusted:
            from recall.settings.restrict import restrict

            asked_origins = merge([layer]).origins
            layer, asked, notices = restrict(layer, layers[0].data if layers else {})
        layers.append(layer)
    merged = merge([*layers, inputs.environment])
    core, options = split_options(merged.values)
    values: dict[str, Any] = {}
    if core:
        from recall.settings import validate

        values = validate.core(core, merged.origins, problems)
    return {
        "values": values,
        "options": options,
        "origins": _plain(merged.origins),
        "untrusted": asked,
        "untrusted_origins": _plain(asked_origins) if asked else {},
        "notices": capped(notices),
    }


def _plain(origins: Mapping[str, Origin]) -> dict[str, list[str]]:
    return {key: [origin.kind, origin.place] for key, origin in origins.items()}


def _settings(document: Mapping[str, Any]) -> Settings:
    values, options, untrusted = document["values"], document["options"], document["untrusted"]
    tables: dict[str, Any] = {
        name: shape.construct(cls, values[name]) for name, cls in TABLES.items() if values.get(name)
    }
    chosen = values.get("providers", {})
    providers = {
        name: replace(
            shape.construct(ProviderSettings, chosen.get(name, {})),
            options=options.get(name, {}),
            untrusted=untrusted.get(name, {}),
        )
        for name in sorted({*chosen, *options, *untrusted})
    }
    return Settings(
        **tables,
        providers=providers,
        origins={key: Origin(*origin) for key, origin in document["origins"].items()},
        untrusted_origins={key: Origin(*origin) for key, origin in document["untrusted_origins"].items()},
        notices=tuple(document["notices"]),
    )


def _with_options(settings: Settings, layer: Layer, options: Mapping[str, Mapping[str, Any]]) -> Settings:
    """The settings with a layer's provider options over those of the files."""
    if not options:
        return settings
    providers, origins = dict(settings.providers), dict(settings.origins)
    for name, own in options.items():
        provider = settings.provider(name)
        providers[name] = replace(provider, options={**provider.options, **own})
        for key in own:
            path = ("providers", name, key)
            forget(origins, dotted(path))
            origins[dotted(path)] = layer.origin(path)
    return replace(settings, providers=providers, origins=origins)


def _with_flags(settings: Settings, layer: Layer, problems: list[str]) -> Settings:
    """The settings with the flags over all else; flags that are plainly right need no validation library."""
    core, options = split_options(layer.data)
    origins = merge([layer._replace(data=core)]).origins
    if not _plainly_right(core):
        from recall.settings import validate

        core = validate.core(core, origins, problems)
    changed: dict[str, Any] = {
        name: _changed(getattr(settings, name), core[name]) for name in TABLES.keys() & core.keys()
    }
    providers = dict(settings.providers)
    for name, table in core.get("providers", {}).items():
        providers[name] = _changed(settings.provider(name), table)
    settings = replace(settings, **changed, providers=providers, origins={**settings.origins, **origins})
    return _with_options(settings, layer, options)


def _changed(table: Any, values: Mapping[str, Any]) -> Any:
    new = shape.construct(type(table), values)
    return replace(table, **{key: getattr(new, key) for key in values})


def _plainly_right(core: Mapping[str, Any]) -> bool:
    """Whether every value is a number of its option's own type and within its range."""
    for name, table in core.items():
        described = shape.keys(TABLES[name]) if name in TABLES else {}
        if not isinstance(table, dict) or not all(
            key in described and _is_right_number(value, *described[key]) for key, value in table.items()
        ):
            return False
    return True


def _is_right_number(value: Any, annotation: Any, told: Mapping[str, Any]) -> bool:
    low, high = told.get("at_least"), told.get("at_most")
    if type(value) is not annotation or annotation not in (int, float) or low is None or high is None:
        return False
    return bool(low <= value <= high)


def check_provider_names(settings: Settings, names: Collection[str]) -> Settings:
    """The settings without providers that are not there, each of which is told in the notices.

    Only a project may name such providers: it is shared between machines, and what is not installed on this
    one is no mistake in it. Raises SettingsError for names that the user wrote.
    """
    known = {canonical(name) for name in names}
    unknown = sorted(settings.providers.keys() - known)
    if not unknown:
        return settings
    problems, notices = [], []
    for name in unknown:
        key = dotted(("providers", name))
        line = f"unknown provider{did_you_mean(name, names)}"
        origins = [settings.origins[place] for place in within(settings.origins, key)]
        origins += [settings.untrusted_origins[place] for place in within(settings.untrusted_origins, key)]
        wrote = next((origin for origin in origins if origin.kind != "project" and origin.place), None)
        if wrote is not None:
            problems.append(problem(wrote.place, key, line))
        else:
            notices.append(problem(origins[0].place, key, f"{line}; not used"))
    if problems:
        raise SettingsError(capped(problems), "recall providers lists the names there are")
    providers = {name: provider for name, provider in settings.providers.items() if name in known}
    return replace(settings, providers=providers, notices=(*settings.notices, *capped(notices)))
