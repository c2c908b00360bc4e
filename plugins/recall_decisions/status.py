"""What a decision says of itself: its status in one of six words (`words`), its date, which others it replaced.

Formats: MADR with and without front matter, Nygard and adr-tools ("## Status"), structured MADR, log4brains,
`Status:` lines, bullets and tables; English and Korean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recall import documents
from recall.frontmatter import FrontMatter
from recall.outline import Section, table_rows
from recall_decisions import words
from recall_decisions.words import DEPRECATED, PROPOSED, REJECTED, SUPERSEDED

_STARTS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in words.STARTS.items()}
_DENIALS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in words.DENIED.items()}
_KEYS = {
    "status": re.compile(r"(?:decision )?status|상태", re.IGNORECASE),
    "date": re.compile(r"date|decided(?: on)?|decision date|날짜|일자|결정일|작성일", re.IGNORECASE),
    "by": re.compile(r"(?:super[sc]eded|replaced)(?:[ _-]?by)?|후속 ?결정", re.IGNORECASE),
    "supersedes": re.compile(r"super[sc]edes|replaces|대체 ?대상", re.IGNORECASE),
}
_LINE = 500  # characters of a line that are looked at
_UNTICKED = re.compile(r"[ \t]*(?:[-*+][ \t]*)?\[[ ]?\]")
_TICKED = re.compile(r"^[ \t]*(?:[-*+][ \t]*)?\[[xX✓✔]\][ \t]*")
_STRUCK = re.compile(r"~~.+?~~")
_WRITTEN = 60  # characters of a status that is not known
_SUCCESSOR = 60  # characters of a successor that is not known
_HEAD = 40  # lines of a section in which fields are looked for
_REPLACING = 50  # lines that may say what is replaced
# "Status: Accepted", "* **상태**: 채택", "> - Date: 2026-01-02", "| Status | Accepted |".
_FIELD = re.compile(r"[ \t>|*+_-]*([^\W\d][\w -]{1,20}?)[*_]*[ \t]*[:：|](.*)")
_CLAUSE = re.compile(r"[.;,()|:]|\s[—–-]\s|\b(?:now|then|later|but|and)\b|이후|현재")
_OPENING = re.compile(
    r"[\W\d_]*(?:(?:(?:this|the) \w+|it) (?:is|was|has been) |이 (?:결정|기록)은 )?", re.IGNORECASE
)
_ARROW = re.compile(r"->|=>|→|⇒")
_PASSIVE = re.compile(
    r"\b(?:super[sc]eded|replaced) by\b|대체\s*(?:됨|되)|(?:로|에 의해)\s+대체", re.IGNORECASE
)
_IN_PART = re.compile(
    r"\b(?:partially|partly|in part)[ ,]+super[sc]eded(?: by)?|부분(?:적으로)?\s*대체", re.I
)
# Both ways round: "not yet accepted", "아직 승인되지 않음".
_DENIED = re.compile(
    r"\b(?:not|never|(?P<verb>\w+n[’']t))\s+(?P<yet>yet\s+)?(?:been\s+|be\s+)?(?P<what>in \w+|\w+(?: by)?)"
    r"|(?P<yet_ko>아직\s*)?(?P<what_ko>[가-힣]{1,12}?)\s*(?:되|하|받)?지\s*(?:않|못)[가-힣]*",
    re.IGNORECASE,
)
_MARK = re.compile(
    rf"[\[(【]\s*((?:{words.plain()})(?:됨|중)?(?:\s+by\b[^\])】]*)?)\s*[\])】]", re.IGNORECASE
)
_LINK = r"\[\[[^\]\n]{1,200}\]\]|\[[^\]\n]{0,200}\]\([^)\n]{1,300}\)|`[^`\n]{1,200}`"
_REFERENCE = rf"(?:{_LINK}|[A-Za-z]{{0,8}}[-_ #]?\d[\w.-]*)"
_REFERENCES = rf"{_REFERENCE}(?:\s*(?:,|and|&|및|와|과)\s*{_REFERENCE}){{0,20}}"
_LABEL = re.compile(r"[A-Za-z]{0,8}[-_ #]?\d[A-Za-z0-9_.-]*")
_DATE = re.compile(r"\d{4}[-./]\d{1,2}[-./]\d{1,2}")
_SUPERSEDES = re.compile(rf"\bsuper[sc]edes\b[\]*:\s]{{0,6}}({_REFERENCES})", re.IGNORECASE)
_SUPERSEDES_KO = re.compile(rf"({_REFERENCES})\s?(?:을|를)\s*대체(?!\s*되|됨)")
_ONLY_PARTLY = re.compile(r"(?:\bnot|\bpartially|\bpartly|부분적으로)\s+$", re.IGNORECASE)


class Declared(NamedTuple):
    """What one decision declares."""

    status: str  # one of the six words, or "" if it says none of them
    written: str  # what it says in its place, as written
    by: str  # what supersedes it, as written
    supersedes: tuple[str, ...]  # what it supersedes, as written
    date: str  # the text in which its date is

    @property
    def replaces(self) -> bool:
        """Whether what it supersedes is superseded: not by a mere proposal, nor by one that was turned down."""
        return self.status not in (PROPOSED, REJECTED)

    @property
    def said(self) -> str:
        """Its status as it can be shown: in the word that is known, else as written."""
        return self.status or self.written

    def withdrawn(self, successor: str) -> str:
        """Why it no longer stands, or ""; `successor` is what took its place, if it is known."""
        if self.status != SUPERSEDED and self.status in words.WITHDRAWN:
            return self.status
        if self.status != SUPERSEDED and not successor:
            return ""
        named = successor or self._as_written()
        return f"superseded by {named}" if named else "superseded"

    def _as_written(self) -> str:
        """What supersedes it in the record's own words; nothing if they only say that something does."""
        plain = re.sub(r"\]\([^)]*\)|[\[\]*_`|]", "", self.by)
        if not _said(plain) and not _PASSIVE.search(plain) and re.search(r"\w", plain):
            return documents.shorten(documents.one_line(plain), _SUCCESSOR)
        label = _LABEL.search(_DATE.sub(" ", plain))
        return label[0].strip(" .-") if label else ""


