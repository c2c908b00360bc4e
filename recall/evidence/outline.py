"""A memory's lines, and what rules them: headings, labels, heads of columns, checklists, quotes, struck records. Pure.

"## Removed" rules what is under it up to the next heading of its level, "Removed:" the list behind it, a column's head
its cells, `- [ ]` its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import cache
from typing import NamedTuple

from recall.evidence import clauses, english, korean

_HEADING = re.compile(r"^\s{0,3}(?P<level>#{1,6})\s+(?P<text>.*)")
_LEAD = re.compile(r"^\s*(?:[-*+]\s+)?(?P<text>\*\*[^*`]{1,60}\*\*:?|[^`|:]{1,60}:(?:\*\*)?)\s*$")
_LABEL = re.compile(r"^\W*(?P<text>[^`|:]{1,40}?):(?:\*\*)?\s+\S")
_FENCE = re.compile(r"^\s*(?:```|~~~)(?P<language>\w*)")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s|^\s{2,}\S|^\s*\|")
_OPEN_BOX = re.compile(r"^\s*(?:[-*+]|\d+[.)])?\s*(?:\[ ?\]|⬜|☐|🔲)")
_DONE_BOX = re.compile(r"^(?P<mark>\s*(?:[-*+]|\d+[.)])?\s*(?:\[[xX]\]|✅|☑️?|✔️?))")
_STATUS = re.compile(r"^\W*(?:[Ss]tatus|STATUS|상태)\W+(?P<text>\w+)")
_RULE_OF_TABLE = re.compile(r"^\s*\|?[\s:|-]*-{2,}[\s:|-]*$")
_CELL = re.compile(r"[^|]+")
_MOST_WORDS = 5  # of a heading that is about what it rules, rather than of something that was deleted


class Tense(IntEnum):
    """How a sentence speaks of a name; of two sentences, the lower one counts."""

    PRESENT = 0
    UNCLEAR = 1
    PAST = 2


class Line(NamedTuple):
    """A line, and how what rules it speaks."""

    text: str
    fenced: bool = False  # sample code
    ruled: Tense = Tense.PRESENT
    columns: tuple[tuple[int, int, Tense], ...] = ()  # from, to: cells that are ruled otherwise


def lines(text: str) -> Iterator[Line]:
    """The lines of a text, without fences' own."""
    fence = ""
    headings: list[tuple[int, Tense]] = []
    lead = record = Tense.PRESENT
    heads: Sequence[Tense] = ()
    before = ""
    recorded = False  # it is the record of a decision
    for line in text.split("\n"):
        above = max([record, lead, *(tense for _level, tense in headings)])
        if found := _FENCE.match(line):
            fence = "" if fence else found.group("language") or "text"
            continue
        if fence:
            taken = fence == "diff" and line.startswith("-")
            yield Line(line, fenced=True, ruled=max(above, Tense.UNCLEAR) if taken else above)
            continue
        if found := _HEADING.match(line):
            level = len(found.group("level"))
            headings = [(other, tense) for other, tense in headings if other < level]
            headings.append(
                (level, max(classed(found.group("text")), _before(found.group("text"), recorded)))
            )
            lead = Tense.PRESENT
        elif found := _LEAD.match(line):
            lead = classed(found.group("text"))
        elif line.strip() and not _ITEM.match(line):
            lead = Tense.PRESENT
        if found := _STATUS.match(line):
            recorded = True
            record = Tense.UNCLEAR if found.group("text").lower() in _words("OPEN") else Tense.PRESENT
        above = max([record, lead, *(tense for _level, tense in headings)])
        if "|" not in line:
            heads = ()
        elif _RULE_OF_TABLE.match(line):
            heads = [classed(cell.group()) for cell in _CELL.finditer(before.strip().strip("|"))]
        before = line
        yield _ruled(line, above, heads)


def classed(text: str) -> Tense:
    """How a heading, a label or a cell speaks of what it rules: by its last word, or its first."""
    words = [word.strip("*_:.!?()[]\"'`#~").lower() for word in text.split()]
    words = [word for word in words if word]
    if not words or len(words) > _MOST_WORDS:
        return _put(text) if words else Tense.PRESENT
    follows = len(words) == 1 or words[1] in _words("FOLLOWING") or words[1][0].isdigit()
    ends = {words[-1], "".join(words[:2]), "".join(words[-2:]), *(words[:1] if follows else ())}  # 할 일
    if ends & _words("GONE"):
        return Tense.PAST
    return Tense.UNCLEAR if ends & _words("DOUBTFUL") else _put(text)


def _before(heading: str, recorded: bool) -> Tense:
    """How a heading of a record speaks of what was so before the decision."""
    about = recorded and not _words("OF_RECORDS").isdisjoint(heading.lower().split())
    return Tense.UNCLEAR if about else Tense.PRESENT


def _put(text: str) -> Tense:
    """How a heading speaks by its markers: "What we do not have any more". What a question rules answers it."""
    if "`" in text or text.rstrip(" :*").endswith("?"):
        return Tense.PRESENT
    return Tense.UNCLEAR if any(start < end for start, end in clauses.unasserted(text)) else Tense.PRESENT


def _ruled(line: str, above: Tense, heads: Sequence[Tense]) -> Line:
    """A line with what it says of itself."""
    if heads or line.lstrip().startswith("|"):
        cells = [cell for cell in _CELL.finditer(line) if cell.group().strip()]
        row = max((classed(cell.group()) for cell in cells if "`" not in cell.group()), default=Tense.PRESENT)
        columns = tuple(
            (cell.start(), cell.end(), tense) for cell, tense in zip(cells, heads, strict=False) if tense
        )
        return Line(line, ruled=max(above, row), columns=columns)
    if _OPEN_BOX.match(line) or line.lstrip().startswith(">"):
        return Line(line, ruled=max(above, Tense.UNCLEAR))
    if done := _DONE_BOX.match(line):
        line = "-".ljust(done.end()) + line[done.end() :]
    label = _LABEL.match(line)
    return Line(line, ruled=max(above, classed(label.group("text"))) if label else above)


@cache
def _words(table: str) -> frozenset[str]:
    """The words of a table, of all languages."""
    return frozenset(f"{getattr(english, table)} {getattr(korean, table)}".split())
