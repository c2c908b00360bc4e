"""Transcripts as a source: which files there are, in parts, so that a growing one is never read whole again."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import ClassVar, NamedTuple

from recall import files
from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope, State, option, record
from recall.errors import StoreAbsent, StoreBroken
from recall.files import Found
from recall.jsonl import BROKEN_LIMIT, COMPRESSED, Skipped, can_decompress, records, whole
from recall_transcripts import claude_code, codex, gemini
from recall_transcripts.clients import About, Client, Name, own_paths

_CLIENTS = (claude_code.CLIENT, codex.CLIENT, gemini.CLIENT)
_PART = 1 << 20  # bytes of a file that are one entry: a session that goes on costs two of them, not the file
_SECONDS_A_DAY = 86_400.0


@record
class TranscriptsOptions:
    """Which conversations are read, and how much of them."""

    clients: tuple[Name, ...] = option(tuple(Name), "Whose sessions are read.")
    subagents: bool = option(False, "Also read what sub-agents were told and answered (side chains).")
    max_age_days: float = option(365.0, "Days after its last change that a file is still read.", at_least=0.1)
    max_files: int = option(2_000, "Most files of one client, the newest.", at_least=1)
    max_file_bytes: int = option(64 << 20, "Most bytes of one file, from its end.", at_least=_PART)
    max_line_bytes: int = option(4 << 20, "Longest record that is read, in bytes.", at_least=1024)
    max_memories: int = option(2_000, "Most memories out of one MiB of a file.", at_least=1)
    max_chars: int = option(
        16_000, "Most characters of one memory; what is cut is counted in it.", at_least=100
    )


class Piece(NamedTuple):
    """What `load` needs of an entry: a part of a file."""

    client: Client
    found: Found
    cwd: str
    start: int
    end: int


class TranscriptsProvider:
    """Old conversations with Claude Code, Codex and Gemini CLI: what people asked and what was answered."""

    name = "transcripts"
    reading = "2"
    authority = Authority.CHAT
    Options: ClassVar[type] = TranscriptsOptions

    def __init__(self, options: TranscriptsOptions, now: Callable[[], float] = time.time) -> None:
        """`now` is epoch seconds."""
        self._options = options
        self._now = now
        self._head: tuple[tuple[str, str], dict[str, object]] = (("", ""), {})

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        """The parts of every file, the oldest first: of copies of one exchange the newest file keeps it."""
        there = [client for client in self._clients() if files.look(client.folder(scope)) is not None]
        if not there:
            places = ", ".join(self._places(scope))
            raise StoreAbsent(f"no sessions of a known client ({places})", _next_step())
        taken: set[str] = set()
        for client in there:
            obstacle = files.look(client.folder(scope))
            if obstacle:
                yield Problem(files.display_path(client.folder(scope)), obstacle, hides_entries=True)
                continue
            kept: list[tuple[Found, str]] = []
            for item in client.listed(scope, self._options.subagents, deadline):
                if isinstance(item, Problem):
                    is_absolute = os.path.isabs(item.where)
                    yield item if is_absolute else replace(item, where=f"{client.name}/{item.where}")
                else:
                    kept.append(item)
            kept, left_out = self._within_caps(kept)
            for reason, count in left_out.items():
                if count:
                    yield Problem(client.name, f"{count:,} {reason}", harmless=True)
            for found, cwd in kept:
                place = files.unique(f"{client.name}/{found.relative}", taken)
                yield from self._parts(client, found, cwd, place)

    def load(self, entry: Entry, scope: Scope) -> Iterator[Memory | Problem]:
        """The exchanges that begin in one part of a file."""
        skipped = Skipped()
        try:
            yield from self._memories(entry.locator, scope, skipped)
        except StoreBroken as error:
            yield Problem(entry.key, str(error))
        if skipped.broken > BROKEN_LIMIT:
            yield Problem(entry.key, f"more than {BROKEN_LIMIT:,} lines are no JSON; it is not read on")
        elif skipped.long or skipped.broken:
            reason = f"lines skipped: {skipped.long} too long, {skipped.broken} no JSON"
            yield Problem(entry.key, reason, harmless=True)

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """Read everything and tell what there is."""
        from recall import documents

        places = self._places(scope)
        try:
            survey = documents.survey(_Once(self._options, self._now), scope, deadline)
        except StoreAbsent as error:
            return Health(State.ABSENT, 0, reason=str(error), next_step=_next_step(), places=places)
        facts = (
            *(f"memories in {name}: {count}" for name, count in survey.parts.items()),
            *(f"{problem.where}: {problem.reason}" for problem in survey.problems if problem.harmless),
        )
        reason = "; ".join((f"no conversation of {scope.whose}", *facts))
        return survey.health(places=places, facts=facts, reason=reason, next_step=_next_step())

    def _memories(self, piece: Piece, scope: Scope, skipped: Skipped) -> Iterator[Memory | Problem]:
        # Not imported for a question after which nothing changed.
        from recall_transcripts.exchanges import answered_at_last, exchanges, memories

        options, label_of = self._options, _label(scope)
        about = About(cwd=piece.cwd, subagents=options.subagents)
        piece.client.learn(self._head_of(piece), about)
        if about.is_side_chain and not options.subagents:
            return
        if piece.client.by_record or label_of(about.cwd) is not None:
            lines = self._records(piece, piece.start, piece.end, skipped)
            found = exchanges(lines, piece.client, about, piece.found.relative, options.max_chars)
            if piece.end >= piece.found.size:
                found = answered_at_last(found)
            path = files.display_path(piece.found.path)
            yield from memories(found, piece.client.name, path, label_of, options.max_memories)

    def _head_of(self, piece: Piece) -> dict[str, object]:
        """The first record of a piece's file, which may be long, read once for all of the file's parts."""
        key = (piece.found.path, piece.found.stamp)
        if self._head[0] != key:
            self._head = key, next(self._records(piece, 0, 1, Skipped()), (0, {}))[1]
        return self._head[1]

    def _clients(self) -> list[Client]:
        return [client for client in _CLIENTS if client.name in self._options.clients]

    def _places(self, scope: Scope) -> tuple[str, ...]:
        return tuple(files.display_path(client.folder(scope)) for client in self._clients())

    def _within_caps(self, found: list[tuple[Found, str]]) -> tuple[list[tuple[Found, str]], dict[str, int]]:
        """The files that are read, the oldest first, and how many are not, by reason."""
        options = self._options
        since = (self._now() - options.max_age_days * _SECONDS_A_DAY) * 1e9
        readable = can_decompress()
        plain = [item for item in found if readable or not item[0].path.endswith(COMPRESSED)]
        young = [item for item in plain if item[0].mtime_ns >= since]
        kept = sorted(young, key=lambda item: (item[0].mtime_ns, item[0].relative))[-options.max_files :]
        return kept, {
            "compressed sessions (.jsonl.zst), not read: Python 3.14 can": len(found) - len(plain),
            "older files, not read (option max_age_days)": len(plain) - len(young),
            "files beyond the newest, not read (option max_files)": len(young) - len(kept),
            "long files, of which only the end is read (option max_file_bytes)": sum(
                self._first_part(found) > 0 for found, _cwd in kept
            ),
        }

    def _parts(self, client: Client, found: Found, cwd: str, place: str) -> Iterator[Entry]:
        """A file's parts. It only grows at its end: all but the last two parts never change any more."""
        if not found.path.endswith(".jsonl"):
            whole = Piece(client, found, cwd, 0, self._options.max_file_bytes)
            yield Entry(place, found.stamp, whole, client.name)
            return
        count = _parts_in(found.size)
        for number in range(self._first_part(found), count):
            start, end = number * _PART, (number + 1) * _PART
            stamp = f"whole:{found.identity[1]}" if number < count - 2 else found.stamp
            yield Entry(f"{place}#{number}", stamp, Piece(client, found, cwd, start, end), client.name)

    def _first_part(self, found: Found) -> int:
        """The first part that is read: not 0 only of a file that is too long."""
        most = _parts_in(self._options.max_file_bytes)
        return max(0, _parts_in(found.size) - most) if found.path.endswith(".jsonl") else 0

    def _records(
        self, piece: Piece, start: int, end: int, skipped: Skipped
    ) -> Iterator[tuple[int, dict[str, object]]]:
        if piece.found.path.endswith(".json"):
            return whole(piece.found, skipped)
        return records(piece.found, start, end, self._options.max_line_bytes, skipped)


def _next_step() -> str:
    *others, last = (client.title for client in _CLIENTS)
    return f"work with {', '.join(others)} or {last} in this project, or widen the caps in [providers.transcripts]"


def _parts_in(size: int) -> int:
    return -(-size // _PART)


class _Once(TranscriptsProvider):
    """The same, with a memory that several files hold counted once, as in the index."""

    def __init__(self, options: TranscriptsOptions, now: Callable[[], float]) -> None:
        super().__init__(options, now)
        self._seen: set[str] = set()

    def load(self, entry: Entry, scope: Scope) -> Iterator[Memory | Problem]:
        for item in super().load(entry, scope):
            if isinstance(item, Problem):
                yield item
            elif item.id not in self._seen:
                self._seen.add(item.id)
                yield item


def _label(scope: Scope) -> Callable[[str], str | None]:
    """A working folder's project: this one's name, another's with `all_projects`, else None."""
    own, name = own_paths(scope), scope.names[0] if scope.names else ""

    def label(cwd: str) -> str | None:
        if files.lies_in(cwd, own):
            return name
        return re.split(r"[/\\]", cwd.rstrip("/\\"))[-1] if scope.all_projects else None

    return label
