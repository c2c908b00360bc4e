"""A database row as a memory: the text that a person would want to read."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recall.api import Memory, Problem
from recall.documents import one_line, shorten
from recall.errors import StoreBroken
from recall.frontmatter import load_json
from recall_claude_mem.dates import moment
from recall_claude_mem.tables import OBSERVATIONS, SUMMARIES

Row = Mapping[str, Any]

_SUMMARY_PARTS = {
    "request": "Request",
    "investigated": "Investigated",
    "learned": "Learned",
    "completed": "Completed",
    "next_steps": "Next steps",
    "notes": "Notes",
}
_SEPARATORS = re.compile(r"[|\n]")  # rows of old releases join lists with pipes


def to_memory(table: str, key: str, row: Row, path: str, limit: int) -> Iterator[Memory | Problem]:
    """The memory in a row, cut at `limit` characters; nothing if there is no text after all."""
    parts = {OBSERVATIONS: _observation, SUMMARIES: _summary}.get(table, _prompt)(row)
    text = "\n\n".join(part for part in parts if part)
    if not text and not _text(row, "title"):
        return
    if len(text) > limit:
        yield Problem(key, f"cut after {limit:,} of {len(text):,} characters")
    yield Memory(
        id=key,
        text=text[:limit] or _text(row, "title"),
        title=_title(row, parts),
        path=path,
        project=unicodedata.normalize("NFC", _text(row, "project")),
        created=moment(row.get("created_at_epoch"), row.get("created_at")),
        date_origin="database",
        kind=_text(row, "type") or key.partition("/")[0],
        extra=_extra(row),
    )


def _observation(row: Row) -> list[str]:
    narrative, text = _text(row, "narrative"), _text(row, "text")
    return [
        _text(row, "subtitle"),
        narrative,
        "" if text in narrative else text,
        "\n".join(f"- {fact}" for fact in listed(row.get("facts"))),
        _line("Concepts", listed(row.get("concepts"))),
        _line("Files", _files(row)),
    ]


def _summary(row: Row) -> list[str]:
    parts = [_line(label, [text]) for column, label in _SUMMARY_PARTS.items() if (text := _text(row, column))]
    return [*parts, _line("Files", _files(row))]


def _prompt(row: Row) -> list[str]:
    return [_text(row, "prompt_text")]


def _title(row: Row, parts: Iterable[str]) -> str:
    """The row's own title, what was asked, or how the text begins."""
    own = _text(row, "title") or _text(row, "request") or next((part for part in parts if part), "")
    return shorten(one_line(own.removeprefix("- ")))


def _files(row: Row) -> list[str]:
    """Files that were changed, then those only read."""
    columns = ("files_modified", "files_edited", "files_read")
    return list(dict.fromkeys(file for column in columns for file in listed(row.get(column))))


def _extra(row: Row) -> dict[str, str]:
    columns = {
        "files_modified": "files_modified",
        "files_edited": "files_modified",
        "files_read": "files_read",
    }
    extra = {name: ", ".join(listed(row.get(column))) for column, name in columns.items() if row.get(column)}
    return {name: text for name, text in extra.items() if text}


def listed(value: object) -> tuple[str, ...]:
    """A list of texts from a JSON array; old rows hold NULL, plain text or text with pipes instead."""
    if not isinstance(value, str) or not value.strip():
        return ()
    try:
        document = load_json(value)
    except StoreBroken:
        document = _SEPARATORS.split(value)
    items = document if isinstance(document, list) else [document]
    texts = (item if isinstance(item, str) else _shown(item) for item in items)
    return tuple(text.strip() for text in texts if text.strip())


def _shown(item: object) -> str:
    return "" if item is None else json.dumps(item, ensure_ascii=False)


def _line(label: str, texts: Iterable[str]) -> str:
    joined = ", ".join(texts)
    return f"{label}: {joined}" if joined else ""


def _text(row: Row, column: str) -> str:
    value = row.get(column)
    return value.strip() if isinstance(value, str) else "" if value is None else _plain(value)


def _plain(value: object) -> str:
    """A number or bytes where text is expected: columns have no type that SQLite would enforce."""
    return value.decode("utf-8", "replace").strip() if isinstance(value, bytes) else str(value)
