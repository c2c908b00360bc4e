"""docs/contract.md has every hook, method, field, state and exception, with its exact signature, and no other."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from typing import Any

import pytest

from recall import api, errors, hookspecs
from support.worlds import REPOSITORY

PAGE = (REPOSITORY / "docs" / "contract.md").read_text("utf-8")
OPTIONAL = "optional attributes"


def sections() -> dict[str, list[list[str]]]:
    """The rows of each section's table, as cells, by the section's name: the code in its heading, else its words."""
    found: dict[str, list[list[str]]] = {}
    for part in re.split(r"^#{2,3} ", PAGE, flags=re.MULTILINE)[1:]:
        heading, _, body = part.partition("\n")
        code = re.search(r"`(\w+)`", heading)
        rows = re.findall(r"^\| `(.*)$", body, re.MULTILINE)
        found[code[1] if code else heading.lower()] = [
            [cell.strip().strip("`").replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", row)]
            for row in rows
        ]
    return found


def first_cells(name: str) -> list[str]:
    """What the table of a section declares."""
    return [row[0] for row in sections()[name]]


def annotation(told: Any) -> str:
    return told if isinstance(told, str) else getattr(told, "__name__", str(told))


def value(told: Any) -> str:
    """A default, as it is written."""
    if isinstance(told, str):
        return f'"{told}"'
    return f"{told.__module__}.{told.__name__}" if callable(told) else repr(told)


def parameter(told: inspect.Parameter) -> str:
    default = "" if told.default is told.empty else f" = {value(told.default)}"
    return f"{told.name}: {annotation(told.annotation)}{default}"


def signature(name: str, function: Any, *, bound: bool = False) -> str:
    """`name(parameters) -> result`; of what is called on an object or a class, without that."""
    told = inspect.signature(function)
    parts: list[str] = []
    for one in [*told.parameters.values()][bound:]:
        if one.kind is one.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        parts.append(parameter(one))
    return f"{name}({', '.join(parts)}) -> {annotation(told.return_annotation)}"


def members(cls: type) -> Iterator[str]:
    """The public members of a class, as they are declared; not those it inherits."""
    if issubclass(cls, Enum):
        yield from (f'{one.name} = "{one.value}"' for one in cls)
    elif is_dataclass(cls):
        for field in fields(cls):
            made = field.default if field.default_factory is MISSING else field.default_factory()
            default = "" if made is MISSING else f" = {value(made)}"
            yield f"{field.name}: {annotation(field.type)}{default}"
    else:
        own = vars(cls).get("__annotations__", {})
        yield from (f"{name}: {annotation(told)}" for name, told in own.items() if not name.startswith("_"))
    for name, member in vars(cls).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield f"{name}: {annotation(inspect.signature(member.fget).return_annotation)}"  # type: ignore[arg-type]
        elif isinstance(member, classmethod):
            yield signature(name, member.__func__, bound=True)
        elif inspect.isfunction(member):
            yield signature(name, member, bound=True)


CLASSES = [name for name in api.__all__ if inspect.isclass(getattr(api, name))]
FUNCTIONS = [name for name in api.__all__ if inspect.isfunction(getattr(api, name))]
EXCEPTIONS = [
    one
    for one in vars(errors).values()
    if inspect.isclass(one) and issubclass(one, Exception) and one.__module__ == errors.__name__
]


@pytest.mark.parametrize("name", CLASSES)
def test_every_member_of_a_class_is_there_with_its_signature_and_nothing_else(name: str) -> None:
    assert sorted(first_cells(name)) == sorted(members(getattr(api, name)))


def test_every_function_is_there_with_its_signature_and_nothing_else() -> None:
    assert sorted(first_cells("functions")) == sorted(
        signature(name, getattr(api, name)) for name in FUNCTIONS
    )


def test_every_hook_is_there_and_no_other() -> None:
    marked = {
        name: value for name, value in vars(hookspecs).items() if hasattr(value, f"{hookspecs.PROJECT}_spec")
    }
    assert first_cells("the hook") == [signature(name, value) for name, value in marked.items()]
    assert hookspecs.ENTRY_POINT_GROUP in PAGE
    assert {*CLASSES, *FUNCTIONS, "hookimpl"} == set(api.__all__)
    assert "`hookimpl`" in PAGE


def test_every_exception_is_there_with_its_base_its_kind_and_whether_trying_again_helps() -> None:
    told = {row[0]: row[1:3] for row in sections()["exceptions"]}
    assert told == {
        f"{one.__name__}({one.__bases__[0].__name__})": [one.kind, "yes" if one.retryable else "no"]
        for one in EXCEPTIONS
    }
    for one in (errors.RecallError, errors.SettingsError):
        assert f"`{signature(one.__name__, one.__init__, bound=True).replace(' -> None', '')}`" in PAGE


def test_every_section_of_a_class_is_that_of_one_and_every_row_says_something() -> None:
    named = {name for name in sections() if re.search(rf"^### `{name}`", PAGE, re.MULTILINE)}
    assert named == set(CLASSES)
    assert all(all(row[1:-1]) for rows in sections().values() for row in rows)


def test_the_optional_attributes_are_those_that_the_host_asks_for() -> None:
    text = "".join(path.read_text("utf-8") for path in (REPOSITORY / "recall").glob("*.py"))
    asked = set(re.findall(r'getattr\([\w.]*provider, "(\w+)"', text))
    assert {cell.split(":")[0] for cell in first_cells(OPTIONAL)} == asked
