"""A log of decisions in one file: an entry under a heading, in a list item with a date or id, in a row of a table."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recall import documents, files, outline
from recall.api import Authority, Memory, Problem
from recall.errors import StoreBroken
from recall.files import Found
from recall.outline import Section
from recall.pages import Page, newest
from recall_decisions import status, words
from recall_decisions.names import Names
from recall_decisions.records import is_unfilled
from recall_decisions.status import Declared

# Headings of the parts of one entry, in contrast to those of entries.
_PART = re.compile(
    r"(?:the )?(?:status|date|context|background|problem|decision|rationale|reason(?:ing)?|consequences?|impact"
    r"|results?|outcomes?|alternatives?|(?:considered )?options|trade-?offs|pros|cons|notes|links"
    r"|references|related|evidence)"
    r"(?:\s+(?:and|of|for|made|considered|statement|drivers|outcome)\b.*|\s*[&/:(].*)?|why\b.*"
    r"|(?:상태|날짜|배경|맥락|문제|결정|이유|근거|결과|영향|대안|선택지|장단점|참고|관련|링크|검증)(?:[\s:(].*)?",
    re.IGNORECASE,
)
_ID = r"(?:ADR|DEC|DR|D|Decision|결정)"
_KNOWN = (
    rf"(?:\[?20\d\d(?:[-./년]|\d{{4}})|\[?{_ID}[-_ #]{{0,2}}\d|#?\d{{1,4}}[.:)]\s)"  # a date, an id, a number
)
_IDENTIFIED = re.compile(rf"[\W_]*{_KNOWN}", re.IGNORECASE)
_FIRST_WORD = re.compile(rf"[\W_]*({_ID}[-_ #]{{0,2}}\d[\w-]*|\S+)", re.IGNORECASE)
_BARE = re.compile(rf"[\W\d_년월일]*|[\W_]*{_ID}[-_ #]*\d+[\W_]*", re.IGNORECASE)  # nothing but that
_BULLET = re.compile(r"(?:[-*+]|\d{1,3}[.)])[ \t]+(?=\S)")
_ITEM = re.compile(
    rf"(?:(?:[-*+]|\d{{1,3}}[.)])[ \t]+)?[*_~(]*(?:{_KNOWN}|In the context of\b)", re.IGNORECASE
)
_TITLE_COLUMN = re.compile(r".*(?:decision|title|summary|choice|결정|제목|내용|요약).*", re.IGNORECASE)
_FILE_CELL = re.compile(r".*\]\([^)]{0,300}\.md\).*|`?[\w./-]+\.md`?")
# How a log tells its readers to write an entry.
_HELP = re.compile(
    r"(?:(?:adr|entry|decision|record) )?(?:template|format)s?|how to .*|rules|status (?:values|definitions)"
    r"|양식|형식|템플릿|작성 ?(?:방법|규칙)",
    re.IGNORECASE,
)
_UNTITLED = re.compile(
    r"\[(?:decision |short )?(?:title|name|number|제목)\]|<title>|\{|YYYY|X{3,}|N{3,}", re.IGNORECASE
)
_TITLE = 120  # characters


class _Piece(NamedTuple):
    """One entry as it stands in the log."""

    title: str
    line: int
    text: str
    parts: tuple[Section, ...]
    above: str  # the headings it stands under, which may date it


def read(key: str, found: Found, limit: int, project: str) -> Iterator[Memory | Problem]:
    """The entries of one log, and what was wrong with the file."""
    try:
        page = Page(key, found, limit, project)
    except StoreBroken as error:
        yield Problem(key, str(error))
        return
    whole = Section(0, "", 1, "", "")
    written = [piece for piece in _pieces(whole, outline.sections(page.document.body)) if _is_entry(piece)]
    pieces = newest(written, lambda piece: outline.date_in(f"{piece.title} {piece.above}"))
    said = [status.declared(piece.title, piece.parts) for piece in pieces]
    ids = _ids(key.removesuffix(".md"), pieces)
    names = Names(_named(ids, pieces))
    for identity, piece, declared in zip(ids, pieces, said, strict=True):
        successor = next((other for other in names.find(declared.by) if other != identity), "")
        why = f"superseded by {names.labels[identity]}"
        withdrawn = declared.withdrawn(names.labels.get(successor, ""))
        moment = next(filter(None, map(outline.date_in, (piece.title, declared.date, piece.above))), None)
        extra = {"status": declared.said, "superseded_by": successor if withdrawn else ""}
        proposed = declared.status == words.PROPOSED
        yield page.memory(
            piece.text,
            piece.line,
            id=identity,
            title=piece.title,
            created=moment,
            updated=moment,
            date_origin="text" if moment else "",
            kind="proposal" if proposed else "decision",
            authority=Authority.CURATED if proposed else None,
            withdrawn=withdrawn,
            successor=successor if withdrawn else "",
            withdraws=dict.fromkeys(_older(declared.supersedes, declared, identity, names), why),
            amends=tuple(_older(declared.amends, declared, identity, names)),
            extra={name: value for name, value in extra.items() if value},
        )
    if len(pieces) < len(written):
        yield Problem(key, f"only the newest {len(pieces):,} of {len(written):,} entries are read")
    yield from page.problems()


def _older(texts: Sequence[str], declared: Declared, identity: str, names: Names) -> Iterator[str]:
    """The older entries that this one names as replaced, whole or in part."""
    for text in texts if declared.replaces else ():
        yield from (old for old in names.find(text) if old != identity)


def _is_entry(piece: _Piece) -> bool:
    """Whether it is more than the log's own advice or a template."""
    if _HELP.fullmatch(piece.title) or _UNTITLED.search(piece.title):
        return False
    return piece.parts[0].level > 1 or not is_unfilled(piece.text)  # a heading alone may be the decision


