"""From an answer to memories: by paths into JSON, or by splitting a text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recall.api import Memory, Problem, option, utc_from_epoch, utc_from_text
from recall.errors import StoreBroken
from recall.transport.said import first_line
from recall_asked import jsonpath, template

_TITLE = 100  # characters of a title that is a text's first line
_LINE = 300  # characters of a title or label that a server gives; beyond, it is cut with a sign
_PLACE = 4_096  # characters of an id or path; a longer id is named by its digest, a longer path is none
_LOOKED_AT = 5_000  # results of one answer, whatever they hold


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How the results are read out of an answer; the same for every source that is asked."""

    results: str = option(
        "",
        'Path to the results in a JSON answer, as "results[*]"; empty: the answer is the list, or one result.',
    )
    text: tuple[str, ...] = option(
        ("text", "content"), "Paths in a result to its text; the first that holds any is taken."
    )
    title: str = option("title", "Path in a result to its title.")
    id: str = option("id", "Path in a result to what names it for good; without, its text does.")
    path: str = option("path", "Path in a result to the file or address where a person can open it.")
    updated: str = option("updated_at", "Path in a result to its date: ISO 8601, or an epoch.")
    label: str = option("project", "Path in a result to the project it belongs to.")
    error: str = option(
        "error", "Path in an answer to what went wrong, for servers that say so in an answer."
    )
    split: str = option("", "For answers that are text: what stands between two results.")
    nothing: str = option("", "Words in an answer that is text by which it says that nothing was found.")

    def check(self) -> None:
        """Raise ValueError for a path that is none."""
        for name in ("results", "title", "id", "path", "updated", "label", "error"):
            _checked(name, getattr(self, name))
        for path in self.text:
            _checked("text", path)


def _checked(name: str, path: str) -> None:
    try:
        jsonpath.parse(path)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def check_templates(name: str, lines: Sequence[str], *, paired: bool = True) -> None:
    """Raise ValueError for what cannot be filled, or is not NAME=VALUE."""
    try:
        if paired:
            template.pairs(lines)
        for line in lines:
            template.check(line)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def check_url(url: str) -> None:
    """Raise ValueError for one that is not of HTTP; none at all is another mistake."""
    if url and not url.lower().startswith(("http://", "https://")):
        raise ValueError("url: it begins with http:// or https://")


def document(texts: Sequence[str], structured: Any = None) -> Any:
    """What a tool answered: its structured content, its text as JSON, or its text.

    A wrapper that holds nothing but a text is looked into: several servers put JSON there.
    """
    if isinstance(structured, dict) and set(structured) == {"result"}:
        inner = structured["result"]
        return _parsed(inner) if isinstance(inner, str) else inner
    if structured is not None:
        return structured
    if len(texts) > 1:
        found = [_parsed(text) for text in texts]
        if all(isinstance(one, dict) for one in found):
            return found
    return _parsed("\n".join(texts))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def memories(answer: Any, options: ReadingOptions, limit: int) -> Iterator[Memory | Problem]:
    """The memories of an answer, each once, at most `limit`; raises StoreBroken if none can be made of it."""
    empty, beyond = 0, 0
    seen: set[str] = set()
    items = _items(answer, options)
    for item in items[:_LOOKED_AT]:
        memory = _memory(item, options)
        if memory is None:
            empty += 1
        elif memory.id in seen:
            continue
        elif len(seen) == limit:
            beyond += 1
        else:
            seen.add(memory.id)
            yield memory
    if empty:
        where = f"nothing at text = {list(options.text)}"
        yield Problem("answer", f"{empty} of the results without text: {where}", harmless=bool(seen))
    if beyond:
        yield Problem("answer", f"{beyond} more results than were asked for, not used", harmless=True)
    if further := len(items[_LOOKED_AT:]):
        yield Problem("answer", f"{further} further results, not looked at", harmless=bool(seen))


def _items(answer: Any, options: ReadingOptions) -> list[Any]:
    said = jsonpath.first(answer, jsonpath.parse(options.error)) if options.error else None
    if isinstance(said, dict):  # as {"error": {"code": 429, "message": "..."}}
        said = next(
            (said[key] for key in ("message", "detail") if isinstance(said.get(key), str)), _text(said)
        )
    if isinstance(said, str) and said.strip(" {}"):
        raise StoreBroken(f"it says: {first_line(said)}")
    steps = jsonpath.parse(options.results)
    if isinstance(answer, str):
        return _pieces(answer, options)
    if options.split:
        texts = [found for found in jsonpath.find(answer, steps) if isinstance(found, str)]
        return [piece for text in texts for piece in _pieces(text, options)]
    found = list(jsonpath.find(answer, steps))
    if not found:
        _require_place(answer, steps, options.results)
    return [item for one in found for item in (one if isinstance(one, list) else [one])]


def _pieces(text: str, options: ReadingOptions) -> list[Any]:
    """A text's results; a text that is expected to be JSON is none."""
    if not text.strip() or (options.nothing and options.nothing in text):
        return []
    if options.split:
        return [piece for piece in text.split(options.split) if piece.strip()]
    if options.results:
        raise StoreBroken(
            f"the answer is text, and not JSON: {first_line(text)}",
            "set `split` to what stands between two results, or `nothing` to what it says when there is none",
        )
    return [text]


def _require_place(answer: Any, steps: jsonpath.Path, written: str) -> None:
    """An empty list is no result; a path that leads nowhere is a mistake in the settings."""
    until = steps.index(None) if None in steps else len(steps)
    place = jsonpath.first(answer, steps[:until])
    if isinstance(place, list):
        return
    keys = ", ".join(map(str, answer)) if isinstance(answer, dict) else f"a {type(answer).__name__}"
    raise StoreBroken(
        f"nothing is at results = {written!r}; the answer holds {first_line(keys)}", "correct `results`"
    )


def _memory(item: Any, options: ReadingOptions) -> Memory | None:
    """One result; None if it has no text."""
    if not isinstance(item, dict):
        text = _text(item)
        return _named("", text, _title(text)) if text.strip() else None
    text = next((found for path in options.text if (found := _at(item, path)).strip()), "")
    if not text:
        return None
    updated = _moment(jsonpath.first(item, jsonpath.parse(options.updated)) if options.updated else None)
    made = _named(_at(item, options.id), text, _at(item, options.title))
    return Memory(
        id=made.id,
        text=text,
        title=_shortened(made.title),
        path=path if len(path := _at(item, options.path)) <= _PLACE else "",
        project=_shortened(_at(item, options.label)),
        updated=updated,
        date_origin="the server" if updated else "",
        kind="result",
    )


def _named(name: str, text: str, title: str) -> Memory:
    named = name if name and len(name) <= _PLACE else _digest(name or text)
    return Memory(named, text, title)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _shortened(text: str) -> str:
    return text if len(text) <= _LINE else text[: _LINE - 1] + "…"


def _at(item: Any, path: str) -> str:
    return _text(jsonpath.first(item, jsonpath.parse(path))) if path else ""


def _text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n".join(value)
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:  # deeper than anything that says something
        return ""


def _moment(value: Any) -> datetime | None:
    return utc_from_epoch(value) or utc_from_text(value)


def _title(text: str) -> str:
    return first_line(text).lstrip("# ").strip()[:_TITLE]
