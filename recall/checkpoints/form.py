"""The form of a journal of checkpoints: what a record is, how it is written, and how it is read whatever happened.

A record is one line of JSON that begins with a mark and ends with a checksum of itself. Neither can occur inside a
text, whose quotes JSON escapes. So records are found by their marks, not by their lines: what was torn, glued
together, filled with NUL bytes or written in between by another program damages no other record.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from itertools import pairwise
from typing import Any, NamedTuple

FOLDER = ".context"
JOURNAL = "CONVERSATION.jsonl"
SNAPSHOT = "SNAPSHOT.json"
SESSION = "SESSION_CHECKPOINT.md"
HANDOFF = "HANDOFF.md"
DECISIONS = "DECISIONS.md"
VIEWS = (SNAPSHOT, SESSION, HANDOFF, DECISIONS)
VERSION = 1  # of the form of a record
EMPTY = "0"  # the revision of a journal without a record
LAST = 999_999_999  # the highest number of a record; the entries after it share it

# Kinds: what lasts, what stands in the way, and events of which the last one tells the state.
LASTING = frozenset({"approved", "rejected", "decision", "abandoned", "constraint"})
LATEST = frozenset({"milestone", "verification", "handoff"})
KINDS = (
    *("approved", "rejected", "decision", "abandoned", "constraint"),
    *("blocker", "milestone", "verification", "handoff"),
)

_MARK = b'{"checkpoint":'
_START = re.compile(re.escape(_MARK))
_END = re.compile(rb',"sum":"([0-9a-f]{8})"\}')
_BLANK = b" \t\r\n\0"
_NAME = re.compile(r"[1-9][0-9]{0,8}-[0-9a-f]{4}")
_LONGEST = 1 << 20  # bytes of a record: more than a checkpoint with every text and list at its limit takes


class Record(NamedTuple):
    """One checkpoint."""

    seq: int  # its number, from 1
    id: str  # unique, also among journals that were merged: "12-7f3a"
    at: str  # UTC, to the second: "2026-05-28T20:26:40Z"
    kind: str  # one of KINDS
    text: str
    why: str = ""
    paths: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    next: tuple[str, ...] = ()  # next steps; the first of entry 12-7f3a is 12-7f3a.1
    closes: tuple[str, ...] = ()  # ids of earlier entries and steps
    branch: str = ""
    head: str = ""  # full commit id
    fingerprint: str = ""  # of the work tree
    worktree: str = ""  # name of the linked work tree, "" for the main checkout
    line: int = 0  # where it was read; no part of what is written


class Wrong(StrEnum):
    """What a stretch of a journal is that is no record."""

    TORN = "torn record"
    FOREIGN = "foreign line"
    NUL = "NUL block"
    REPEATED = "repeated record"
    NEWER = "record of a newer version"


class Damage(NamedTuple):
    """A stretch of a journal that is no record. It stays where it is."""

    what: Wrong
    line: int
    byte: int  # offset of its first byte
    size: int  # bytes

    def words(self) -> str:
        """`line 12: torn record (83 bytes at byte 4711)`."""
        return f"line {self.line:,}: {self.what} ({self.size:,} bytes at byte {self.byte:,})"


class Contents(NamedTuple):
    """All that a journal holds."""

    records: tuple[Record, ...] = ()  # in the order they were written
    damages: tuple[Damage, ...] = ()
    size: int = 0  # bytes
    lines: int = 0  # line ends

    @property
    def revision(self) -> str:
        """What a save may name as its base: the last record's id."""
        return self.records[-1].id if self.records else EMPTY

    def count(self, what: Wrong) -> int:
        """How many stretches of a kind there are."""
        return sum(damage.what is what for damage in self.damages)

    def damage_words(self) -> str:
        """`1 torn record, 2 foreign lines`; "" where nothing is damaged."""
        counts = Counter(damage.what for damage in self.damages)
        return ", ".join(f"{counts[what]:,} {_plural(what, counts[what])}" for what in Wrong if counts[what])


NOTHING = Contents()


def _plural(what: Wrong, count: int) -> str:
    if count == 1:
        return what
    head, _, tail = what.partition(" of ")
    return f"{head}s of {tail}" if tail else f"{what}s"


def name(seq: int, at: str, kind: str, text: str) -> str:
    """A record's id: its number, and four digits that tell it from the same number in a merged journal."""
    digest = zlib.crc32(f"{seq}\n{at}\n{kind}\n{text}".encode())
    return f"{seq}-{digest & 0xFFFF:04x}"


