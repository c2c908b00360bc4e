"""The journal of checkpoints in `.context`, and the snapshot made of it; read leniently, whoever wrote them."""

from __future__ import annotations

import json
import re
import unicodedata
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from recall import checkpoints, documents, files, frontmatter
from recall.api import Authority, Memory, Problem, utc_from_epoch, utc_from_text
from recall.checkpoints import KINDS, LASTING, LATEST, SNAPSHOT, Wrong
from recall.errors import StoreBroken
from recall.files import Found
from recall.pages import MOST
from recall_state.listing import HISTORY, Located, Standing

_TEXT = ("text", "summary", "content", "message", "title")
_WHY = ("why", "reason", "rationale")
_WHEN = ("at", "time", "timestamp", "ts", "created_at", "created", "date")
_NAME = ("id", "seq", "revision", "rev")
_CLOSES = ("closes", "supersedes", "replaces")
_ENVELOPES = ("entry", "record", "data", "payload")
# What of a snapshot is worth remembering; hashes, paths and versions are not.
_SAID = re.compile(
    r"current|state|summary|status|goal|focus|task|decision|approved|rejected|abandoned|constraint|blocker|milestone"
    r"|verification|handoff|hand_over|next|todo|open|risk|question|목표|상태|결정|다음",
    re.IGNORECASE,
)
_DEPTH = 4  # of a snapshot
_DECODER = json.JSONDecoder()


class _Record(NamedTuple):
    """One checkpoint."""

    name: str  # what others close it by
    kind: str
    text: str
    at: datetime | None
    closes: tuple[str, ...]
    line: int


class _Journal(NamedTuple):
    records: tuple[_Record, ...]
    damaged: int  # lines that are no JSON
    other: int  # objects of kinds that are no checkpoints
    cut: bool  # only its end was read
    older: int  # records that are not read, since there are so many


def read(key: str, located: Located, limit: int, project: str) -> Iterator[Memory | Problem]:
    """The memories of the journal or of the snapshot, and what was wrong with the file."""
    try:
        if located.found.relative.endswith(".jsonl"):
            yield from _checkpoints(key, located, limit, project)
        else:
            yield from _snapshot(key, located, limit, project)
    except StoreBroken as error:
        yield Problem(key, str(error))


def holds_records(journal: Found, limit: int) -> bool:
    """Whether a journal has any checkpoint that can be read: then views of it say nothing new."""
    try:
        return bool(_journal(journal, limit).records)
    except StoreBroken:
        return False


def _checkpoints(key: str, located: Located, limit: int, project: str) -> Iterator[Memory | Problem]:
    journal = _journal(located.found, limit)
    closed = {name: record for record in journal.records for name in record.closes}
    last = {record.kind: record for record in journal.records}
    taken: set[str] = set()
    for record in journal.records:
        by = closed.get(record.name) if record.name else None
        standing = located.current.later(located.standing, record.at)
        if record.kind in LASTING:
            standing = Standing(Authority.DECISION)
        elif record.kind in LATEST and record is not last[record.kind]:
            standing = HISTORY
        digest = zlib.crc32(
            unicodedata.normalize("NFC", f"{record.at}{record.text}").encode("utf-8", "replace")
        )
        yield Memory(
            id=files.unique(f"{key.rpartition('/')[0]}/{record.name or f'{digest:08x}'}", taken),
            text=record.text,
            title=documents.shorten(record.text.split("\n")[0]),
            path=files.display_path(located.found.path),
            line=record.line,
            project=project,
            created=record.at,
            updated=record.at,
            date_origin="journal" if record.at else "",
            kind=standing.kind(record.kind),
            authority=standing.authority,
            withdrawn=_closed(record, by) if by else "",
        )
    if journal.cut:
        yield Problem(key, f"only the last {limit:,} bytes are read")
    if journal.older:
        read = len(journal.records)
        yield Problem(key, f"only the newest {read:,} of {read + journal.older:,} records are read")
    if journal.damaged:
        yield Problem(key, f"damaged lines left out: {journal.damaged}")
    if journal.other:
        yield Problem(key, f"records of other kinds left out: {journal.other}", harmless=True)


def _closed(record: _Record, by: _Record) -> str:
    word = "superseded" if by.kind == record.kind else "closed"
    when = f" ({by.at:%Y-%m-%d})" if by.at else ""
    first = by.text.partition("\n")[0]
    return f"{word} by {documents.shorten(documents.one_line(first), 80)}{when}"


