"""A memory in full, in pages: the result of `read_memory`, a resource, the text that `fetch` gives."""

from __future__ import annotations

import json
from collections.abc import Iterator

from recall.index import Match, Row
from recall.render.document import TRUST, iso
from recall.server import results
from recall.server.shaping.shaped import Shaped, date, place, short_title


def one_page(match: Match, authority: str, number: int, most: int) -> Shaped | None:
    """One page of a memory, each of at most `most` characters in either form; None if there is no such page."""
    row = short_title(match.row)
    pages = list(in_pages(row.text, room(row, most)))
    if not 1 <= number <= len(pages):
        return None
    given = results.Page(
        label=TRUST,
        uri=row.uri,
        source=row.provider,
        authority=authority,
        date=date(row.updated, row.created),
        title=row.title,
        path=place(row.path, row.line),
        project=row.project,
        flags=row.flags.split(),
        vanished=iso(match.vanished_at) or "",
        page=number,
        pages=len(pages),
        trust="untrusted",
        text=pages[number - 1],
    )
    facts = [
        given.source,
        given.authority,
        given.date,
        *given.flags,
        given.vanished and "vanished from its source",
    ]
    lines = [
        f"**{TRUST}**",
        "",
        f"{given.title or given.uri} ({', '.join(fact for fact in facts if fact)}) {given.uri}",
        *(f"> {line}".rstrip() for line in given.text.split("\n")),
        f"Page {number} of {len(pages)}." + (f" Next: page={number + 1}." if number < len(pages) else ""),
    ]
    return Shaped("\n".join(lines) + "\n", given.plain())


def room(row: Row, most: int) -> int:
    """Characters for the text of a memory beside all else that is said of it."""
    return max(1_000, most - 1_500 - 3 * (len(row.title) + len(row.uri) + len(row.path)))


def in_pages(text: str, room: int) -> Iterator[str]:
    """A text in pages that fit into `room` characters as JSON and as quoted lines; cut between lines if it can."""
    kept: list[str] = []
    left = room
    for line in _short_lines(text, room // 3):
        size = max(len(json.dumps(line, ensure_ascii=False)), len(line)) + 2
        if size > left and kept:
            yield "\n".join(kept)
            kept, left = [], room
        kept.append(line)
        left -= size
    yield "\n".join(kept)


def _short_lines(text: str, length: int) -> Iterator[str]:
    for line in text.split("\n"):
        for start in range(0, len(line) or 1, length):
            yield line[start : start + length]
