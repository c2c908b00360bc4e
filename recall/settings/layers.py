"""Layers of settings, merged deeply, with the origin of every key.

A later layer wins key by key, so that one project's `[providers.serena]` does not wipe the user's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from recall.settings.model import FAMILIES, PROVIDER_KEYS, Origin, canonical
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
    """A layer in which providers go by their canonical names, and those of a family each by its own."""
    named = data.get("providers")
    if not isinstance(named, dict) or all(canonical(name) == name not in FAMILIES for name in named):
        return Layer(kind, data, places or {}, place)
    tables: dict[str, Any] = {}
    for name, table in _members(named):
        other = tables.get(name)
        if isinstance(other, dict) and isinstance(table, dict):
            table = {**other, **table}
        tables[name] = table
    renamed = {_by_canonical_name(path, named): where for path, where in (places or {}).items()}
    return Layer(kind, {**data, "providers": tables}, renamed, place)


def _members(named: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every provider's table by its name; each table within a family's is a provider of its own."""
    for name, table in named.items():
        if canonical(name) not in FAMILIES or not isinstance(table, dict):
            yield canonical(name), table
            continue
        rest = {key: value for key, value in table.items() if not isinstance(value, dict)}
        if rest:  # a family has no options of its own: whoever checks the names of providers says so
            yield canonical(name), rest
        for member, own in table.items():
            if isinstance(own, dict):
                yield canonical(f"{name}-{member}"), own


def _by_canonical_name(path: KeyPath, named: Mapping[str, Any]) -> KeyPath:
    if path[0] != "providers" or not path[1:]:
        return path
    name, inner = str(path[1]), path[2:]
    table = named.get(name)
    if (
        canonical(name) in FAMILIES
        and inner
        and isinstance(table, dict)
        and isinstance(table.get(inner[0]), dict)
    ):
        return (path[0], canonical(f"{name}-{inner[0]}"), *inner[1:])
    return (path[0], canonical(name), *inner)


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
