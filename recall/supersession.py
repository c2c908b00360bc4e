"""Which memories no longer stand, by what memories say of each other. Pure.

Where memories say in a circle that each took the other's place, one of them is wrong, and which one cannot be told:
what they say of each other withdraws none of them, and is told as a dispute.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple


class Said(NamedTuple):
    """What is said of one memory, by itself or by the one that took its place."""

    about: str
    by: str  # the memory that took its place, or that of a part of it
    why: str
    in_part: bool = False


class Standing(NamedTuple):
    """How memories stand to each other; other memories of a dispute or an amendment are sorted."""

    withdrawn: Mapping[str, str]  # why
    amended: Mapping[str, tuple[str, ...]]  # by which; the rest of it stands
    disputed: Mapping[str, tuple[str, ...]]  # by which, that it says the same of
    circles: tuple[tuple[str, ...], ...]


def standing(said: Iterable[Said]) -> Standing:
    """What comes of all that was said."""
    whole: list[Said] = []
    amended: dict[str, set[str]] = {}
    for one in said:
        if one.about == one.by:
            continue
        if one.in_part:
            amended.setdefault(one.about, set()).add(one.by)
        else:
            whole.append(one)
    successors: dict[str, set[str]] = {}
    for one in whole:
        successors.setdefault(one.about, set()).add(one.by)
    circles = sorted(tuple(sorted(part)) for part in _tied(successors) if len(part) > 1)
    circle_of = {memory: number for number, circle in enumerate(circles) for memory in circle}
    withdrawn: dict[str, str] = {}
    disputed: dict[str, set[str]] = {}
    for one in whole:
        if one.about in circle_of and circle_of[one.about] == circle_of.get(one.by):
            disputed.setdefault(one.about, set()).add(one.by)
        else:
            withdrawn[one.about] = max(one.why, withdrawn.get(one.about, ""))
    return Standing(withdrawn, _sorted(amended), _sorted(disputed), tuple(circles))


def _sorted(found: Mapping[str, set[str]]) -> dict[str, tuple[str, ...]]:
    return {memory: tuple(sorted(others)) for memory, others in found.items()}


def _tied(successors: Mapping[str, Collection[str]]) -> Iterator[set[str]]:
    """The strongly connected parts of a graph, by Kosaraju's algorithm; without recursion, for a chain may be long."""
    order: list[str] = []
    seen: set[str] = set()
    for start in successors:
        order += _finished(start, successors, seen)
    backwards: dict[str, set[str]] = {}
    for memory, others in successors.items():
        for other in others:
            backwards.setdefault(other, set()).add(memory)
    seen.clear()
    for start in reversed(order):
        if part := _finished(start, backwards, seen):
            yield set(part)


def _finished(start: str, graph: Mapping[str, Collection[str]], seen: set[str]) -> list[str]:
    """What is reached from `start` and was not seen, each after all that is reached from it."""
    found: list[str] = []
    stack = [] if start in seen else [(start, iter(graph.get(start, ())))]
    seen.add(start)
    while stack:
        others = stack[-1][1]
        if (other := next((one for one in others if one not in seen), None)) is not None:
            seen.add(other)
            stack.append((other, iter(graph.get(other, ()))))
        else:
            found.append(stack.pop()[0])
    return found
