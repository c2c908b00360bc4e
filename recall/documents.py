"""Markdown documents as memories: what one is about, when it was written, whether it says anything at all."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from recall import files, frontmatter
from recall.api import (
    CorpusProvider,
    Deadline,
    Health,
    Memory,
    Problem,
    Scope,
    State,
    utc_from_epoch,
    utc_from_text,
)
from recall.errors import StoreAbsent, StoreBroken
from recall.frontmatter import FrontMatter
from recall.supersession import Said, standing

_TITLE_LIMIT = 120  # characters: what fits a line of a terminal beside tag and date
# No pattern here looks at the same characters again and again: a note may be a line of a million marks.
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]++([^ \t\n].*)$", re.MULTILINE)
# Characters that leave no mark on the screen: controls, joiners, marks of direction, fillers, tags.
_UNSEEN = (
    "\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
_MARKUP = re.compile(rf"[\s#>*_`|\-=+:.~\[\](){_UNSEEN}]+")
# What templates put where the content would be: "[Describe ...]", "(변경사항 1)", "<name>", "TODO".
_PLACEHOLDER = re.compile(
    r"\[[^\]\n]{0,200}\](?!\()"
    r"|\([^()\n]{0,60}\)"
    r"|<[^<>\n]{1,80}>"
    r"|\{\{[^{}\n]{0,80}\}\}"
    r"|\b(?:TODO|TBD|FIXME|N/?A|placeholder|lorem ipsum)\b"
    r"|\d{4}-\d{2}-\d{2}|YYYY-MM-DD",
    re.IGNORECASE,
)
# A name made for a file system or a link rather than for a reader: "retry-policy", "project_core", "core".
_SLUG = re.compile(r"[a-z0-9]+|(?=.+[-_.].)\w+(?:[-.]\w+)*")
_STATUS = re.compile(
    r"^#{1,6}[ \t]*(?:status|상태)[ \t]*\n+[ \t]*([^\n#]+)"
    r"|^[ \t]*(?:[-*+][ \t]*)?(?:\*\*)?(?:status|상태)(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*([^\n]+)",
    re.IGNORECASE | re.MULTILINE,
)
_UPDATED = (("metadata", "modified"), ("modified",), ("updated",), ("last_updated",), ("date",))
_CREATED = (("metadata", "created"), ("created",))
_YEARS = range(2000, 2100)  # outside of them a date is a slip of the pen
_LABEL = re.compile(
    r"^[ \t]*+(?:(?:[-*+]|\d+[.)])[ \t]*+)?(?:\*\*)?[^\n:]{1,40}:(?:\*\*)?[ \t]*$", re.MULTILINE
)


def first_heading(text: str) -> str:
    """The first markdown heading outside a code fence, or ""."""
    for match in _HEADING.finditer(text[:20_000]):
        if text.count("```", 0, match.start()) % 2 == 0:
            return match[1].rstrip().rstrip("#").rstrip() or match[1].strip()
    return ""


def title_from_name(name: str) -> str:
    """A file name as a title: without folders and extension, NFC."""
    stem = name.rsplit("/", 1)[-1]
    return unicodedata.normalize("NFC", stem.rsplit(".", 1)[0] if "." in stem[1:] else stem)


def is_blank(text: str) -> bool:
    """Whether a note has no word in it: white space, comments and markup only."""
    return not _MARKUP.sub("", _uncommented(text))


def _uncommented(text: str) -> str:
    """The text without comments; one that never ends is none. By hand: a pattern would look for each end anew."""
    kept: list[str] = []
    place = 0
    while (start := text.find("<!--", place)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[place:start])
        place = end + 3
    return "".join((*kept, text[place:]))


def is_template(text: str) -> bool:
    """Whether a note has headings and placeholders, and nothing a person filled in."""
    bare = _uncommented(text)
    bare = _HEADING.sub("", bare)
    bare = _PLACEHOLDER.sub("", bare)
    bare = _LABEL.sub("", bare)
    return not _MARKUP.sub("", bare)


@dataclass(frozen=True, slots=True)
class Document:
    """A markdown file, taken apart for a reader."""

    title: str  # "" if it does not say
    description: str  # one line from the front matter, "" if there is none
    body: str  # without front matter and outer blank lines
    body_line: int  # 1-based line of the file where `body` begins
    front: FrontMatter
    problems: tuple[str, ...] = ()  # what was lost while reading, a line each

    def text(self, lead: str | None = None) -> tuple[str, int]:
        """What to remember, and the line of the file where it begins.

        lead: comes before the body unless title or body already say it; default: the description.
        """
        lead = self.description if lead is None else one_line(lead)
        if not lead or (self.body and (lead == self.title or lead in self.body)):
            return self.body, self.body_line
        if not self.body:
            return lead, 1
        # Lead and blank line stand for the last two lines of the front matter, so that the body's fit.
        return f"{lead}\n\n{self.body}", max(1, self.body_line - 2)


@dataclass(frozen=True, slots=True)
class Dates:
    """When a document was written, in UTC, and who says so."""

    created: datetime | None
    updated: datetime | None
    origin: str


def read_document(path: str | os.PathLike[str], limit: int = files.READ_LIMIT) -> Document:
    """A markdown file, however damaged; raises StoreBroken if it cannot be read or is binary."""
    read = files.read_text(path, limit)
    return parse_document(read.text, read.problem)


def parse_document(text: str, problem: str = "") -> Document:
    """A markdown text taken apart; `problem` is what was lost before it came here."""
    front = _stacked(frontmatter.parse(text))
    body = front.body.lstrip()
    first_line = front.body.rfind("\n", 0, len(front.body) - len(body)) + 1  # keeps that line's indentation
    kept = front.body[first_line:].rstrip()
    description = one_line(front.text("description"))
    return Document(
        title=_title(front, description, kept),
        description=description,
        body=kept,
        body_line=front.body_line + front.body.count("\n", 0, first_line),
        front=front,
        problems=tuple(found for found in (problem, front.problem) if found),
    )


def _stacked(front: FrontMatter) -> FrontMatter:
    """Both blocks where a tool has put one before the one that was there; the first wins where both speak."""
    if not front.fields or not front.body.startswith("---"):
        return front
    second = frontmatter.parse(front.body)
    if not second.fields:
        return front
    fields = {**second.fields, **{key: value for key, value in front.fields.items() if value}}
    line = front.body_line + second.body_line - 1
    return FrontMatter(fields, second.body, line, front.problem or second.problem)


def _title(front: FrontMatter, description: str, body: str) -> str:
    """The line a person would choose: a written title, a name meant to be read, else what it is about."""
    name = one_line(front.text("name"))
    chosen = one_line(front.text("title")) or ("" if _SLUG.fullmatch(name) else name)
    if not chosen and len(description) <= _TITLE_LIMIT:
        chosen = description
    return shorten(chosen or first_heading(body) or description)


def one_line(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def shorten(text: str, limit: int = _TITLE_LIMIT) -> str:
    """A line cut at `limit` characters, and seen to be cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def dates(front: FrontMatter, mtime_ns: int, told: Iterable[tuple[str, str]] = ()) -> Dates:
    """When a document was written: by its front matter, else by what is told, else by its file.

    told: texts in which a date may be written, each with what it is: "file name", "text".
    """
    created = _first_date(front, _CREATED)
    written = _first_date(front, _UPDATED)
    if written is not None or created is not None:
        return Dates(created, written or created, "front matter")
    from recall.outline import date_in

    for text, origin in told:
        if (moment := date_in(text)) is not None:
            return Dates(moment, moment, origin)
    return Dates(None, utc_from_epoch(mtime_ns), "file time")


