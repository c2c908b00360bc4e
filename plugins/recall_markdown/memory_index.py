"""MEMORY.md: an index whose lines point to the memories, except where somebody wrote facts into it."""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import unquote

from recall.documents import is_blank

# What Claude Code loads of it at the start of a session: lines, and UTF-16 units.
_LOADED_LINES = 200
_LOADED_UNITS = 25_000
# "- [Title](file.md) — hook", also numbered, bold, after a sign, or in a table.
# Neither pattern looks at the same characters again and again: a line may be a million marks.
_POINTER = re.compile(r"\s*+(?:(?:[-*+|]|\d++[.)])\s*+)?(?:[^\w\s\[]{1,6}+\s*+)?\[[^\]]*+\]\([^)]++\)")
_TARGET = re.compile(r"\]\(\s*+<?([^\])>#\s]*+(?:\s++[^\])>#\s]++)*+(?<=\.md))", re.IGNORECASE)
_HEADING = re.compile(r"(#{1,6})\s")
_FENCE = ("```", "~~~")


@dataclass(frozen=True, slots=True)
class Rest:
    """What an index says itself."""

    text: str  # "" if it only points
    line: int  # 1-based, within the text given, of its first line
    dead: tuple[str, ...]  # targets that are not there
    only_dead: bool  # whether pointers to such targets are all it says


def rest(text: str, folder: str) -> Rest:
    """An index without the lines that only point to files in or below `folder` that are there.

    A pointer to a lost file stays: its words are all that is left of that memory.
    """
    lines = text.split("\n")
    keep: list[int] = []
    dead: list[str] = []
    content = 0
    fenced = False
    for number, line in enumerate(lines):
        fenced ^= line.lstrip().startswith(_FENCE)
        targets = _TARGET.findall(line) if not fenced and _POINTER.match(line) else []
        missing = [target for target in targets if not _exists(folder, target)]
        dead += missing
        if missing or not targets:
            keep.append(number)
            content += not missing and not _HEADING.match(line) and not is_blank(line)
    keep = _with_content(lines, keep)
    said = "\n".join(lines[number] for number in keep).strip("\n")
    return Rest(
        "" if is_blank(said) else said, keep[0] + 1 if keep else 1, tuple(dead), bool(dead) and not content
    )


def _with_content(lines: list[str], keep: list[int]) -> list[int]:
    """Without outer blank lines, and without headings that have nothing below them any more."""
    kept: list[int] = []
    below = 0  # the next kept line: 0 nothing, 1 to 6 a heading of that level, 7 content
    for number in reversed(keep):
        heading = _HEADING.match(lines[number])
        level = len(heading[1]) if heading else 7 if lines[number].strip() else 0
        if (level == 0 and below == 0) or (0 < level < 7 and below <= level):
            continue
        kept.append(number)
        below = level or below
    while kept and not lines[kept[-1]].strip():
        kept.pop()
    return kept[::-1]


def _exists(folder: str, target: str) -> bool:
    """Whether a link's target is there, as written, unquoted, or in the other Unicode form."""
    plain = unquote(target)
    forms = dict.fromkeys((target, plain, *(unicodedata.normalize(form, plain) for form in ("NFC", "NFD"))))
    return any(os.path.isfile(os.path.join(folder, form)) for form in forms)


def overflow(text: str) -> str:
    """How much of an index is past what a session loads at its start, or ""."""
    text = text.strip()
    lines = text.count("\n") + 1
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    if lines > _LOADED_LINES:
        return f"{lines:,} lines, of which a session loads {_LOADED_LINES}"
    if units > _LOADED_UNITS:
        return f"{units:,} characters, of which a session loads {_LOADED_UNITS:,}"
    return ""
