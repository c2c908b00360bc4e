"""What a provider's class says of itself: its name, its entry point, its options."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint
from typing import Any

from recall.api import Authority
from recall.testing.finding import Finding

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
_SHORTEST_HELP = 10  # characters: a line of help says more than the field's name


def name(provider_class: Any) -> Iterator[Finding]:
    """The name and the authority are there and can be used as keys."""
    found = getattr(provider_class, "name", None)
    if not isinstance(found, str) or not _NAME.fullmatch(found) or len(found) > 40:
        yield Finding(
            "name",
            f"{provider_class.__name__}.name is {found!r}: give it lower-case letters, digits and single dashes, "
            "it is a key in the settings and the tag on every memory",
        )
    try:
        Authority(str(getattr(provider_class, "authority", None)))
    except ValueError:
        yield Finding(
            "name",
            f"{provider_class.__name__}.authority is {getattr(provider_class, 'authority', None)!r}: "
            "give it one of recall.api.Authority",
        )


def entry_point(provider_class: Any, registered: Iterable[EntryPoint]) -> Iterator[Finding]:
    """Each entry point of the group that names the plugin's module is called like the provider."""
    own = getattr(provider_class, "name", None)
    for entry in registered:
        if entry.name != own:
            yield Finding(
                "name",
                f"the entry point of {entry.value} is called {entry.name!r} and the provider {own!r}: "
                "recall refuses it, give both the same name",
            )


def options(provider_class: Any) -> Iterator[Finding]:
    """The options are a frozen dataclass, each with a default and a line of help."""
    found = getattr(provider_class, "Options", None)
    whose = f"{provider_class.__name__}.Options"
    if not (isinstance(found, type) and dataclasses.is_dataclass(found)):
        yield Finding(
            "options", f"{whose} is no dataclass: decorate it with @dataclass(frozen=True, slots=True)"
        )
        return
    if not found.__dataclass_params__.frozen:  # type: ignore[attr-defined]  # not in the type stubs
        yield Finding(
            "options", f"{whose} can be changed: decorate it with @dataclass(frozen=True, slots=True)"
        )
    for field in dataclasses.fields(found):
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            yield Finding("options", f"{whose}.{field.name} has no default: use option(default, help)")
        if len(str(field.metadata.get("help", ""))) < _SHORTEST_HELP:
            yield Finding(
                "options",
                f"{whose}.{field.name} says nothing of itself: use option(default, help), "
                "its help is its line in config.example.toml",
            )
