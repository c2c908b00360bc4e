"""What a decision says of itself: its status in one of six words (`words`), its date, which others it replaced.

Formats: MADR with and without front matter, Nygard and adr-tools ("## Status"), structured MADR, log4brains,
`Status:` lines, bullets and tables; English and Korean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from recall import documents
from recall.frontmatter import FrontMatter
from recall.outline import Section, table_rows
from recall_decisions import words
from recall_decisions.words import ACCEPTED, AMENDED, DEPRECATED, PROPOSED, REJECTED, SUPERSEDED

_STARTS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in words.STARTS.items()}
_DENIALS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in words.DENIED.items()}
_KEYS = {
    "status": re.compile(r"(?:decision )?status|상태", re.IGNORECASE),
    "date": re.compile(r"date|decided(?: on)?|decision date|날짜|일자|결정일|작성일", re.IGNORECASE),
    "by": re.compile(r"(?:super[sc]eded|replaced)(?:[ _-]?by)?|후속 ?결정", re.IGNORECASE),
    "supersedes": re.compile(r"super[sc]edes|replaces|대체 ?대상", re.IGNORECASE),
    "amends": re.compile(
        r"amends|(?:partially|partly) super[sc]edes|super[sc]edes in part|(?:일부|부분) ?대체(?: ?대상)?",
        re.I,
    ),
    "amended by": re.compile(
        r"amended[ _-]by|(?:partially|partly) super[sc]eded(?:[ _-]by)?|super[sc]eded in part(?: by)?", re.I
    ),
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
_FIELD = re.compile(r"[ \t>|*+_-]*+([^\W\d][\w -]{1,20}?)[*_]*[ \t]*[:：|](.*)")
_CLAUSE = re.compile(r"[.;,()|:]|\s[—–-]\s|\b(?:now|then|later|but|and)\b|이후|현재")
_OPENING = re.compile(
    r"[\W\d_]*(?:(?:(?:this|the) \w+|it) (?:is|was|has been) |이 (?:결정|기록)은 )?", re.IGNORECASE
)
_ARROW = re.compile(r"->|=>|→|⇒")
_PASSIVE = re.compile(
    r"\b(?:super[sc]eded|replaced) by\b|대체\s*(?:됨|되)|(?:로|에 의해)\s+대체", re.IGNORECASE
)
# Both ways round: "not yet accepted", "아직 승인되지 않음". What is denied may be one of several.
_DENIED = re.compile(
    r"\b(?:not|never|neither|nor|(?P<verb>\w+n[’']t))\s+(?P<yet>yet\s+)?"
    r"(?:(?:been|be|considered|regarded as|formally|officially|fully|entirely|completely|wholly)\s+)*"
    r"(?P<what>in \w+|\w+(?: by)?)(?:\s*(?:\bor\b|\bnor\b|/)\s*\w+(?: by)?)*"
    r"|(?P<yet_ko>아직\s*)?(?P<what_ko>[가-힣]{1,12}?)(?:[을를은는이가도]?\s*(?:되|하|받)?지[는도]?\s*(?:않|못)"
    r"|(?:[은는이가도을를]\s*|\s+)안\s*(?:[함됨됐했]|되|하)"
    r"|(?:된|한|할|될)?\s*(?:것|계획|예정)?[은는이가도]?\s*(?:아니|아님|아닌|없음|없다))[가-힣]*"
    r"|\b(?P<said>\w+(?: by)?)(?:\s*여부)?\s*[:：]\s*(?:no|none|false|n/a|아니오|아님|없음|-)[\s.]*$",
    re.IGNORECASE,
)
_MARK = re.compile(
    rf"[\[(【]\s*((?:{words.plain()})(?:됨|중)?(?:\s+by\b[^\])】]*)?)\s*[\])】]", re.IGNORECASE
)
_LINK = r"\[\[[^\]\n]{1,200}\]\]|\[[^\]\n]{0,200}\]\([^)\n]{1,300}\)|`[^`\n]{1,200}`"
_REFERENCE = rf"(?:{_LINK}|(?:[A-Za-z]{{1,8}}[-_ #]?|[-_#])?\d[\w.-]*)"
# What stands between two is told in one way alone: read in two, a list of a hundred takes for ever.
_REFERENCES = rf"{_REFERENCE}(?:\s*+(?:,|and|&|및|와|과)\s*+{_REFERENCE}){{0,20}}"
_LABEL = re.compile(r"[A-Za-z]{0,8}[-_ #]?\d[A-Za-z0-9_.-]*")
_DATE = re.compile(r"\d{4}[-./]\d{1,2}[-./]\d{1,2}")
_PARTLY = r"(?:in part|partially|partly|(?:only )?(?:a |some )?parts? of)"
_PARTLY_KO = r"(?:일부(?:분|만|\s?내용)?[을를만]?|부분(?:적으로)?)"
# What was replaced in part is amended: "partially superseded by 9", "superseded by 9 (in part)", "일부 대체됨".
_IN_PART = re.compile(
    rf"\b{_PARTLY} +(?:super[sc]eded|replaced)(?: by)?"
    rf"|\b(?:super[sc]eded|replaced) +{_PARTLY}(?: by)?"
    rf"|\b(?:super[sc]eded|replaced) by {_REFERENCES}(?:[ (\[]*{_PARTLY}|, in part\b)"
    r"|부분(?:적으로)?\s*대체\S*"
    rf"|일부(?:분|만)?\s*(?:내용|조항|항목)?[은는이가만]?\s*(?:{_REFERENCE}\s?(?:로|으로|에 의해)\s*)?대체\S*",
    re.IGNORECASE,
)
_SUPERSEDES = re.compile(
    rf"\b(?:super[sc]edes|amends)\b[\]*:\s]{{0,6}}(?P<some>{_PARTLY}\s+)?(?P<old>{_REFERENCES})"
    rf"(?P<then>[ (\[]*{_PARTLY}\b|, in part\b)?",
    re.IGNORECASE,
)
_SUPERSEDES_KO = re.compile(
    rf"(?P<old>{_REFERENCES})(?:\s?(?:을|를)\s*(?P<then>{_PARTLY_KO}\s*)?"
    rf"|(?<![을를의])\s*의?\s*(?P<some>{_PARTLY_KO})\s*)대체(?!\s*(?:되|된|될)|됨|하지)"
)
_DENIED_BEFORE = re.compile(r"\bnot\s+$", re.IGNORECASE)
_PARTLY_BEFORE = re.compile(rf"(?:\b{_PARTLY}|{_PARTLY_KO})\s+$", re.IGNORECASE)


class Declared(NamedTuple):
    """What one decision declares."""

    status: str  # one of the six words, or "" if it says none of them
    written: str  # what it says in its place, as written
    by: str  # what supersedes it, as written
    supersedes: tuple[str, ...]  # what it supersedes, as written
    amends: tuple[str, ...]  # what it supersedes in part
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
    title = title[:_LINE]
    found: dict[str, list[str]] = {name: [] for name in _KEYS}
    for name, value in _fields(parts, front):
        found[name].append(value.strip(" \t*_`|")[:_LINE])
    found["status"] = list(filter(None, map(_chosen, found["status"])))
    status, by = _status([*found["status"], *_MARK.findall(title)])
    if not status and _is_struck(title):
        status = DEPRECATED
    named = next((value for value in found["by"] if re.search(r"\d|\.md|\w-\w", value)), "")
    if named and _says_in_part(named):
        found["amended by"].append(named)
    elif named and status not in (DEPRECATED, REJECTED):
        status, by = SUPERSEDED, named
    if found["amended by"] and status in ("", ACCEPTED):
        status = AMENDED
    written = "" if status else _as_written(found["status"])
    replaced = [*_fields_replaced(found), *_replaced(parts)]
    whole, in_part = (tuple(old for old, some in replaced if some is which) for which in (False, True))
    return Declared(status, written, by, whole, in_part, " ".join(found["date"]))


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
        line = _DENIED.sub(_denied, _SUPERSEDES_KO.sub(" ", value))
        if _is_choice(line):
            continue
        if _IN_PART.search(line):
            said.add(AMENDED)
            line = _IN_PART.sub("; ", line)
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
    yet, what = match["yet"] or match["yet_ko"], match["what"] or match["what_ko"] or match["said"]
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


def _fields_replaced(found: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, bool]]:
    """What fields say is replaced, and whether only in part."""
    yield from ((value, _says_in_part(value)) for value in found["supersedes"])
    yield from ((value, True) for value in found["amends"])


def _says_in_part(value: str) -> bool:
    return re.search(rf"(?<![\w-])(?:{_PARTLY}|{_PARTLY_KO})(?![\w-])", value, re.IGNORECASE) is not None


def _replaced(parts: Sequence[Section]) -> Iterator[tuple[str, bool]]:
    """References behind "supersedes", wherever it is said, unless it is denied; and whether only in part."""
    lines = (line[:_LINE] for part in parts for line in part.source.split("\n"))
    telling = [
        line for line in lines if "대체" in line or re.search("super[sc]edes|amends", line, re.IGNORECASE)
    ]
    for line in telling[:_REPLACING]:
        for pattern in (_SUPERSEDES, _SUPERSEDES_KO):
            for match in pattern.finditer(line):
                before = line[: match.start()]
                if _DENIED_BEFORE.search(before):
                    continue
                partly = match["some"] or match["then"] or _PARTLY_BEFORE.search(before)
                yield match["old"], bool(partly) or match[0].lower().startswith("amends")
