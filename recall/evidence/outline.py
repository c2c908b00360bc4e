"""A memory's lines, and what rules them: headings, labels, heads of columns, checklists, quotes, struck records. Pure.

"## Removed" rules what is under it up to the next heading of its level, "Removed:" the list behind it, a column's head
its cells, `- [ ]` its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import cache
from typing import NamedTuple

from recall.evidence import clauses, english, korean

_HEADING = re.compile(r"^\s{0,3}(?P<level>#{1,6})\s+(?P<text>.*)")
_LEAD = re.compile(r"^\s*(?:[-*+]\s+)?(?P<text>\*\*[^*`]{1,60}\*\*:?|[^`|:]{1,60}:(?:\*\*)?)\s*$")
_LABEL = re.compile(r"^\W*(?P<text>[^`|:]{1,40}?):(?:\*\*)?\s+\S")
_FENCE = re.compile(r"^\s*(?:```|~~~)(?P<language>\w*)")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s|^\s{2,}\S|^\s*\|")
_OPEN_BOX = re.compile(r"^\s*+(?:(?:[-*+]|\d++[.)])\s*+)?(?:\[ ?\]|⬜|☐|🔲)")
_DONE_BOX = re.compile(r"^(?P<mark>\s*+(?:(?:[-*+]|\d++[.)])\s*+)?(?:\[[xX]\]|✅|☑️?|✔️?))")
_STATUS = re.compile(r"^\W*(?:[Ss]tatus|STATUS|상태)\W+(?P<text>\w+)")
_RULE = frozenset(" \t|:-")  # what the line under the heads of a table is made of
_WORD = re.compile(r"(?P<text>\w+)")
# So a heading begins that is of what is done now.
_HOW_TO = ("to ", "how to ", "when ", "if ", "suggested ", "recommended ")
_LONGEST = 100  # characters of a heading
_NAME = re.compile(r"[_/\d]|\.\w|[a-z][A-Z]")  # what could be one, in a label
_TO = re.compile(r"로(?!\w)|에서(?!\w)|->|→|=>|대신|말고")
_CELL = re.compile(r"[^|]+")
_MOST_WORDS = 5  # of a heading that is about what it rules, rather than of something that was deleted


class Tense(IntEnum):
    """How a sentence speaks of a name; of two sentences, the lower one counts."""

    PRESENT = 0
    UNCLEAR = 1
    PAST = 2


class Line(NamedTuple):
    """A line, and how what rules it speaks."""

    text: str
    fenced: bool = False  # sample code
    ruled: Tense = Tense.PRESENT
    columns: tuple[tuple[int, int, Tense], ...] = ()  # from, to: cells that are ruled otherwise


def lines(text: str) -> Iterator[Line]:
    """The lines of a text, without fences' own."""
    above, heads = _Above(), _Heads()
    fence = ""
    for line in text.split("\n"):
        if found := _FENCE.match(line):
            fence = "" if fence else found.group("language") or "text"
        elif fence:
            taken = Tense.UNCLEAR if fence == "diff" and line.startswith("-") else Tense.PRESENT
            yield Line(line, fenced=True, ruled=max(above.tense, taken))
        else:
            above.take(line)
            heads.take(line)
            yield _ruled(line, above.tense, heads.tenses)


class _Above:
    """What rules the line that was taken last."""

    def __init__(self) -> None:
        self._headings: list[tuple[int, Tense]] = []  # with their levels
        self._lead = Tense.PRESENT  # "Removed:", in front of a list
        self._indent = -1  # of that, if it is an item of a list itself
        self._record = Tense.PRESENT  # by its status
        self._recorded = False  # it is the record of a decision
        self._asks_status = False

    @property
    def tense(self) -> Tense:
        return max([self._record, self._lead, *(tense for _level, tense in self._headings)])

    def take(self, line: str) -> None:
        indent = len(line) - len(line.lstrip())
        if found := _HEADING.match(line):
            level, text = len(found.group("level")), found.group("text")
            self._headings = [(other, tense) for other, tense in self._headings if other < level]
            self._headings.append((level, max(_put(text), self._before(text))))
            self._lead = Tense.PRESENT
        elif found := _LEAD.match(line):
            item = _ITEM.match(line) is not None
            self._lead, self._indent = _put(found.group("text")), indent if item else -1
        elif line.strip() and (not _ITEM.match(line) or indent <= self._indent):
            self._lead = Tense.PRESENT
        self._take_status(line)

    def _take_status(self, line: str) -> None:
        status = _STATUS.match(line) or (self._asks_status and _WORD.search(line))
        if status:
            self._recorded = True
            open_one = status.group("text").lower() in _words("OPEN")
            self._record = Tense.UNCLEAR if open_one else Tense.PRESENT
        if line.strip():
            self._asks_status = line.strip(" #*:").lower() in ("status", "상태")

    def _before(self, heading: str) -> Tense:
        """How a heading of a record speaks of what was so before the decision."""
        about = self._recorded and not _words("OF_RECORDS").isdisjoint(heading.lower().split())
        return Tense.UNCLEAR if about else Tense.PRESENT


