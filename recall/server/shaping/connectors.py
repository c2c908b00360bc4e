"""The results of `search` and `fetch`, in the shapes that ChatGPT connectors require."""

from __future__ import annotations

from recall.answer import Answer
from recall.index import Match
from recall.render.document import TRUST
from recall.server import results
from recall.server.shaping.pages import in_pages, room
from recall.server.shaping.shaped import date, place, short_title


def found(answer: Answer) -> results.Search:
    """An answer as search results."""
    rows = (hit.ranked.row for hit in answer.hits)
    return results.Search(
        results=[results.Found(id=row.uri, title=row.title or row.uri, url=row.uri) for row in rows]
    )


def whole(match: Match, authority: str, most: int) -> results.Document:
    """A memory as a document, its first page if it has several."""
    row = short_title(match.row)
    pages = list(in_pages(row.text, room(row, most)))
    rest = f"\n[page 1 of {len(pages)}; read_memory has the others]" if len(pages) > 1 else ""
    return results.Document(
        id=row.uri,
        title=row.title or row.uri,
        text=f"{TRUST}\n\n{pages[0]}{rest}",
        url=row.uri,
        metadata={
            "label": TRUST,
            "trust": "untrusted",
            "source": row.provider,
            "authority": authority,
            "date": date(row.updated, row.created),
            "project": row.project,
            "path": place(row.path, row.line),
        },
    )
