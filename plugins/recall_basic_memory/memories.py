"""What a note says: its text, each observation as a memory of its own, and what it is related to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from recall import documents, notes, outline
from recall.api import Entry, Memory, Problem
from recall.pages import Page

# "- [category] text #tag (context)". A box to tick ("[ ]", "[x]", "[-]") and a time ("[00:11]") are no category.
_OBSERVATION = re.compile(
    r"^[ \t]*[-*+][ \t]+\[(?![ xX/-]?\]|[\d:.]+\])([^\[\]\n]{1,40})\](?![(\[])[ \t]+(\S.*)$"
)
# "- relation_type [[Target]] (context)"
_RELATION = re.compile(
    r"^[ \t]*[-*+][ \t]++([^\[\]\n]{0,60}?)[ \t]*+\[\[([^\[\]\n]{1,200})\]\](?:[ \t]*\(([^)\n]*)\))?[ \t]*$"
)
_TAG = re.compile(r"(?<![\w&])#([^\W\d][\w/-]*)")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_SHOWN = 200  # characters of one extra field
# Characters of tags and relations by which each section and each observation is found, too: there may be thousands.
_AROUND, _AROUND_ONE = 2_000, 500


class _Observation(NamedTuple):
    category: str
    text: str
    line: int  # 1-based, of the note's body


class _Parted(NamedTuple):
    """A note's body taken apart; the lines that became something else are blank in its text."""

    text: str
    observations: tuple[_Observation, ...]
    relations: tuple[str, ...]


def read(entry: Entry, limit: int) -> Iterator[Memory | Problem]:
    """The memories of one note; raises StoreBroken."""
    note: notes.Note = entry.locator
    page = Page(entry.key, note.found, limit, note.folder.project)
    front = page.document.front
    parted = _parted(page.document.body)
    tags = dict.fromkeys((*front.texts("tags"), *_TAG.findall(parted.text)))
    related = "; ".join(parted.relations)
    around = f"{', '.join(tags)} {related}"[:_AROUND_ONE]
    extra = {"permalink": front.text("permalink"), "tags": ", ".join(tags), "relations": related}
    shown = {key: documents.shorten(value, _SHOWN) for key, value in extra.items() if value}
    kind = front.text("type") or "note"
    rest = parted.text.lstrip("\n")
    line = 1 + len(parted.text) - len(rest)
    bare = re.sub(r"(?m)^#{1,6}[ \t].*$", "", rest)
    if not documents.is_blank(bare):
        yield from page.parts(rest.rstrip(), line, kind=kind, extra=shown, context=related[:_AROUND])
    for found in parted.observations:
        if documents.is_template(found.text):
            continue
        told = f"{page.title} {', '.join(_TAG.findall(found.text))} {around}"
        name = outline.slug(f"{found.category} {found.text}")
        more = {"kind": found.category, "extra": shown, "context": told, "title": page.title}
        yield page.memory(found.text, found.line, f"{name or 'observation'}", **more)
    yield from page.problems()


def _parted(body: str) -> _Parted:
    lines: list[str] = []
    observations: list[_Observation] = []
    relations: list[str] = []
    fence = ""
    for number, line in enumerate(body.split("\n"), 1):
        opened = _FENCE.match(line)
        if opened and (not fence or opened[1] == fence):
            fence = "" if fence else opened[1]
        if fence or opened:
            lines.append(line)
        elif found := _OBSERVATION.match(line):
            observations.append(_Observation(found[1].strip(), found[2].strip(), number))
            lines.append("")
        elif found := _RELATION.match(line):
            about = f" ({found[3]})" if found[3] else ""
            relations.append(f"{found[1] or 'relates to'} {found[2]}{about}".replace("_", " "))
            lines.append("")
        else:
            lines.append(line)
    return _Parted("\n".join(lines), tuple(observations), tuple(relations))
