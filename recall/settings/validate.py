"""Checks merged values against the dataclasses that describe them; the only importer of pydantic.

Imported when an input changed, and at no other time: pydantic-settings alone takes many times as long as
starting Python. What pydantic finds is put into our own words, because its own print values, secrets too.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, Literal, NotRequired, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, Field, Strict, TypeAdapter, ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource
from typing_extensions import TypedDict  # pydantic's condition below Python 3.12

from recall.settings import shape
from recall.settings.mistakes import core_root, mistake, origin_of
from recall.settings.model import TABLES, Origin, ProviderSettings
from recall.settings.notation import MOST_LINES, KeyPath
from recall.settings.sources import beyond_limits

# Typed dictionaries are made from data here, which no type checker can follow.
_typed_dict: Any = TypedDict


def core(values: Mapping[str, Any], origins: Mapping[str, Origin], problems: list[str]) -> dict[str, Any]:
    """The core's tables, validated, as plain values that hold only what was set.

    Every mistake becomes a line in `problems`; then nothing is returned.
    """
    root = core_root()
    typed = _from_environment(values, root, origins, ())
    try:
        return dict(_core_model(typed)().model_dump(exclude_unset=True))
    except ValidationError as error:
        problems += _lines(error, root, typed, origins)
        return {}


def options(
    name: str, cls: type, raw: Mapping[str, Any], origins: Mapping[str, Origin], problems: list[str]
) -> dict[str, Any]:
    """One provider's own options, validated, as plain values that hold only what was set."""
    above: KeyPath = ("providers", name)
    typed = _from_environment(raw, cls, origins, above)
    try:
        return dict(TypeAdapter(_table_type(cls)).validate_python(typed))
    except ValidationError as error:
        problems += _lines(error, cls, typed, origins, above)
        return {}


def _lines(
    error: ValidationError, root: Any, values: Any, origins: Mapping[str, Origin], above: KeyPath = ()
) -> list[str]:
    """The mistakes in the order of their places; those too many to be shown are only counted, as empty lines."""

    def position(found: Any) -> tuple[str, int]:
        place, _, line = origin_of((*above, *found["loc"]), origins).place.rpartition(":")
        return place, int(line) if line.isdecimal() else 0

    errors = error.errors(include_url=False, include_context=False, include_input=False)
    shown = sorted(errors, key=position)[:MOST_LINES]
    lines = [mistake(found["type"], found["loc"], root, values, origins, above) for found in shown]
    return lines + [""] * (len(errors) - len(shown))


def _core_model(values: Mapping[str, Any]) -> type[BaseSettings]:
    """A settings model with one source, the merged values: no environment, no files, no arguments of its own.

    They come through a source and not as arguments, because arguments like `_env_file` steer the model.
    """

    class Merged(PydanticBaseSettingsSource):
        def get_field_value(self, _field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
            return values.get(field_name), field_name, False

        def __call__(self) -> dict[str, Any]:
            return dict(values)

    class Base(BaseSettings):
        @classmethod
        def settings_customise_sources(
            cls, settings_cls: type[BaseSettings], *_defaults: Any, **_named: Any
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return (Merged(settings_cls),)

    tables: dict[str, Any] = {name: (_table_type(cls), {}) for name, cls in TABLES.items()}
    tables["providers"] = (dict[str, _table_type(ProviderSettings)], {})  # type: ignore[misc]
    return create_model("CoreSettings", __base__=Base, **tables)


def _table_type(cls: type) -> Any:
    """A dataclass as a typed dictionary: any field name will do, and only what was set comes back."""
    hints = get_type_hints(cls)
    entries = {field.name: _entry(cls, field, hints[field.name]) for field in shape.settable(cls)}
    table = _typed_dict(cls.__name__, entries)
    table.__pydantic_config__ = ConfigDict(extra="forbid")
    return table


def _entry(cls: type, field: dataclasses.Field[Any], annotation: Any) -> Any:
    try:
        kind = _value_type(annotation, field.metadata)
    except TypeError as error:
        raise TypeError(f"{cls.__qualname__}.{field.name}: {error}") from None
    required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    return kind if required else NotRequired[kind]


def _value_type(annotation: Any, told: Mapping[str, Any]) -> Any:
    """The strict pydantic type of an option: `true` is no number and `"3"` is none either."""
    bounds: dict[str, Any] = {"ge": told.get("at_least"), "le": told.get("at_most")}
    if annotation is int:
        return Annotated[int, Strict(), Field(**bounds)]
    if annotation is float:
        return Annotated[float, Strict(), Field(allow_inf_nan=False, **bounds)]
    if annotation in (bool, str):
        return Annotated[annotation, Strict()]
    if get_origin(annotation) is Literal or (isinstance(annotation, type) and issubclass(annotation, Enum)):
        return annotation
    if (only := shape.without_none(annotation)) is not annotation:
        return _value_type(only, told) | None
    if get_origin(annotation) is tuple and get_args(annotation)[1:] == (Ellipsis,):
        return tuple[_value_type(get_args(annotation)[0], told), ...]  # type: ignore[misc]
    if isinstance(annotation, type) and shape.keys(annotation):
        return _table_type(annotation)
    raise TypeError(f"an option cannot be of type {annotation}")


def _from_environment(
    table: Mapping[str, Any], annotation: Any, origins: Mapping[str, Origin], above: KeyPath
) -> dict[str, Any]:
    """The values with those from the environment, which are text, read by the type they must have."""
    typed: dict[str, Any] = {}
    for key, value in table.items():
        spot = shape.inner(annotation, key)
        path = (*above, key)
        if spot is not None and isinstance(value, dict):
            value = _from_environment(value, spot[0], origins, path)
        elif spot is not None and isinstance(value, str) and origin_of(path, origins).kind == "env":
            value = _from_text(value, *spot)
        typed[key] = value
    return typed


def _from_text(text: str, annotation: Any, told: Mapping[str, Any]) -> Any:
    """A variable's text as TOML where that fits the type, else as it stands; a secret always as it stands."""
    if told.get("secret"):
        return text
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    value = parsed.pop("value")
    fits = isinstance(value, str) or not _takes_text(annotation)
    return value if fits and not parsed and not beyond_limits(value) else text


def _takes_text(annotation: Any) -> bool:
    annotation = shape.without_none(annotation)
    if get_origin(annotation) is Literal:
        return any(isinstance(choice, str) for choice in get_args(annotation))
    return isinstance(annotation, type) and issubclass(annotation, str)
