"""A provider's own options: what was written for it, as an instance of its Options class."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from recall.errors import SettingsError
from recall.places import Places
from recall.settings import shape
from recall.settings.layers import forget, within
from recall.settings.model import DEFAULT, NEXT_STEP, PROVIDER_KEYS, Origin, Settings, canonical
from recall.settings.notation import capped, dotted, problem

T = TypeVar("T")

_SCHEMA = 1  # of the kept documents


class ProviderOptions(NamedTuple, Generic[T]):
    """Validated options, and what is worth telling about them."""

    value: T
    origins: Mapping[str, Origin]  # "providers.serena.home" -> where it was set
    notices: tuple[str, ...] = ()  # what an untrusted project asked for and did not get


def options_for(
    settings: Settings, name: str, cls: type[T], *, places: Places, root: Path | None = None
) -> T:
    """What `provider_options` gives, without what it has to tell."""
    return provider_options(settings, name, cls, places=places, root=root).value


def provider_options(
    settings: Settings, name: str, cls: type[T], *, places: Places, root: Path | None = None
) -> ProviderOptions[T]:
    """What was set for a provider, validated against its Options class; nothing set means its defaults.

    places: recall's own folders. root: the project's, which an untrusted project's folders must not leave.

    Raises SettingsError with one line for every mistake; TypeError, the author's mistake, if a field of the
    class has a type that no option can have, or a name that is a key of every provider's table.
    """
    if reserved := set(PROVIDER_KEYS) & set(getattr(cls, "__dataclass_fields__", ())):
        raise TypeError(f"an option cannot be called {sorted(reserved)[0]!r}: the key is recall's own")
    name = canonical(name)
    written, origins, notices = _written(settings, name, cls, root)
    values = _validated(name, cls, written, origins, places.cache) if written else {}
    try:
        value = shape.construct(cls, values)
    except ValueError as error:  # the class's own check of how options go together
        place = next(iter(origins.values()), DEFAULT).place if len(written) == 1 else ""
        raise SettingsError([problem(place, dotted(("providers", name)), str(error))], NEXT_STEP) from None
    return ProviderOptions(value, origins, tuple(capped(notices)))


def _written(
    settings: Settings, name: str, cls: type, root: Path | None
) -> tuple[dict[str, Any], dict[str, Origin], list[str]]:
    """The options as written, an untrusted project's among them where it may set them."""
    provider = settings.provider(name)
    written = dict(provider.options)
    origins = {key: settings.origins[key] for own in written for key in _places(settings.origins, name, own)}
    if not provider.untrusted or root is None:
        return written, origins, []
    from recall.settings.restrict import usable_options

    usable, notices = usable_options(name, provider.untrusted, cls, settings.untrusted_origins, root)
    for own, value in usable.items():
        key = dotted(("providers", name, own))
        if origins.get(key, DEFAULT).kind in ("env", "flag"):
            continue
        written[own] = value
        forget(origins, key)
        origins.update(
            {key: settings.untrusted_origins[key] for key in _places(settings.untrusted_origins, name, own)}
        )
    return written, origins, notices


def _places(origins: Mapping[str, Origin], name: str, option: str) -> list[str]:
    return within(origins, dotted(("providers", name, option)))


def _validated(
    name: str,
    cls: type,
    written: Mapping[str, Any],
    origins: Mapping[str, Origin],
    cache_dir: Path,
) -> dict[str, Any]:
    """The options as plain values, from the cache if the same were validated before; secrets are not kept."""
    from recall.settings import cache

    texts = sorted(key for key, origin in origins.items() if origin.kind == "env")
    key = cache.digest("options", _SCHEMA, name, shape.signature(cls), sorted(written.items()), texts)
    secret = {own: value for own, value in written.items() if _is_secret(cls, own)}
    kept = cache.read(cache_dir, key)
    if kept is not None:
        return {**kept, **secret}
    from recall.settings import validate

    problems: list[str] = []
    values = validate.options(name, cls, written, origins, problems)
    if problems:
        raise SettingsError(capped(problems), NEXT_STEP)
    if all(values[own] == value for own, value in secret.items()):
        cache.write(cache_dir, key, {own: value for own, value in values.items() if own not in secret})
    return values


def _is_secret(cls: type, option: str) -> bool:
    """Whether an option, or any key of the tables in it, is secret."""
    described = shape.keys(cls)
    if option not in described:
        return False
    annotation, told = described[option]
    nested = shape.keys(shape.dataclass_in(annotation)) if shape.dataclass_in(annotation) else {}
    return bool(told.get("secret") or any(own.get("secret") for _type, own in nested.values()))
