"""`config.example.toml`, written from the dataclasses: every option with its meaning and its default."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import MISSING
from enum import Enum
from typing import Any, cast

from recall.api import Authority, Provider
from recall.settings import shape
from recall.settings.model import FAMILIES, OFF_BY_DEFAULT, TABLES, ProviderSettings
from recall.settings.notation import dotted, toml

_WIDTH = 108
_HEADER = """\
Settings of recall. Every option is here with its default; remove the "# " before a line to change it.

This file:          ~/.config/recall/config.toml   (or the file that RECALL_CONFIG names)
A project's own:    <project>/.recall.toml         (the same tables; it wins over this file)
The environment:    RECALL_QUERY__LIMIT=3, RECALL_PROVIDERS__CLAUDE_MEM__ENABLED=false
                    (capitals; "__" between the parts; "-" is written "_"; it wins over both files)
The command line:   wins over all.

Tables are merged key by key. "recall config show --origin" tells where each value came from.

A project's file comes with a clone. Until you run "recall config trust" it may only choose among providers,
names, weights and folders inside the project; what else it says is not used, and you are told. Options that
it may not set before that are marked (yours alone).

A provider that is no package but a single Python file of yours lies in the folder "providers" beside this file, or
is named by its path: the key "file" in a table of its own, [providers.my-notes].
"""


def example(providers: Iterable[type[Provider]]) -> str:
    """The file's text, with the tables of the given providers, in the order of their names."""
    lines = [*_prose(_HEADER)]
    for name, cls in TABLES.items():
        lines += ["", "", *_prose(_summary(cls)), f"[{name}]", *_options(cls, name)]
    for provider in sorted(providers, key=lambda provider: provider.name):
        family = provider.name in FAMILIES
        path = dotted(("providers", provider.name, *(("NAME",) if family else ())))
        lines += ["", "", *_prose(_summary(provider)), f"# [{path}]" if family else f"[{path}]"]
        lines += _options(
            ProviderSettings,
            path,
            samples={"enabled": provider.name not in OFF_BY_DEFAULT, "authority": provider.authority},
            without={"file"},  # no file takes the place of a provider that is listed here
        )
        lines += _options(cast(type, provider.Options), path)  # of the class it is the class itself
    return "\n".join(lines) + "\n"


def _summary(cls: type) -> str:
    return (cls.__doc__ or cls.__name__).split("\n\n")[0].strip()


def _prose(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield from (f"# {part}".rstrip() for part in textwrap.wrap(line, _WIDTH) or [""])


def _options(
    cls: type, path: str, samples: Mapping[str, Any] | None = None, without: Collection[str] = ()
) -> list[str]:
    """The options of one table. Lists of tables come last: each opens a table of its own."""
    lines: list[str] = []
    tables: list[str] = []
    described = shape.keys(cls)
    for field in shape.settable(cls):
        if field.name in without:
            continue
        annotation, told = described[field.name]
        about = ["", *_prose(_help(annotation, told))]
        element = shape.dataclass_in(annotation)
        if element is None:
            value = (samples or {}).get(field.name, _sample(field.default, annotation, told))
            lines += [*about, f"# {field.name} = {toml(value)}"]
        else:
            tables += [
                *about,
                "# One such table for each:",
                f"# [[{path}.{field.name}]]",
                *_options(element, f"{path}.{field.name}"),
            ]
    return lines + tables


def _help(annotation: Any, told: Mapping[str, Any]) -> str:
    """What `option(...)` says, the choices there are, and whether a stranger's project may set it."""
    text = str(told.get("help", ""))
    if choices := _choices(annotation):
        text += f" (one of {', '.join(choices)})"
    return text + (" (yours alone)" if told.get("from_project", "never") == "never" else "")


def _choices(annotation: Any) -> list[str]:
    return [
        str(member.value) for cls in shape.types_in(annotation) if issubclass(cls, Enum) for member in cls
    ]


def _sample(default: Any, annotation: Any, told: Mapping[str, Any]) -> Any:
    """The default, or where there is none something that shows how a value looks."""
    if default is not None and default is not MISSING:
        return default
    if told.get("from_project") == "folder":
        return "docs/guides"
    samples: dict[Any, Any] = {Authority: Authority.DECISION, bool: True, int: 1, float: 1.0, str: "text"}
    return samples.get(shape.without_none(annotation), ())