def encode(record: Record) -> bytes:
    """A record as its line, with the line end."""
    fields = record._asdict()
    del fields["line"]
    given = {key: value for key, value in fields.items() if value not in ("", ())}
    body = json.dumps({"checkpoint": VERSION, **given}, ensure_ascii=False, separators=(",", ":"))
    data = body.encode("utf-8")[:-1]
    return data + b',"sum":"%08x"}\n' % zlib.crc32(data)


def is_journal(data: bytes) -> bool:
    """Whether a file's content is such a journal, or the beginning of one; another program's is not."""
    rest = data.strip(_BLANK)
    return _START.search(data) is not None or _END.search(data) is not None or _MARK.startswith(rest)


def parse(data: bytes, before: Contents = NOTHING) -> Contents:
    """Everything in a journal: each undamaged record, and each stretch that is none. Never raises.

    before: what the lines say that come before `data`, so that a journal that grew is not read anew.
    """
    starts = [match.start() for match in _START.finditer(data)]
    found = _Found(data, before)
    position = 0
    for start, following in pairwise([*starts, len(data)]):
        found.leave(position, start)
        line_end = data.find(b"\n", start, following)
        limit = following if line_end < 0 else line_end
        end = _END.search(data, start, limit)
        position = end.end() if end else limit
        found.take(start, position, int(end[1], 16) if end else None)
    found.leave(position, len(data))
    return Contents(
        (*before.records, *found.records),
        (*before.damages, *found.damages),
        before.size + len(data),
        before.lines + data.count(b"\n"),
    )


class _Found:
    """What was found so far in one journal."""

    def __init__(self, data: bytes, before: Contents) -> None:
        self.records: list[Record] = []
        self.damages: list[Damage] = []
        self._data = data
        self._before = before
        self._seen = {record.id: record for record in before.records}
        self._counted = (0, before.lines + 1)  # a byte, and the number of its line

    def take(self, start: int, end: int, checksum: int | None) -> None:
        """What follows a mark: a record, if its checksum says so."""
        line = self._data[start:end]
        body = line[: line.rfind(b',"sum":')] if checksum is not None else b""
        if checksum is None or zlib.crc32(body) != checksum:
            self._damaged(Wrong.TORN, start, end)
            return
        record = _record(body + b"}", self._line(start)) if end - start <= _LONGEST else Wrong.FOREIGN
        if isinstance(record, Wrong):
            self._damaged(record, start, end)
        elif self._is_known(record):
            self._damaged(Wrong.REPEATED, start, end)
        else:
            self._seen[record.id] = record
            self.records.append(record)

    def leave(self, start: int, end: int) -> None:
        """What is between records: nothing but line ends, in a journal without damage."""
        if end - start < 2 and self._data[start:end] in (b"", b"\n"):
            return
        for part in self._data[start:end].splitlines(keepends=True):
            rest = part.strip(_BLANK)
            if rest:
                is_part = _MARK.startswith(rest) or _END.search(rest) is not None
                self._damaged(Wrong.TORN if is_part else Wrong.FOREIGN, start, start + len(part))
            elif b"\0" in part:
                self._damaged(Wrong.NUL, start, start + len(part))
            start += len(part)

    def _is_known(self, record: Record) -> bool:
        known = self._seen.get(record.id)
        return known is not None and known._replace(line=record.line) == record

    def _damaged(self, what: Wrong, start: int, end: int) -> None:
        self.damages.append(Damage(what, self._line(start), self._before.size + start, end - start))

    def _line(self, byte: int) -> int:
        before, line = self._counted
        self._counted = (byte, line + self._data.count(b"\n", before, byte))
        return self._counted[1]


def _record(body: bytes, line: int) -> Record | Wrong:
    try:
        item = json.loads(body)
    except (ValueError, RecursionError):
        return Wrong.FOREIGN  # a checksum somebody computed over no JSON
    if item.get("checkpoint") != VERSION:
        return Wrong.NEWER
    texts: dict[str, Any] = {key: _text(item, key) for key in ("id", "at", "kind", "text", "why", *_PLACE)}
    lists: dict[str, Any] = {key: _texts(item, key) for key in ("paths", "evidence", "next", "closes")}
    seq = item.get("seq")
    if texts["kind"] not in KINDS or not texts["text"]:
        return Wrong.FOREIGN
    # An id is shown as it is, so nothing but an id may stand there.
    if not isinstance(seq, int) or not _NAME.fullmatch(texts["id"]) or not texts["id"].startswith(f"{seq}-"):
        return Wrong.FOREIGN
    return Record(seq=seq, line=line, **texts, **lists)


_PLACE = ("branch", "head", "fingerprint", "worktree")


def _text(item: Mapping[str, Any], key: str) -> str:
    value = item.get(key)
    return value if isinstance(value, str) else ""


def _texts(item: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = item.get(key)
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