def sane(moment: datetime | None) -> datetime | None:
    """The moment, unless no memory can have been written then."""
    return moment if moment is not None and moment.year in _YEARS else None


def _first_date(front: FrontMatter, paths: Iterable[tuple[str, ...]]) -> datetime | None:
    found = (sane(utc_from_text(front.text(*path))) for path in paths)
    return next((moment for moment in found if moment is not None), None)


def declared_status(document: Document) -> str:
    """What a decision record says of itself ("accepted", "superseded by ADR-12"), in lower case, or ""."""
    match = _STATUS.search(document.body[:20_000])
    written = document.front.text("status") or (match and (match[1] or match[2])) or ""
    return one_line(written).lower()


@dataclass(frozen=True, slots=True)
class Survey:
    """What reading a whole corpus found."""

    items: int
    newest: datetime | None
    parts: Mapping[str, int]  # memories by the first part of their id
    silent: tuple[str, ...]  # keys of entries that hold nothing to remember
    problems: tuple[Problem, ...]
    withdrawn: int = 0  # memories that no longer stand, by their own word or another's
    circles: tuple[tuple[str, ...], ...] = ()  # memories of which each is said to supersede another one

    def health(self, *, places: tuple[str, ...], facts: Iterable[str], reason: str, next_step: str) -> Health:
        """The state it amounts to; `reason` and `next_step` are for a corpus without a single memory."""
        serious = [problem for problem in self.problems if not problem.harmless]
        state = State.READY if self.items else State.EMPTY
        if serious:
            state = State.DEGRADED if self.items else State.BROKEN
            more = f" (and {len(serious) - 1} more)" if len(serious) > 1 else ""
            reason = f"{serious[0].where}: {serious[0].reason}{more}"
            next_step = "mend or remove the files named; the rest is served"
        elif self.items:
            reason = next_step = ""
        return Health(
            state=state,
            items=self.items,
            reason=reason,
            next_step=next_step,
            newest=self.newest,
            facts=tuple(facts),
            problems=self.problems,
            places=places,
        )