def declared(title: str, parts: Sequence[Section], front: FrontMatter | None = None) -> Declared:
    """What a decision declares in its title, its front matter, its first lines and sections of such names."""
    found: dict[str, list[str]] = {name: [] for name in _KEYS}
    for name, value in _fields(parts, front):
        found[name].append(value.strip(" \t*_`|")[:_LINE])
    found["status"] = list(filter(None, map(_chosen, found["status"])))
    status, by = _status([*found["status"], *_MARK.findall(title)])
    if not status and _is_struck(title):
        status = DEPRECATED
    named = next((value for value in found["by"] if re.search(r"\d|\.md|\w-\w", value)), "")
    if named and status not in (DEPRECATED, REJECTED):
        status, by = SUPERSEDED, named
    written = "" if status else _as_written(found["status"])
    return Declared(status, written, by, (*found["supersedes"], *_replaced(parts)), " ".join(found["date"]))


def _fields(parts: Sequence[Section], front: FrontMatter | None) -> Iterator[tuple[str, str]]:
    for key, value in (front.fields if front else {}).items():
        if (name := _key(key)) and value:
            yield name, value if isinstance(value, str) else ", ".join(map(str, value))
    headings = 0
    for part in parts:
        headings += part.level > 0
        lines = [line[:_LINE] for line in part.text.split("\n")[:_HEAD] if line.strip()]
        if name := _key(part.heading):
            yield from ((name, line) for line in lines)
        elif headings <= 1:
            for match in filter(None, map(_FIELD.match, lines)):
                if name := _key(match[1]):
                    yield name, match[2]
            for _line, row in table_rows("\n".join(lines)):
                yield from ((name, cell) for head, cell in row.items() if (name := _key(head)))
        written = _FIELD.match(part.heading[:_LINE])
        if written and (name := _key(written[1])):
            yield name, written[2]


def _chosen(value: str) -> str:
    """What of a line is meant: not a box without a tick, not what is struck out."""
    return "" if _UNTICKED.match(value) else _STRUCK.sub("", _TICKED.sub("", value)).strip()


def _key(text: str) -> str:
    plain = text.strip(" \t*_`:")
    return next((name for name, pattern in _KEYS.items() if pattern.fullmatch(plain)), "")


def _status(values: Sequence[str]) -> tuple[str, str]:
    """The weightiest status that is said, and what is said of the successor if it is "superseded"."""
    said: set[str] = set()
    by = ""
    for number, value in enumerate(values):
        line = _IN_PART.sub("amended ", _DENIED.sub(_denied, value))
        if _is_choice(line):
            continue
        steps = [step for step in _ARROW.split(line) if _said(step)]
        last = _said(steps[-1] if len(steps) > 1 else line)
        passive = _PASSIVE.search(line)
        said |= last | ({SUPERSEDED} if passive else set())
        if SUPERSEDED in said and not by:
            english = passive is not None and passive[0].isascii()
            by = line[passive.end() :] if passive and english else " ".join(values[number:])
    return next((word for word in words.STARTS if word in said), ""), by.strip()


def _said(line: str) -> set[str]:
    """The statuses that clauses of a line begin with."""
    found = set()
    for clause in _CLAUSE.split(line):
        opening = _OPENING.match(clause)
        start = opening.end() if opening else 0
        found |= {word for word, pattern in _STARTS.items() if pattern.match(clause, start)}
    return found


def _denied(match: re.Match[str]) -> str:
    """What a denial comes to: a word of the table, or nothing."""
    yet, what = match["yet"] or match["yet_ko"], match["what"] or match["what_ko"]
    word = next((name for name, pattern in _DENIALS.items() if pattern.match(what)), " ")
    if yet:
        word = {REJECTED: PROPOSED, DEPRECATED: " "}.get(word, word)
    return f"is {word}" if match["verb"] and word != " " else word


def _as_written(values: Sequence[str]) -> str:
    """A status in none of the known words; nothing for a template's choice, a denial, the head of a table."""
    left = (re.sub(r"\s+", " ", _DENIED.sub(_denied, value)).strip(" |-*_`{}") for value in values)
    telling = (
        value for value in left if re.search(r"[^\W\d_]", value) and not (_is_choice(value) or _key(value))
    )
    return documents.shorten(next(telling, ""), _WRITTEN)


def _is_choice(line: str) -> bool:
    """Whether a template's choice was never made: "Proposed | Accepted | Deprecated"."""
    offered = {word for option in re.split(r"[|/,]|\bor\b|또는", line) for word in _said(option)}
    return len(offered) >= 3 or (len(offered) == 2 and "|" in line)


def _is_struck(title: str) -> bool:
    bare = _STRUCK.sub("", title)
    return bare != title and not re.search(r"[^\W\d_]{2}", bare)


def _replaced(parts: Sequence[Section]) -> Iterator[str]:
    """References behind "supersedes", wherever it is said, unless it is denied or only in part."""
    lines = (line[:_LINE] for part in parts for line in part.source.split("\n"))
    telling = [line for line in lines if "대체" in line or re.search("super[sc]edes", line, re.IGNORECASE)]
    for line in telling[:_REPLACING]:
        for pattern in (_SUPERSEDES, _SUPERSEDES_KO):
            for match in pattern.finditer(line):
                if not _ONLY_PARTLY.search(line[: match.start()]):
                    yield match[1]
