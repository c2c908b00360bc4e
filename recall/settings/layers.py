"""Layers of settings, merged deeply, with the origin of every key.

A later layer wins key by key, so that one project's `[providers.serena]` does not wipe the user's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from recall.settings.model import PROVIDER_KEYS, Origin, canonical
from recall.settings.notation import KeyPath, dotted


class Layer(NamedTuple):
    """Values from one source."""

    kind: str  # user, project, env, flag
    data: Mapping[str, Any]
    places: Mapping[KeyPath, str]
    place: str = ""  # where no narrower place is known

    def origin(self, path: KeyPath) -> Origin:
        """Where a key, or the nearest table around it, stands."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.places:
                return Origin(self.kind, self.places[path[:length]])
        return Origin(self.kind, self.place)


def layer_of(
    kind: str, data: Mapping[str, Any], places: Mapping[KeyPath, str] | None = None, place: str = ""
) -> Layer:
    """A layer in which providers go by their canonical names."""
    named = data.get("providers")
    if not isinstance(named, dict) or all(canonical(name) == name for name in named):
        return Layer(kind, data, places or {}, place)
    tables: dict[str, Any] = {}
    for name, table in named.items():
        other = tables.get(canonical(name))
        if isinstance(other, dict) and isinstance(table, dict):
            table = {**other, **table}
        tables[canonical(name)] = table
    renamed = {
        (*path[:1], canonical(str(path[1])), *path[2:])
        if path[0] == "providers" and path[1:]
        else path: where
        for path, where in (places or {}).items()
    }
    return Layer(kind, {**data, "providers": tables}, renamed, place)


class Merged(NamedTuple):
    """Nested values and, by dotted key, where each table, key and table of an array stands."""

    values: dict[str, Any]
    origins: dict[str, Origin]


def merge(layers: Iterable[Layer]) -> Merged:
    """All layers as one; tables are merged, every other value is replaced as a whole."""
    merged = Merged({}, {})
    for layer in layers:
        _lay(layer, layer.data, (), merged.values, merged.origins)
    return merged


def _lay(
    layer: Layer, data: Mapping[str, Any], above: KeyPath, into: dict[str, Any], origins: dict[str, Origin]
) -> None:
    for key, value in data.items():
        path = (*above, key)
        held = into.get(key)
        if key in into and not (isinstance(held, dict) and isinstance(value, dict)):
            forget(origins, dotted(path))
            del into[key]
        if isinstance(value, dict):
            origins.setdefault(dotted(path), layer.origin(path))
            _lay(layer, value, path, into.setdefault(key, {}), origins)
        else:
            origins[dotted(path)] = layer.origin(path)
            into[key] = value
            _note_elements(layer, value, path, origins)


def _note_elements(layer: Layer, value: object, path: KeyPath, origins: dict[str, Origin]) -> None:
    """The places of tables inside a list, for the lines of mistakes in them."""
    if not isinstance(value, list):
        return
    for number, element in enumerate(value):
        inner: Iterable[KeyPath] = ((*path, number),)
        if isinstance(element, dict):
            inner = (*inner, *((*path, number, key) for key in element))
        origins.update({dotted(place): layer.origin(place) for place in inner if place in layer.places})


def within(origins: Mapping[str, Origin], key: str) -> list[str]:
    """A key and every key in it, of those whose origin is known."""
    return [other for other in origins if other == key or other.startswith((f"{key}.", f"{key}["))]


def forget(origins: dict[str, Origin], key: str) -> None:
    """Drop the origins of a key and of everything in it."""
    for other in within(origins, key):
        del origins[other]


def split_options(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The core's part, and each provider's own options, which only the provider can describe."""
    core = dict(values)
    options: dict[str, dict[str, Any]] = {}
    providers = core.pop("providers", {})
    if not isinstance(providers, dict):
        return dict(values), options
    tables: dict[str, Any] = {}
    for name, table in providers.items():
        if not isinstance(table, dict):
            tables[name] = table
            continue
        own = {key: value for key, value in table.items() if key not in PROVIDER_KEYS}
        if own:
            options[name] = own
        if len(own) < len(table) or not own:
            tables[name] = {key: value for key, value in table.items() if key not in own}
    if tables:
        core["providers"] = tables
    return core, options
