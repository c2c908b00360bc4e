"""What a line of source code says that a memory could name: identifiers, numbers, and values bound to names. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from recall.evidence.comments import without_comments

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*(?:-[A-Za-z0-9_$]+)*")
_JOINTS = re.compile(r"[-$]")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"(?<![\w.])\d{2,}(?:\.\d+)*(?![\w])")
_LITERAL = (
    r"0[xX][0-9a-fA-F_]{1,16}|0[oO][0-7_]{1,21}|0[bB][01_]{1,64}"
    r"|\d[\d_]*(?:'\d{3})*(?:\.\d+)*(?:[eE][+-]?\d{1,2})?"
)
_BOUND = re.compile(
    rf"""
    (?:\#\s*define\s+|\bENV\s+)(?P<defined>[A-Za-z_]\w*)[\s=]+["']?(?P<definition>{_LITERAL})
    | \$\{{(?P<shell>[A-Za-z_]\w*):-(?P<fallback>{_LITERAL})\}}
    | (?<![\w-])[\d-]*+(?P<name>[A-Za-z_][\w-]*+)["'\])]*+\s*+
      (?: :\s*[A-Za-z_&][\w\[\]<>| .:]{{0,99}}?\s*= | := | =>? | : | , )\s*  # a type may stand before the equals sign
      ["'(]*(?P<value>{_LITERAL})
    """,
    re.VERBOSE | re.ASCII,
)
_SUFFIX = re.compile(
    r"(?:[uU]?[lL]{1,2}|[uif](?:8|16|32|64|128|size)|[uUfFdDn])(?![\w.])", re.ASCII
)  # 30L, 30u16
_GLUED = re.compile(r"(?<!\.)\.*+\w", re.ASCII)  # 30s, 1.2.3rc1
_GOES_ON = re.compile(
    r"(?<![\"')\]\s])[\"')\]]*+\s*+(?:[*%+^-]|/(?!\*)|<<|>>|\|(?!\|)|&(?!&))"
)  # 5 * 60, 1 << 20, 1.2.3-rc1
_ENDS = re.compile(r"(?<![\"'`)\]}\s])[\"'`)\]}]*\s*+(?:$|[,;#)\]}\\]|/\*)")
_TYPES = r"(?:u?int\d*|[iuf]\d+|usize|float|str|bool|bytes|number|string|boolean|any|Any|Optional|Decimal|Duration)\b"
_ASSIGNED = re.compile(  # to something that does not begin with a number
    r"(?:\#\s*define\s+|\bENV\s+)(?P<defined>[A-Za-z_]\w*)[\s=]+(?![\"']?\d)"
    r"|(?<![\w-])(?P<typed>[A-Za-z_]\w*+)(?=\s+[\w.*\[\]]{1,40}\s*:?=(?!=))"  # Go: Limit int = 30
    r"|(?<![\w-])(?P<name>[A-Za-z_][\w-]*+)[\"'\])]*+\s*+(?!:\s*$)"
    r"(?::\s*[A-Za-z_&][\w\[\]<>| .:]{0,60}?=|:=|=>?"
    rf"|:(?!\s*{_TYPES}))(?![=:~>])\s*+"
    r"(?![\"'(]*\d|(?:[\w.]{1,80}[.])?(?P=name)\b|[\"']\s*$)",
    re.ASCII,
)
_PORT_LIKE = re.compile(
    r"(?<!im)(?<!re)(?<!sup)(?<!ex)(?<!trans)port|listen|bind|serve|expose|host|addr|url|upstream|://|\w:\d|^\s*-\s*[\"']?\d+[\"']?\s*$",
    re.IGNORECASE | re.ASCII,
)
UNTOLD = "?"  # stands for a value that is no plain number
_PROSE = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".org", ".txt")
_NO_PROSE = ("requirements", "constraints", "cmakelists")  # lists in text files that a program reads
_BULKY = (".lock", ".map", ".svg", ".csv", ".ipynb", ".snap", "package-lock.json", "pnpm-lock.yaml", "go.sum")
OF_AGENTS = frozenset((".serena", ".claude", ".context", ".cursor", ".gemini", ".codex", ".agents"))
_OF_TESTS = re.compile(
    r"(?:^|/)(?:tests?|t|specs?|__tests__|testdata|fixtures|e2e)/|(?:^|/)(?:test_|conftest\.)[^/]*$"
    r"|[._-](?:test|tests|spec)\.\w+$",
    re.IGNORECASE,
)
PORT = "port"  # the name that every port is bound to
_LONG_LINE = 400  # characters
LONGEST_LINE = 2_000  # characters; longer ones are made by programs


def code_of(line: str, path: str) -> str:
    """A line without what is a comment in the language of its file; "" if nothing is left, or a program made it."""
    return "" if len(line) > LONGEST_LINE else without_comments(line, path)


def named(code: str) -> Iterator[str]:
    """What can be looked for in a line: names and numbers, ports, and `name=value`."""
    yield from plain(code)
    if _DIGIT.search(code):
        for name, value in bound(code):
            yield binding(name, value)
        for number in ports(code):
            yield binding(PORT, number)


def plain(code: str) -> Iterator[str]:
    """The names (those with hyphens or dollar signs whole and in parts) and numbers of a line."""
    for name in _NAME.findall(code):
        yield name
        if "-" in name or "$" in name:
            yield from filter(None, (name.strip("$"), *_JOINTS.split(name)))
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
    return ((name, value) for name, value, _whole in _bindings(code) if value != UNTOLD)


def untold(code: str) -> set[str]:
    """Names that a line gives a value which is no plain number, or may be another one: `5 * 60`, `30s`, `limit()`."""
    if len(code) > _LONG_LINE:  # nobody wrote it to be read, and looking closer takes long
        return set(_NAME.findall(code))
    every = list(_bindings(code))
    told = {name for name, value, _whole in every if value != UNTOLD}
    found = {name for name, value, whole in every if value == UNTOLD or not whole}
    assigned = {one.group(one.lastgroup or 0) for one in _ASSIGNED.finditer(code)}
    return found | (assigned - told)


def ports(code: str) -> list[str]:
    """Numbers of a line that speaks of a port or an address."""
    return [value for value in _NUMBER.findall(code) if len(value) <= 5] if _PORT_LIKE.search(code) else []


def binding(name: str, value: str) -> str:
    """A name and its value as one thing to look for."""
    return f"{name}={value}"


def plain_number(text: str) -> str:
    """A number as it is compared: 1_000 and 1,000 as 1000, 0x10 as 16, 30.0 as 30, 1e3 as 1000."""
    text = text.replace("_", "").replace(",", "").replace("'", "")
    if text[:2].lower() in ("0x", "0o", "0b"):
        return str(int(text, 0)) if len(text) > 2 else text
    if "e" in text.lower() and text.count(".") <= 1:
        return _without_zeros(format(Decimal(text), "f"))
    return _without_zeros(text) if text.count(".") == 1 else text


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _bindings(code: str) -> Iterator[tuple[str, str, bool]]:
    """Names with their values, and whether the value is all there is."""
    for found in _BOUND.finditer(code):
        kind = "defined" if found.group("defined") else "shell" if found.group("shell") else "name"
        name, end = found.group(kind), found.end()
        suffix = _SUFFIX.match(code, end)
        end = suffix.end() if suffix else end
        if _GLUED.match(code, end) or (kind != "shell" and _GOES_ON.match(code, end)):
            yield name, UNTOLD, False
        else:
            value = plain_number(
                found.group({"defined": "definition", "shell": "fallback"}.get(kind, "value"))
            )
            yield name, value, kind == "shell" or _ENDS.match(code, end) is not None


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


def is_test(path: str) -> bool:
    """Whether a file tests others: what it binds a name to need not be what the program does."""
    return _OF_TESTS.search(path) is not None
