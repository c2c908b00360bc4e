"""Sections cut to one budget, each inside itself: a long one is counted and never pushes another one out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from recall.excerpt import approximate_tokens

Size = Callable[[str], int]  # what a line costs of the budget

_MARK = "…"


class Section(NamedTuple):
    """One part of a bootstrap, most important line first."""

    name: str  # stable, for programs: "next", "decisions"
    title: str  # for people
    share: float  # of the budget, that it has to itself; what others leave over is added
    lines: tuple[str, ...]
    left_out: int = 0  # lines that did not fit
    shortened: int = 0  # of the lines shown, those that were cut


def tokens(line: str) -> int:
    """The approximate tokens of a line and its end."""
    return approximate_tokens(line) + 1


def utf8(line: str) -> int:
    """The bytes of a line, its end, its mark of a list and its indentation."""
    return len(line.encode("utf-8", "replace")) + 6


def fitted(sections: Sequence[Section], budget: int, size: Size = tokens) -> tuple[Section, ...]:
    """The sections, cut to a budget.

    Each may fill its share whatever the others need. What some leave of theirs goes to the others in their order.
    """
    whole = sum(section.share for section in sections) or 1.0
    own = [int(budget * section.share / whole) for section in sections]
    needed = [sum(map(size, section.lines)) for section in sections]
    spare = sum(max(0, mine - need) for mine, need in zip(own, needed, strict=True))
    given = []
    for mine, need in zip(own, needed, strict=True):
        more = min(spare, max(0, need - mine))
        spare -= more
        given.append(min(mine, need) + more)
    return tuple(_cut(section, left, size) for section, left in zip(sections, given, strict=True))


def _cut(section: Section, budget: int, size: Size) -> Section:
    """A section's first lines; one line alone that is too long is shown shortened rather than not at all."""
    kept: list[str] = []
    shortened = 0
    for line in section.lines:
        cost = size(line)
        if cost > budget:
            if not kept and (short := _shorter(line, budget, size)):
                kept.append(short)
                shortened = 1
            break
        kept.append(line)
        budget -= cost
    left_out = section.left_out + len(section.lines) - len(kept)
    return section._replace(lines=tuple(kept), left_out=left_out, shortened=section.shortened + shortened)


def _shorter(line: str, budget: int, size: Size) -> str:
    """The beginning of a line that fits, with a mark; "" where not even a few words do."""
    low, high = 0, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(line[:middle] + _MARK) <= budget else (low, middle - 1)
    return f"{line[:low].rstrip()}{_MARK}" if low > 8 else ""
