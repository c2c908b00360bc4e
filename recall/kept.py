"""A result that is used again as long as what it was made from is the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """The last result of one piece of work. Not for two threads at once."""

    def __init__(self) -> None:
        self._made: tuple[object, T] | None = None

    def of(self, made_from: object, make: Callable[[], T]) -> T:
        """The last result, the very same object, if it was made from an equal value; else a new one."""
        if self._made is None or self._made[0] != made_from:
            self._made = (made_from, make())
        return self._made[1]


class Same:
    """Something that is equal to itself only: for what is too large to compare."""

    __slots__ = ("_thing",)

    def __init__(self, thing: object) -> None:
        self._thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self._thing is other._thing

    __hash__ = None  # type: ignore[assignment]