def _ids(prefix: str, pieces: Sequence[_Piece]) -> list[str]:
    """By title, so that entries added above or below change none; namesakes also by their text."""
    slugs = [outline.slug(piece.title) or "entry" for piece in pieces]
    counts = Counter(slugs)
    taken: set[str] = set()
    ids = []
    for slug, piece in zip(slugs, pieces, strict=True):
        digest = zlib.crc32(unicodedata.normalize("NFC", piece.text).encode("utf-8", "replace"))
        ids.append(files.unique(f"{prefix}/{slug}" + (f"-{digest:08x}" if counts[slug] > 1 else ""), taken))
    return ids


def _named(ids: Sequence[str], pieces: Sequence[_Piece]) -> Iterator[tuple[str, str, str]]:
    """Entries by the slug of their title, and by its first word, where the number is."""
    for identity, piece in zip(ids, pieces, strict=True):
        label = documents.shorten(piece.title, 60)
        yield identity, outline.slug(piece.title), label
        word = _FIRST_WORD.match(piece.title)
        yield identity, word[1].strip(":.,)]") if word else "", label


def _pieces(
    head: Section, below: Sequence[Section], above: str = "", *, sole: bool = True
) -> Iterator[_Piece]:
    """The entries in a part of the log, which may be all of it, a year, a subject, or one entry."""
    if not _is_group(head, below, sole):
        text = "\n\n".join(filter(None, (head.text, *(part.source for part in below)))).strip()
        if not documents.is_blank(head.heading + text):
            title = _title(head.heading, text)
            yield _Piece(title, head.line, text or head.heading * (head.level > 1), (head, *below), above)
        return
    above = f"{head.heading} {above}"
    yield from _listed(head, above, alone=not below)
    level = min((part.level for part in below), default=0)
    starts = [number for number, part in enumerate(below) if part.level == level or not number]
    for start, end in zip(starts, [*starts[1:], len(below)], strict=False):
        yield from _pieces(below[start], below[start + 1 : end], above, sole=len(starts) == 1)


def _is_group(head: Section, below: Sequence[Section], sole: bool) -> bool:
    """Whether a section only holds entries; `sole`: it is the only one of its level, as a title is."""
    entitled = bool(_IDENTIFIED.match(head.heading)) and not _BARE.fullmatch(head.heading)
    if not below:
        lines = [line for line in head.text.split("\n") if line.strip()]
        # Below a heading of its own a list may be the reasons.
        begins = lines if head.level <= 1 else lines[:1]
        listed = any(map(_ITEM.match, begins)) or (head.level <= 1 and any(map(_BULLET.match, lines[:1])))
        return not entitled and (listed or any(True for _row in _rows(head)))
    level = min(part.level for part in below)
    children = [part.heading for part in below if part.level == level]
    if head.level == 0 or any(map(_IDENTIFIED.match, children)):
        return True
    if entitled or any(map(_PART.fullmatch, children)):
        return False
    return (head.level == 1 and sole) or documents.is_blank(head.text)


def _listed(head: Section, above: str, *, alone: bool) -> Iterator[_Piece]:
    """Entries in a section's own text: rows of a table, list items that begin with a date or an id.

    alone: nothing else is in it, so that items without a date are entries too.
    """
    lines = head.source.split("\n")
    for line, row, title in _rows(head):
        names_files = any(map(_FILE_CELL.fullmatch, row.values()))  # it is a list of records in files
        if title and not names_files:
            marks = [value for value in row.values() if _BARE.fullmatch(value) and re.search(r"\d", value)]
            text = "\n".join(f"{name}: {value}" for name, value in row.items() if value)
            yield _piece(" ".join([*marks, title]), line, text, above)
    body = range(bool(head.level), len(lines))
    starts = [number for number in body if _ITEM.match(lines[number])]
    if not starts and alone:
        starts = [number for number in body if _BULLET.match(lines[number])]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        text = _BULLET.sub("", "\n".join(lines[start:end]).strip(), count=1)
        yield _piece(text.split("\n")[0], head.line + start, text, above)


def _rows(head: Section) -> Iterator[tuple[int, dict[str, str], str]]:
    """Rows of tables of decisions: line, cells, and the one that says what was decided."""
    for number, row in outline.table_rows(head.source):
        column = next((name for name in row if _TITLE_COLUMN.fullmatch(name)), None)
        if column is not None:
            yield head.line + number - 1, row, row[column]


def _piece(title: str, line: int, text: str, above: str) -> _Piece:
    return _Piece(_title(title, ""), line, text, (Section(0, "", line, text, text),), above)


def _title(heading: str, text: str) -> str:
    """The heading, with the first line of the text where it is only a date or a number."""
    if _BARE.fullmatch(heading):
        first = next((line for line in text.split("\n") if not documents.is_blank(line)), "")
        heading = f"{heading} {first.lstrip('#>*-+ ')}".strip()
    return documents.shorten(documents.one_line(re.sub(r"\*\*|__", "", heading)), _TITLE)
