"""What a line of source code says that a memory could name: identifiers, numbers, and values bound to names. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*(?:-[A-Za-z0-9_$]+)*")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"(?<![\w.])\d{2,}(?:\.\d+)*(?![\w])")
_BOUND = re.compile(
    r"""
    (?:\#\s*define\s+|\bENV\s+)(?P<defined>[A-Za-z_]\w*)[\s=]+["']?(?P<definition>\d[\d_]*(?:\.\d+)*)
    | \$\{(?P<shell>[A-Za-z_]\w*):-(?P<fallback>\d[\d_]*(?:\.\d+)*)\}
    | (?P<name>[A-Za-z_][\w-]*)["'\])]*\s*
      (?: :\s*[A-Za-z_&][\w\[\]<>| .:]*?\s*= | := | =>? | : | , )\s*        # a type may stand before the equals sign
      ["'(]*(?P<value>\d[\d_]*(?:\.\d+)*)
    """,
    re.VERBOSE | re.ASCII,
)
_END = re.compile(r"[\w.]*\w|\s*(?:\*|\+|/(?!/)|<<|-\s)\s*[\w(]", re.ASCII)
_PORT = re.compile(
    r"\bport['\"\s:=(]+(?P<named>\d{2,5})\b|\b(?:listen|expose)\w*[\s(:\"']+(?:[\w.]*:)?(?P<listened>\d{2,5})\b"
    r"|[\w\])}\"'.]:(?P<address>\d{2,5})\b|[\"'\s](?P<published>\d{2,5}):\d{2,5}\b",
    re.IGNORECASE | re.ASCII,
)
_COMMENT = re.compile(
    r"^\s*(?:#(?!\s*(?:define|include|if|ifdef|ifndef|endif|else|pragma)\b|!?\[)|//|/\*|\*\s|<!--|--\s)"
)
_TRAILING = re.compile(r"\s(?:#|//)\s.*$")
_PROSE = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".org", ".txt")
_NO_PROSE = ("requirements", "constraints", "cmakelists")  # lists in text files that a program reads
_BULKY = (".lock", ".map", ".svg", ".csv", ".ipynb", ".snap", "package-lock.json", "pnpm-lock.yaml", "go.sum")
OF_AGENTS = frozenset((".serena", ".claude", ".context", ".cursor", ".gemini", ".codex", ".agents"))
LONGEST_LINE = 2_000  # characters; longer ones are made by programs


def code_of(line: str) -> str:
    """A line without what is a comment in most languages; "" if nothing is left, or a program made the line."""
    if len(line) > LONGEST_LINE or _COMMENT.match(line):
        return ""
    return _TRAILING.sub("", line) if "#" in line or "//" in line else line


def named(code: str) -> Iterator[str]:
    """What can be looked for in a line: names and numbers, and `name=value`."""
    yield from plain(code)
    if _DIGIT.search(code):
        for name, value in bound(code):
            yield binding(name, value)


def plain(code: str) -> Iterator[str]:
    """The names (kebab-case ones whole and in parts) and numbers of a line."""
    for name in _NAME.findall(code):
        yield name
        if "-" in name:
            yield from name.split("-")
    if _DIGIT.search(code):
        yield from _NUMBER.findall(code)


def named_in(lines: Iterable[str]) -> set[str]:
    """The same for many lines at once."""
    found: set[str] = set()
    for line in lines:
        found.update(named(line))
    return found


def bound(code: str) -> Iterator[tuple[str, str]]:
    """Numbers that a line binds to names: `PORT = 8080`, `port: 8080`, `get("PORT", 8080)`, `${PORT:-8080}`."""
    for found in _BOUND.finditer(code):
        if _END.match(code, found.end()):  # 30s, 1.2.3rc1, 60 * 5: not a plain number
            continue
        for name, value in (("defined", "definition"), ("shell", "fallback"), ("name", "value")):
            if found.group(name):
                yield found.group(name), plain_number(found.group(value))


def ports(code: str) -> Iterator[str]:
    """Numbers of a line that are ports by what stands before them: `port: 80`, `listen(80)`, `"0.0.0.0:80"`."""
    for found in _PORT.finditer(code):
        yield found.group(found.lastgroup or 0)
    for name, value in bound(code):
        if "port" in name.lower() and "." not in value:
            yield value


def same_number(one: str, other: str) -> bool:
    """Whether two numbers are equal: 5 and 5.0 are."""
    try:
        return one == other or float(one) == float(other)
    except ValueError:
        return False


def binding(name: str, value: str) -> str:
    """A name and its value as one thing to look for."""
    return f"{name}={value}"


def plain_number(text: str) -> str:
    """A number without the marks between its thousands."""
    return text.replace("_", "").replace(",", "")


def is_prose(path: str) -> bool:
    """Whether a file is written for people: what it says may be about the past."""
    name = path.rpartition("/")[2].lower()
    return name.endswith(_PROSE) and not name.startswith(_NO_PROSE)


def is_bulky(path: str) -> bool:
    """Whether a program writes the file: its lines are no one's identifiers."""
    name = path.rpartition("/")[2].lower()
    return name.endswith(_BULKY) or ".min." in name


def is_for_agents(path: str) -> bool:
    """Whether a file lies in a folder of agents' memory: that a memory names something proves nothing."""
    return not OF_AGENTS.isdisjoint(path.split("/"))
