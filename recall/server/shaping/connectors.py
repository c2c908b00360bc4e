"""The results of `search` and `fetch`, in the shapes that ChatGPT connectors require."""

from __future__ import annotations

from recall.answer import Answer
from recall.evidence.result import Evidence
from recall.index import Match, Row
from recall.render.document import TRUST, day, place
from recall.server import results
from recall.server.shaping.checked import checked
from recall.server.shaping.pages import MANY, in_pages
from recall.server.shaping.shaped import Shaped, as_json, short_title


def found(answer: Answer, most: int) -> Shaped:
    """An answer as search results, in at most `most` characters."""
    rows = [short_title(hit.ranked.row) for hit in answer.hits]
    said = [checked(hit.ranked.evidence).get("verdict", "") for hit in answer.hits]
    given = [
        results.Found(id=row.uri, title=row.title or row.uri, url=row.uri, verdict=verdict)
        for row, verdict in zip(rows, said, strict=True)
    ]
    kept = list(given)
    while True:
        left_out = {"beyond_size": len(given) - len(kept)} if len(kept) < len(given) else {}
        shaped = _as_one_text(results.Search(results=kept, left_out=left_out))
        if shaped.size <= most or not kept:
            return shaped
        kept.pop()


def whole(match: Match, authority: str, most: int, evidence: Evidence | None = None) -> Shaped:
    """A memory as a document of at most `most` characters, its first page if it has several.

    evidence: what the repository says of it.
    """
    told = checked(evidence)
    verdict, reasons = told.get("verdict", ""), "; ".join(told.get("reasons", ()))
    # A model may be shown the text alone.
    now = f"In Git now: {verdict}. {reasons}\n\n" if verdict else ""

    def shaped(row: Row, text: str, pages: int) -> Shaped:
        facts = {
            "label": TRUST,
            "trust": "untrusted",
            "source": row.provider,
            "authority": authority,
            "date": day(row.dated),
            "withdrawn": row.withdrawn,
            "verdict": verdict,
            "reasons": reasons,
            "project": row.project,
            "path": place(row),
        }
        rest = f"\n[page 1 of {pages}; read_memory has the others]" if pages > 1 else ""
        document = results.Document(
            id=row.uri,
            title=row.title or row.uri,
            text=f"{TRUST}\n\n{now}{text}{rest}",
            url=row.uri,
            metadata={name: value for name, value in facts.items() if value},
        )
        return _as_one_text(document)

    row, parts = in_pages(match.row, most, lambda row: shaped(row, "", MANY).size)
    return shaped(row, parts[0], len(parts))


def _as_one_text(result: results.Result) -> Shaped:
    """The structured result and the same as JSON text: connectors read the one or the other."""
    structured = result.plain()
    return Shaped(as_json(structured), structured)
