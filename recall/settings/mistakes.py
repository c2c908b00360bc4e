"""Validation errors as one line each: place, key, what is wrong. A secret's value is never in one."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from recall.settings import shape
from recall.settings.model import DEFAULT, PROVIDER_KEYS, TABLES, Origin, ProviderSettings
from recall.settings.notation import KeyPath, briefly, did_you_mean, dotted, problem, toml

_RANGE_ERRORS = ("greater_than_equal", "less_than_equal", "finite_number")


def core_root() -> dict[str, shape.Spot]:
    """The top of the settings file, as a table whose keys are known."""
    root: dict[str, shape.Spot] = {name: (cls, {}) for name, cls in TABLES.items()}
    root["providers"] = (Mapping[str, ProviderSettings], {})
    return root


def origin_of(path: KeyPath, origins: Mapping[str, Origin]) -> Origin:
    """Where a key, or the nearest thing around it, was set."""
    for length in range(len(path), 0, -1):
        if found := origins.get(dotted(path[:length])):
            return found
    return DEFAULT


def mistake(
    kind: str, where: KeyPath, root: Any, values: Any, origins: Mapping[str, Origin], above: KeyPath = ()
) -> str:
    """One validation error as a line.

    kind: pydantic's name of the error. where: its key path below `above`. root: the type `values` must have.
    """
    path = (*above, *where)
    place = origin_of(path, origins).place
    if kind == "extra_forbidden":
        return problem(place, dotted(path), _unknown(where, root, above))
    annotation, told, secret = _spot(root, where)
    if kind == "missing":
        return problem(place, dotted(path), f"is missing: {_expected(annotation)}")
    must_be = _range(told) if kind in _RANGE_ERRORS else _expected(annotation)
    shown = "" if secret else f", not {briefly(_value(values, where))}"
    return problem(place, dotted(path), f"must be {must_be}{shown}")


def _spot(root: Any, where: KeyPath) -> tuple[Any, Mapping[str, Any], bool]:
    """The type at a key path, its field's description, and whether the value is secret."""
    annotation = root
    told: Mapping[str, Any] = {}
    secret = False
    for part in where:
        found = shape.inner(annotation, part)
        if found is None:
            break
        annotation, own = found
        told = own or told
        secret = secret or bool(told.get("secret"))
    return shape.without_none(annotation), told, secret


def _unknown(where: KeyPath, root: Any, above: KeyPath) -> str:
    *before, key = where
    names = list(shape.keys(_spot(root, tuple(before))[0]))
    if above and not before:
        names += PROVIDER_KEYS
    near = did_you_mean(str(key), names)
    if not near and not above and not before:  # a key that was written outside its table
        tables = [name for name, cls in TABLES.items() if key in shape.keys(cls)]
        near = f' (did you mean "{tables[0]}.{key}"?)' if tables else ""
    return f"unknown key{near}"


def _value(values: Any, where: KeyPath) -> Any:
    for part in where:
        values = values[part]
    return values


def _expected(annotation: Any) -> str:
    """A type in words."""
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
    if annotation in words:
        return words[annotation]
    if choices := _choices(annotation):
        return "one of " + ", ".join(toml(choice) for choice in choices)
    if get_origin(annotation) is tuple:
        element = get_args(annotation)[0]
        return "a list of tables" if shape.keys(element) else f"a list, each {_expected(element)}"
    return "a table"


def _choices(annotation: Any) -> list[Any]:
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [member.value for member in annotation]
    return list(get_args(annotation)) if get_origin(annotation) is Literal else []


def _range(told: Mapping[str, Any]) -> str:
    low, high = told.get("at_least"), told.get("at_most")
    if low is None:
        return "a finite number" if high is None else f"at most {high:g}"
    return f"at least {low:g}" if high is None else f"from {low:,} to {high:,}"
