"""A memory in full, in pages: the result of `read_memory`, a resource, the text that `fetch` gives."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from recall.evidence.result import Evidence
from recall.index import Match, Row
from recall.render.document import TRUST, day, iso, place
from recall.server import results
from recall.server.shaping.checked import checked
from recall.server.shaping.shaped import Shaped, cut, short_title

_LEAST_ROOM = 1_000  # characters of a page's text
_SHORT = 200  # characters of a path, a project or a uri of which there is no room for more
MANY = 9_999_999  # pages, to measure with


def one_page(
    match: Match, authority: str, number: int, most: int, evidence: Evidence | None = None
) -> Shaped | None:
    """One page of a memory, each of at most `most` characters in either form; None if there is no such page.

    evidence: what the repository says of it.
    """
    told = checked(evidence)

    def shaped(row: Row, text: str, pages: int) -> Shaped:
        return _page(row, match.vanished_at, authority, text, number, pages, told)

    row, parts = in_pages(match.row, most, lambda row: shaped(row, "", MANY).size)
    return shaped(row, parts[number - 1], len(parts)) if 1 <= number <= len(parts) else None


def _page(
    row: Row,
    vanished_at: float | None,
    authority: str,
    text: str,
    number: int,
    pages: int,
    told: Mapping[str, Any],
) -> Shaped:
    given = results.Page(
        label=TRUST,
        uri=row.uri,
        source=row.provider,
        authority=authority,
        date=day(row.dated),
        title=row.title,
        path=place(row),
        project=row.project,
        flags=row.flags.split(),
        vanished=iso(vanished_at) or "",
        withdrawn=row.withdrawn,
        **told,
        page=number,
        pages=pages,
        trust="untrusted",
        text=text,
    )
    gone = f"vanished from its source {given.vanished}" if given.vanished else ""
    taken_back = f"withdrawn: {given.withdrawn}" if given.withdrawn else ""
    project = f"project {given.project}" if given.project else ""
    facts = [given.source, given.authority, given.date, project, given.path, *given.flags, taken_back, gone]
    lines = [
        f"**{TRUST}**",
        "",
        f"{given.title or given.uri} ({', '.join(fact for fact in facts if fact)}) {given.uri}",
        *_checked(given),
        *(f"> {line}".rstrip() for line in given.text.split("\n")),
        f"Page {number} of {pages}."
        + (f" Next: read_memory with page={number + 1}." if number < pages else ""),
    ]
    return Shaped("\n".join(lines) + "\n", given.plain())


def _checked(given: results.Page) -> Iterator[str]:
    if given.verdict:
        yield f"{given.verdict}: {'; '.join(given.reasons)}".rstrip(": ")
        yield from (f"  ({command})" for command in given.commands)


def in_pages(row: Row, most: int, frame: Callable[[Row], int]) -> tuple[Row, list[str]]:
    """A memory in pages of at most `most` characters, and its row as each page can show it.

    frame: characters of a page without its text. Where a path or a uri is so long that it leaves no room, it is cut.
    """
    row = short_title(row)
    shorter = row._replace(path=cut(row.path, _SHORT), project=cut(row.project, _SHORT))
    shortest = shorter._replace(uri=cut(row.uri, _SHORT))
    roomy = (one for one in (row, shorter) if most - frame(one) >= _LEAST_ROOM)
    shown = next(roomy, shortest)
    return shown, list(_parts(row.text, max(most - frame(shown), _LEAST_ROOM)))


def _parts(text: str, room: int) -> Iterator[str]:
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
