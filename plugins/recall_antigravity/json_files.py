"""The small JSON files beside documents, whoever wrote them and however far they got."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from recall import documents, files, frontmatter
from recall.api import utc_from_epoch, utc_from_text
from recall.errors import StoreBroken
from recall.files import Found


def fields(found: Found | None) -> tuple[Mapping[str, Any], str]:
    """A file's fields, and why there are none ("" also if there is no file)."""
    if found is None:
        return {}, ""
    try:
        value = frontmatter.load_json(files.read_text(found).text)
    except StoreBroken as error:
        return {}, f"{error}; what it says is not used"
    return (value, "") if isinstance(value, dict) else ({}, "not a JSON object; what it says is not used")


def text(value: object) -> str:
    """Text or a number on one line, else ""."""
    if isinstance(value, str):
        return documents.one_line(value)
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def listed(value: object) -> list[Any]:
    """A list, or a single value as a list of one."""
    return value if isinstance(value, list) else [] if value is None else [value]


def date(fields: Mapping[str, Any], keys: Iterable[str]) -> datetime | None:
    """The first of the fields that holds a sensible date, as text or epoch."""
    values = (fields.get(key) for key in keys)
    moments = (documents.sane(utc_from_text(value) or utc_from_epoch(value)) for value in values)
    return next((moment for moment in moments if moment is not None), None)
