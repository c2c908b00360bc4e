"""A record behaves as the frozen dataclass that it stands in for."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, asdict, field, fields, is_dataclass, replace
from typing import Any

import pytest

from recall.records import record


@record
class Point:
    """Two numbers and what is said of them."""

    x: int
    y: int = 2
    said: dict[str, str] = field(default_factory=dict, metadata={"help": "words"})


def test_fields_come_by_position_by_name_and_by_default() -> None:
    assert (Point(1).x, Point(1).y, Point(1).said) == (1, 2, {})
    assert Point(1, 3) == Point(x=1, y=3) != Point(1, 4)
    assert Point(1).said is not Point(1).said


def test_it_is_a_dataclass_to_whoever_asks() -> None:
    assert is_dataclass(Point)
    assert [each.name for each in fields(Point)] == ["x", "y", "said"]
    assert fields(Point)[2].metadata["help"] == "words"
    assert replace(Point(1), y=5) == Point(1, 5)
    assert asdict(Point(1)) == {"x": 1, "y": 2, "said": {}}
    assert repr(Point(1)) == "Point(x=1, y=2, said={})"


def test_it_cannot_be_changed() -> None:
    point = Point(1)
    with pytest.raises(FrozenInstanceError):
        point.x = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del point.x
    assert point.x == 1


def test_equal_records_have_one_hash_and_another_class_is_never_equal() -> None:
    @record
    class Other:
        """The same field."""

        x: int

    @record
    class Plain:
        """One more."""

        x: int

    assert hash(Other(1)) == hash(Other(1))
    assert Other(1) != Plain(1)


@pytest.mark.parametrize(
    ("values", "named", "said"),
    [
        ((), {}, "lacks x"),
        ((1,), {"z": 1}, "has no z"),
        ((1,), {"x": 1}, "given twice: x"),
        ((1, 2, {}, 4), {}, "has 3 fields, 4 were given"),
    ],
)
def test_wrong_arguments_are_named(values: tuple[Any, ...], named: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        Point(*values, **named)


@record
class Checked:
    """A number that is none below zero."""

    x: int = 0

    def __post_init__(self) -> None:
        """Raise ValueError for one."""
        if self.x < 0:
            raise ValueError("x: below zero")


def test_what_it_checks_is_checked_however_it_is_made() -> None:
    assert Checked(1).x == 1
    for make in (lambda: Checked(-1), lambda: Checked(x=-1), lambda: replace(Checked(), x=-1)):
        with pytest.raises(ValueError, match="below zero"):
            make()
