"""What a dataclass of options says about itself: its keys, their types, and instances from plain values.

Plain values are what JSON can hold. Nothing here needs pydantic: it serves values that were validated before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

# A place where a value can stand: its type, and what `option(...)` says of it.
Spot = tuple[Any, Mapping[str, Any]]


def settable(cls: type) -> list[Field[Any]]:
    """The fields that are keys in a settings file."""
    return [field for field in fields(cls) if field.init and not field.metadata.get("internal")]


def without_none(annotation: Any) -> Any:
    """`X` of `X | None`; every other annotation as it is."""
    if get_origin(annotation) in (Union, UnionType):
        others = [part for part in get_args(annotation) if part is not type(None)]
        return others[0] if len(others) == 1 else annotation
    return annotation


def keys(annotation: Any) -> dict[str, Spot]:
    """The keys a table of this type can have: of a dataclass, or of a mapping that lists them."""
    annotation = without_none(annotation)
    if isinstance(annotation, Mapping):
        return dict(annotation)
    if not _is_dataclass(annotation):
        return {}
    hints = get_type_hints(annotation)
    return {field.name: (hints[field.name], field.metadata) for field in settable(annotation)}


def inner(annotation: Any, part: str | int) -> Spot | None:
    """What stands at a key of a table, or at a number of a list; None if nothing can."""
    annotation = without_none(annotation)
    if get_origin(annotation) is tuple and isinstance(part, int):
        return get_args(annotation)[0], {}
    if get_origin(annotation) in (dict, Mapping):
        return get_args(annotation)[1], {}
    return keys(annotation).get(str(part))


def types_in(annotation: Any) -> Iterator[type]:
    """Every class an annotation is made of."""
    if isinstance(annotation, type) and not get_args(annotation):
        yield annotation
    for part in get_args(annotation):
        yield from types_in(part)


def dataclass_in(annotation: Any) -> type | None:
    """The dataclass of `Folder`, `Folder | None` or `tuple[Folder, ...]`."""
    return next((cls for cls in types_in(annotation) if _is_dataclass(cls)), None)


def _is_dataclass(annotation: Any) -> bool:
    return isinstance(annotation, type) and is_dataclass(annotation)


def construct(cls: type[T], values: Mapping[str, Any]) -> T:
    """An instance from validated plain values; keys that are not there keep their defaults."""
    if not values:
        return cls()
    hints = get_type_hints(cls)
    return cls(**{key: _revived(value, hints[key]) for key, value in values.items()})


def _revived(value: Any, annotation: Any) -> Any:
    annotation = without_none(annotation)
    if isinstance(value, list | tuple):
        return tuple(_revived(item, get_args(annotation)[0]) for item in value)
    if isinstance(value, dict):
        return construct(annotation, value)
    if isinstance(value, str) and isinstance(annotation, type) and issubclass(annotation, Enum):
        return annotation(value)
    return value


def signature(cls: type) -> tuple[object, ...]:
    """What the validation of a dataclass depends on: another one for other keys, types or ranges."""
    hints = get_type_hints(cls)
    return (cls.__qualname__, *(_field_signature(field, hints[field.name]) for field in settable(cls)))


def _field_signature(field: Field[Any], annotation: Any) -> tuple[object, ...]:
    told = sorted((key, repr(value)) for key, value in field.metadata.items())
    made_of = [
        signature(cls) if is_dataclass(cls) else [member.value for member in cls]
        for cls in types_in(annotation)
        if is_dataclass(cls) or issubclass(cls, Enum)
    ]
    return (field.name, str(annotation), told, made_of)