def _journal(found: Found, limit: int) -> _Journal:
    """Recall's own records by their checksums, and whatever other lines can be understood."""
    data = files.read_bytes(found, limit, tail=True).removeprefix(b"\xef\xbb\xbf")
    cut = found.size > limit
    contents = checkpoints.parse(data)
    steps = checkpoints.standing(contents.records).next
    records = [_own(record, steps) for record in contents.records]
    damaged = other = 0
    for stretch in contents.damages:
        if stretch.what is Wrong.FOREIGN and not (cut and not stretch.byte):
            line = data[stretch.byte : stretch.byte + stretch.size].replace(b"\0", b"")
            objects, whole = _objects(line.decode("utf-8", "replace"))
            damaged += not whole
            for item in objects:
                record = _record(item, stretch.line)
                records += [record] if record else []
                other += record is None
        elif stretch.what is Wrong.TORN:
            damaged += not (cut and not stretch.byte)
        other += stretch.what is Wrong.NEWER
    records.sort(key=lambda record: record.line)  # stable: glued ones stay in order
    if cut:
        records = [record._replace(line=0) for record in records]
    return _Journal(tuple(records[-MOST:]), damaged, other, cut, max(0, len(records) - MOST))


def _own(record: checkpoints.Record, steps: Sequence[checkpoints.Step]) -> _Record:
    left = "".join(f"\n- {step.text}" for step in steps if step.record.id == record.id)
    said = _said(record.kind, record.text, record.why)
    at = documents.sane(utc_from_text(record.at))
    return _Record(
        record.id, record.kind, f"{said}\n\nNext:{left}" if left else said, at, record.closes, record.line
    )


def _objects(line: str) -> tuple[list[dict[str, Any]], bool]:
    """The JSON objects in a line, where a torn write may have glued several, and whether that is all of it."""
    found: list[dict[str, Any]] = []
    rest = line.strip()
    while rest:
        try:
            item, end = _DECODER.raw_decode(rest)
        except (ValueError, RecursionError):
            return found, False
        if not isinstance(item, dict):
            return found, False
        found.append(item)
        rest = rest[end:].lstrip()
    return found, True


def _record(item: Mapping[str, Any], line: int) -> _Record | None:
    for name in _ENVELOPES:
        if isinstance(item.get(name), dict):
            item = {**item, **item[name]}
    kind = str(item.get("kind") or item.get("type") or "").strip().lower()
    text = _first(item, _TEXT)
    if kind not in KINDS or not text:
        return None
    why = _first(item, _WHY)
    closes = next((item[name] for name in _CLOSES if item.get(name)), ())
    when = next((item[name] for name in _WHEN if item.get(name)), None)
    return _Record(
        name=_first(item, _NAME),
        kind=kind,
        text=_said(kind, text, why),
        at=documents.sane(utc_from_text(when) or utc_from_epoch(when)),
        closes=tuple(map(str, closes if isinstance(closes, list) else [closes] if closes else [])),
        line=line,
    )


def _said(kind: str, text: str, why: str) -> str:
    """The kind is part of it: the text of a rejected idea reads like the idea."""
    said = text if text.lower().startswith(kind) else f"{kind.capitalize()}: {text}"
    return f"{said}\n\nWhy: {why}" if why else said


def _first(item: Mapping[str, Any], names: tuple[str, ...]) -> str:
    found = (item.get(name) for name in names)
    return next((str(one).strip() for one in found if isinstance(one, str | int) and str(one).strip()), "")


def _snapshot(key: str, located: Located, limit: int, project: str) -> Iterator[Memory | Problem]:
    """What a snapshot says that the journal does not."""
    found = located.found
    holds = located.journal is not None and holds_records(located.journal, limit)
    if holds and checkpoints.is_sealed(SNAPSHOT, files.read_bytes(found, limit)):
        return  # made from the journal, and unchanged since
    read = files.read_text(found, limit)
    value = frontmatter.load_json(read.text)
    known = ""
    if holds and located.journal is not None:
        known = "\n".join(record.text for record in _journal(located.journal, limit).records)
    text = "\n".join(line for line in _lines(value, known) if line)
    moment = _first(value, _WHEN) if isinstance(value, dict) else ""
    written = documents.sane(utc_from_text(moment) or utc_from_epoch(moment))
    if text:
        standing = located.current.later(located.standing, written)
        yield Memory(
            id=key.removesuffix(".json"),
            text=text,
            title="Snapshot",
            path=files.display_path(found.path),
            project=project,
            updated=written or utc_from_epoch(found.mtime_ns),
            date_origin="snapshot" if written else "file time",
            kind=standing.kind("snapshot"),
            authority=standing.authority,
        )


def _lines(value: Any, known: str, depth: int = 0) -> Iterator[str]:
    """What a snapshot says, as markdown; nothing that is known already."""
    if isinstance(value, str) and value.strip() and value.strip() not in known:
        yield value.strip()
    elif isinstance(value, list) and depth < _DEPTH:
        yield from (f"- {line}" for item in value for line in _lines(item, known, depth + 1))
    elif isinstance(value, dict) and depth < _DEPTH:
        if depth and (text := _first(value, _TEXT)):
            yield from _lines(text, known, depth + 1)
            return
        for name, item in value.items():
            said = list(_lines(item, known, depth + 1)) if _SAID.search(name) else []
            if said:
                yield from (f"{name}:", *said) if len(said) > 1 else (f"{name}: {said[0]}",)
