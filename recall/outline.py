"""Markdown texts taken apart: sections, rows of tables, written dates, titles as parts of ids.

A room of its own beside `documents`, which every question imports: only texts that are read anew are taken apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

_SECTION = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_CODE_FENCE = re.compile(r" {0,3}(```|~~~)")
_TABLE_RULE = frozenset(" \t:|-")
_CELL_END = re.compile(r"(?<!\\)\|")
_WRITTEN_DATE = re.compile(
    r"(?<!\d)(20\d\d)(?:([-./])(\d{1,2})\2(\d{1,2})|년\s*(\d{1,2})월\s*(\d{1,2})일|(\d\d)(\d\d))(?!\d)"
    r"(?:[T _-]?(\d\d):?(\d\d)(?::?(\d\d))?(?!\d))?"
)
_MOST_PARTS = 1_000
_DATE_WITHIN = 2_000  # characters


class Section(NamedTuple):
    """A heading and what follows it up to the next one."""

    level: int  # 1 to 6; 0 for what comes before the first heading
    heading: str
    line: int  # 1-based line of the text where the section begins
    text: str  # without the heading and outer blank lines
    source: str  # with the heading, as it is written


def sections(text: str) -> list[Section]:
    """A markdown text cut at its headings, those in code fences not counted."""
    lines = text.split("\n")
    starts: list[tuple[int, int, str]] = []
    fence = ""
    for number, line in enumerate(lines):
        opened = _CODE_FENCE.match(line)
        if opened and (not fence or opened[1].startswith(fence)):
            fence = "" if fence else opened[1][:3]
        elif not fence and (found := _SECTION.match(line)):
            starts.append((number, len(found[1]), found[2].rstrip(" \t#")))
    if not starts or starts[0][0]:
        starts.insert(0, (0, 0, ""))
    ends = [*(start for start, _level, _heading in starts[1:]), len(lines)]
    return [
        Section(
            level,
            heading,
            start + 1,
            "\n".join(lines[start + bool(level) : end]).strip("\n"),
            "\n".join(lines[start:end]).rstrip(),
        )
        for (start, level, heading), end in zip(starts, ends, strict=True)
    ]


def parts(text: str, longest: int = 4_000) -> Iterator[Section]:
    """The text as a whole, or, of a longer one, cut at the highest level of headings that comes more than once.

    longest: in characters; 4,000 are about 1,000 tokens, half of an answer. One of more than a thousand such
    headings stays whole: nobody wrote those.
    """
    cut = sections(text)
    levels = Counter(part.level for part in cut if part.level)
    level = min((one for one, count in levels.items() if count > 1), default=0)
    if len(text) <= longest or not level:
        yield Section(0, "", 1, text, text)
        return
    starts = [number for number, part in enumerate(cut) if part.level <= level or not number]
    if len(starts) > _MOST_PARTS:
        yield Section(0, "", 1, text, text)
        return
    for start, end in zip(starts, [*starts[1:], len(cut)], strict=True):
        whole = "\n\n".join(part.source for part in cut[start:end])
        yield Section(cut[start].level, cut[start].heading, cut[start].line, whole, whole)


def table_rows(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows of the tables in a text: 1-based line, and cells by the heads of their columns."""
    heads: list[str] = []
    before: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.lstrip().startswith("|"):
            heads, before = [], []
        elif "-" in line and _TABLE_RULE.issuperset(line):
            heads = before
        else:
            before = [cell.strip().replace("\\|", "|") for cell in _CELL_END.split(line.strip().strip("|"))]
            if heads:
                yield number, dict(zip(heads, before, strict=False))


def date_in(text: str) -> datetime | None:
    """The first date written in a text or a file's name, with its time if it has one, taken as UTC."""
    for match in _WRITTEN_DATE.finditer(text[:_DATE_WITHIN]):
        year, _sign, *rest = match.groups()
        month, day = (part for part in rest[:6] if part)
        try:
            hour, minute, second = (int(part or 0) for part in rest[6:])
            return datetime(int(year), int(month), int(day), hour, minute, second, tzinfo=UTC)
        except ValueError:
            continue
    return None


def slug(text: str, limit: int = 60) -> str:
    """A title as a part of an id: letters and digits of every script, "-" between them, at most `limit` long."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", text).casefold())
    return "-".join(words)[:limit].strip("-")