class _Heads:
    """The heads of the columns of a table, once the line under them was taken."""

    def __init__(self) -> None:
        self.tenses: Sequence[Tense] = ()
        self._before = ""

    def take(self, line: str) -> None:
        if "|" not in line:
            self.tenses = ()
        elif "--" in line and set(line) <= _RULE:
            self.tenses = [classed(cell) for cell in self._before.strip().strip("|").split("|")]
        self._before = line


def _ruled(line: str, above: Tense, heads: Sequence[Tense]) -> Line:
    """A line with what it says of itself."""
    if heads or line.lstrip().startswith("|"):
        cells = [cell for cell in _CELL.finditer(line) if cell.group().strip()]
        row = max((classed(cell.group()) for cell in cells if "`" not in cell.group()), default=Tense.PRESENT)
        columns = tuple(
            (cell.start(), cell.end(), tense) for cell, tense in zip(cells, heads, strict=False) if tense
        )
        return Line(line, ruled=max(above, row), columns=columns)
    if _OPEN_BOX.match(line) or line.lstrip().startswith(">"):
        return Line(line, ruled=max(above, Tense.UNCLEAR))
    if done := _DONE_BOX.match(line):
        line = "-".ljust(done.end()) + line[done.end() :]
    label = _LABEL.match(line)
    if label is None:
        return Line(line, ruled=above)
    text, rest = label.group("text"), line[label.end("text") :]
    # In Korean a label is of the clause behind it: "변경됨: a, b" says that these are there.
    if not text.isascii() and _without_deeds(text) and not (_NAME.search(text) or _TO.search(rest)):
        line = " " * label.end("text") + rest
    return Line(line, ruled=max(above, classed(label.group("text"))))


def classed(text: str) -> Tense:
    """How a heading, a label or a cell speaks of what it rules: by its last word, or its first."""
    words = [word.strip("*_:.!?()[]\"'`#~").lower() for word in text[:_LONGEST].split()]
    words = [word for word in words if word]
    if not words or len(words) > _MOST_WORDS:
        return Tense.PRESENT
    follows = len(words) == 1 or words[1] in _words("FOLLOWING") or words[1][0].isdigit()
    ends = {words[-1], "".join(words[:2]), "".join(words[-2:]), *(words[:1] if follows else ())}  # 할 일
    if ends & _words("GONE"):
        return Tense.PAST
    return Tense.UNCLEAR if ends & _words("DOUBTFUL") or _lies_ahead(words) else Tense.PRESENT


def _lies_ahead(words: Sequence[str]) -> bool:
    """Whether Korean words are of what is still to be done: "고칠 것", "남은 일"."""
    return words[-1] in _words("THINGS") and any(
        word in _words("AHEAD") or (word.endswith("할") and word not in _words("NOT_AHEAD"))
        for word in words[:-1]
    )


def _without_deeds(text: str) -> str:
    """A heading of what somebody did without the words that say so; "" for any other."""
    words = text.split()
    if text.lower().strip(" *_:.").endswith(("i did", "we did")):
        return " "
    rest = [word for word in words if word.strip("*_:.!?()[]\"'`#~").lower() not in _words("DEEDS")]
    done = len(rest) < len(words) <= _MOST_WORDS and "be" not in rest  # "to be fixed"
    return (" ".join(rest) or " ") if done else ""


def _put(text: str) -> Tense:
    """The same, or by its markers: "What we do not have any more". What a question rules is its answer."""
    tense = classed(text)
    answers = text.rstrip(" :*").endswith("?") or text.lower().lstrip(" *").startswith(_HOW_TO)
    if tense or answers or len(text) > _LONGEST or "`" in text:
        return tense
    # "Files modified" is no past of the files: what was done to them, they have.
    done = _without_deeds(text)
    spans = clauses.unasserted(done or text, past=not done)
    return Tense.UNCLEAR if any(start < end for start, end in spans) else Tense.PRESENT


@cache
def _words(table: str) -> frozenset[str]:
    """The words of a table, of all languages; some are of Korean alone."""
    return frozenset(f"{getattr(english, table, '')} {getattr(korean, table)}".split())