def survey(provider: CorpusProvider, scope: Scope, deadline: Deadline) -> Survey:
    """List and read all that a provider has for a scope; raises what its `entries` raises."""
    parts: Counter[str] = Counter()
    silent: list[str] = []
    problems: list[Problem] = []
    newest: datetime | None = None
    ids: set[str] = set()
    said: list[Said] = []
    withdrawn: set[str] = set()
    for entry in provider.entries(scope, deadline):
        if isinstance(entry, Problem):
            problems.append(entry)
            continue
        deadline.check()
        try:
            found = list(provider.load(entry, scope))
        except StoreBroken as error:  # true of this entry alone, as the host takes it
            problems.append(Problem(entry.key, str(error)))
            continue
        if not found:
            silent.append(entry.key)
        for item in found:
            if isinstance(item, Problem):
                problems.append(item)
                continue
            parts[item.id.split("/", 1)[0]] += 1
            ids.add(item.id)
            said += _said(item)
            withdrawn.update([item.id] if item.withdrawn and not item.successor else [])
            if item.updated is not None and (newest is None or item.updated > newest):
                newest = item.updated
    stands = standing(said)
    count = len(ids & {*withdrawn, *stands.withdrawn})
    return Survey(parts.total(), newest, parts, tuple(silent), tuple(problems), count, stands.circles)


def _said(memory: Memory) -> Iterator[Said]:
    """What a memory says of itself and of others."""
    if memory.withdrawn and memory.successor:
        yield Said(memory.id, memory.successor, memory.withdrawn)
    for old, why in memory.withdraws.items():
        yield Said(old, memory.id, why)


def health(
    provider: CorpusProvider,
    scope: Scope,
    deadline: Deadline,
    *,
    places: Iterable[str | os.PathLike[str]],
    reason: str,
    next_step: str,
    facts: Iterable[str] = (),
) -> Health:
    """What a survey of one project's and of all memories amounts to, for a store that serves several projects.

    places: where the provider looks. reason, next_step: for a store in which no memory is. facts: further lines.
    """
    shown = tuple(map(files.display_path, places))
    try:
        own = survey(provider, scope, deadline)
    except StoreAbsent as error:
        return Health.unread(error, shown)
    every = own if scope.all_projects else _everywhere(provider, scope, deadline) or own
    told = [*facts, *(f"memories in {part}: {count}" for part, count in own.parts.items())]
    if every.items > own.items:
        told.append(f"memories of other projects: {every.items - own.items}")
    if own.silent:
        told.append(f"without a memory of {scope.whose}: {len(own.silent)} of the files, as {own.silent[0]}")
    if every.items and not own.items:
        reason = f"none of its {every.items:,} memories is of {scope.whose}"
        next_step = "ask with --all-projects to see them"
    found = own.health(places=shown, facts=told, reason=reason, next_step=next_step)
    return replace(found, items=max(every.items, own.items), in_scope=own.items)


def _everywhere(provider: CorpusProvider, scope: Scope, deadline: Deadline) -> Survey | None:
    try:
        return survey(provider, replace(scope, all_projects=True), deadline)
    except (StoreAbsent, StoreBroken):
        return None
