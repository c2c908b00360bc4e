"""What a memory file of Serena's says."""

from __future__ import annotations

from collections.abc import Iterator

from recall.api import Memory, Problem
from recall.documents import Document, dates, is_blank, parse_document
from recall.errors import StoreBroken
from recall.files import display_path, read_text
from recall_serena.notes import Note

# The stock note as Serena 1.5 to 2.1 plants it, with \n line ends. Users put facts of their own into that
# file, so it is known by its text and never by its name.
_STOCK_LENGTH = 2043
_STOCK_SHA256 = "09d514088a02af6dd4487f6538011e398601f5397a8e68b901c0d7cf29a30177"

_FIELDS_KEPT = 16
_FIELD_LENGTH = 200


def read_note(note: Note, limit: int) -> Iterator[Memory | Problem]:
    """What a file says: no memory if it is blank or Serena's stock note."""
    where = display_path(note.found.path)
    try:
        text = read_text(note.found, limit)
    except StoreBroken as error:
        yield Problem(where, str(error))
        return
    if text.problem:
        yield Problem(where, text.problem)
    if text.encoding != "utf-8":
        yield Problem(where, f"{text.encoding} text, which Serena itself cannot read", harmless=True)
    yield from note_of(note, text.text)


def note_of(note: Note, text: str) -> Iterator[Memory | Problem]:
    """What a text says that is a note's: no memory if it is blank or Serena's stock note (line ends are \\n)."""
    if is_stock(text):
        return
    document = parse_document(text)
    if document.front.problem:
        yield Problem(display_path(note.found.path), document.front.problem, harmless=True)
    if not is_blank(document.body) or document.description:
        yield _memory(note, document)


def is_stock(text: str) -> bool:
    """Whether this is the note about upkeep that Serena plants by itself (line ends are \\n)."""
    data = text.encode("utf-8", "replace")
    if len(data) != _STOCK_LENGTH:
        return False
    import hashlib

    return hashlib.sha256(data).hexdigest() == _STOCK_SHA256


def _memory(note: Note, document: Document) -> Memory:
    text, line = document.text()
    dated = dates(document.front, note.found.mtime_ns)
    return Memory(
        id=note.key,
        text=text,
        title=document.title or note.name,
        path=_openable(note.found.path),
        line=line,
        project=note.tree.project,
        created=dated.created,
        updated=dated.updated,
        date_origin=dated.origin,
        kind="memory",
        extra=_extra(note, document),
    )


def _extra(note: Note, document: Document) -> dict[str, str]:
    """The short texts of the front matter, and the tree if it is not the project's own."""
    front = document.front
    texts = {key: front.text(key) for key in list(front.fields)[:_FIELDS_KEPT]}
    extra = {key: text for key, text in texts.items() if 0 < len(text) <= _FIELD_LENGTH}
    return {**extra, "tree": note.tree.origin} if note.tree.origin else extra


def _openable(path: str) -> str:
    """The path as the file system spells it (a decomposed name opens only so), if it can be stored and shown."""
    return path if path.isprintable() else display_path(path)
