"""A memory's text to what can be checked of it: paths, identifiers, values, commits, versions. Pure.

A claim is something the repository can answer; whether it is of this repository at all is left to the facts. So a
claim too many does no harm: what the repository never knew is no evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from recall.evidence import tense
from recall.evidence.words import plain_number

_MOST = 60  # claims of one memory
LOOKED_AT = 30_000  # characters of a memory

_SUFFIXES = frozenset(
    "py pyi js jsx ts tsx mjs cjs vue svelte astro go rs java kt kts rb erb php c h cc cpp hpp cs swift scala ex exs "
    "clj lua dart r jl sh bash zsh fish ps1 bat sql md mdx rst txt adoc toml yaml yml json jsonc ini cfg conf env lock "
    "xml html css scss sass less tf tfvars proto graphql gql gradle properties ipynb csv tsv hcl prisma j2 tmpl".split()
)
_NAMED_FILES = (
    "Dockerfile|Makefile|Jenkinsfile|Procfile|Gemfile|Rakefile|Vagrantfile|Justfile|CODEOWNERS|LICENSE"
)
_URL = re.compile(
    r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*+://\S+|\bwww\.\S+|\bgit@\S+|(?<![\w.+-])[\w.+-]++@[\w-]++\.[a-z][\w.]+",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_CODE = re.compile(r"(`+)(?P<code>[^`\n]{1,200})\1")
# What a path may be made of; Hangul is, so that particles that are glued to it have to be cut off afterwards.
_PART = r"[\w@+\-][\w.@+\-]*|\.[\w\-][\w.\-]*"
_PLACE = r"(?P<place>:\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)?"
_BARE = re.compile(
    rf"(?<![\w/\\.@:~$%*{{}}<>=+-])(?P<path>(?:\./)?(?:(?:{_PART})[/\\])*"
    rf"(?:(?:[\w@+\-.]*\.(?P<suffix>[A-Za-z][A-Za-z0-9]{{0,9}})|{_NAMED_FILES})(?![A-Za-z0-9_/\\*-]|\.\w)|(?:{_PART})/(?![\w*{{<\[])|"
    rf"(?<=[/\\])[\w@+\-]+(?![\w/\\.*{{<\[]))){_PLACE}",
)
_SUFFIX = re.compile(r"\.(?P<suffix>[A-Za-z][A-Za-z0-9]*)(?![A-Za-z0-9_])")
_NAMED = re.compile(rf"(?:^|/)(?:{_NAMED_FILES})$")
_PATH = re.compile(r"(?:\./)?[\w@+\-.][\w@+\-. ]*(?:/[\w@+\-.][\w@+\-. ]*)*/?")
_GLOB = re.compile(r"[*?{}<>|$%]|\[|\]")
_ABSOLUTE = re.compile(r"^(?:/|~|[A-Za-z]:[/\\]|\\\\)")
_NODE = re.compile(r"^(?P<path>[^:]+\.\w+)::(?P<names>\w+(?:::\w+)*)")

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*(?:-[A-Za-z0-9_$]+)*")
_DOTTED = re.compile(
    r"^(?P<names>[A-Za-z_$][\w$-]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$-]*)*)[!?]?(?P<call>\(.*\))?$", re.ASCII
)
_DEFINITION = re.compile(
    r"^(?:(?:export|async|public|private|static|pub|default)\s+)*"
    r"(?:def|class|function|fn|func|const|let|var|struct|enum|interface|type|trait)\s+(?P<name>[A-Za-z_$][\w$]*)",
    re.ASCII,
)
_FLAG = re.compile(r"^(?P<flag>--[a-zA-Z][\w-]+)(?:[= ].*)?$", re.ASCII)
_BARE_NAME = re.compile(
    r"(?<![\w./\\$@:#=-])(?:(?P<name>_*[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+)(?![A-Za-z0-9_/\\=-]|\.\w)"
    r"|(?P<called>[A-Za-z_][A-Za-z0-9_]{2,})\(\))"
)
_SHAPED = re.compile(r"^_*[A-Za-z]+[0-9]*(?:_|[a-z0-9][A-Z])|^[A-Z][A-Z0-9_]{2,}$|^[A-Z][a-z0-9]{3,}|-|\d$")
_VERSION = r"\d+(?:\.\d+)*"
_SHA = re.compile(r"(?<![\w/.#-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w/-]|\.\w)", re.ASCII)
_SHA_SPAN = re.compile(r"^[0-9a-f]{7,40}$")
_COMMIT_WORD = re.compile(
    r"\b(?:commit|sha|revision|rev|hash|fixed in|since|merged|reverted)\b|커밋|리비전", re.I
)
_VALUE = re.compile(
    r"(?P<tick>`?)(?<![\w.-])(?P<name>[A-Za-z_][A-Za-z0-9_]*+(?:[.-][A-Za-z0-9_]++)*+)`?"
    r"(?:\s*(?:==?|:)\s*|\s+(?:is|was|are|of|to|equals|defaults\sto|is\sset\sto|set\sto)\s+"
    r"|\s*(?:의\s*값은|값은|기본값은|은|는|이|가|을|를)\s*|\s+)"
    r"`?(?P<value>\d[\d_,]*(?:\.\d+)*)(?![\w.]*[A-Za-z]|\.\d)`?"
)
_PORT = re.compile(
    r"(?:\bports?\b|포트)\s*(?:number|번호)?[은는이가를을]?\s*(?:(?:\w+\s+){0,2}from\s+\d+\s+to|is|=|:|to)?\s*`?(?P<after>\d{2,5})(?!\.?\d)"
    r"|(?<![\d.:])(?P<before>\d{2,5})`?\s*(?:번\s*)?(?:\bport\b|포트)"
    r"|(?:\blocalhost|\b127\.0\.0\.1|\b0\.0\.0\.0|(?<=`))(?::)(?P<colon>\d{2,5})(?!\.?\d)",
    re.IGNORECASE,
)
_DEPENDENCY = re.compile(
    r"(?<![\w./\\-])(?P<name>@?[A-Za-z][A-Za-z0-9_.+-]*+(?:/[A-Za-z0-9_.-]++)*+)`?(?:\[[\w,]+\])?"
    r"(?:\s*(?P<op>[=<>~^!]=?=?)\s*|@|\s+(?:version\s+|버전(?:은|이)?\s*)?v?)"
    rf"[\"'`]?v?(?P<version>{_VERSION})(?:\.x)?(?![A-Za-z0-9_%])"
)
_KEYWORDS = frozenset(
    "true false none null nil undefined self this super return import from async await const static public private "
    "TRUE FALSE NULL GET POST PUT PATCH DELETE HEAD OPTIONS HTTP HTTPS JSON YAML TOML HTML CSS SQL API URL URI UUID "
    "TODO FIXME NOTE XXX None True False README CHANGELOG LICENSE".split()
)


class Kind(StrEnum):
    """What a claim is about."""

    PATH = "path"
    NAME = "name"
    VALUE = "value"  # a number bound to a name
    NUMBER = "number"  # a port, perhaps of a named file
    COMMIT = "commit"
    VERSION = "version"  # of a dependency


class Claim(NamedTuple):
    """One thing a memory says that the repository can answer."""

    kind: Kind
    text: str  # as the memory has it, for people
    spellings: tuple[str, ...]  # of the path, name or dependency; any of them will do
    value: str = ""  # the number or version
    operator: str = ""  # before a version
    near: tuple[str, ...] = ()  # paths that the same memory names: where to look first
    weak: bool = False  # it may well be prose: good for "it is there", not for "it is gone"
    past: bool = False  # the memory itself says that it is gone, or that it was so once


class Claims(NamedTuple):
    """What can be checked of a memory."""

    claims: tuple[Claim, ...]
    more: int = 0  # beyond the most that are checked


def claims_of(text: str, roots: Sequence[str] = ()) -> Claims:
    """The claims of a memory's text, in the order they come.

    roots: absolute folders of the project; a path below one counts from there.
    """
    found: dict[tuple[Kind, tuple[str, ...], str], Claim] = {}
    for sentence in tense.sentences(_URL.sub(_blanked, text[:LOOKED_AT])):
        for claim in _of_sentence(sentence, roots):
            key = (claim.kind, claim.spellings, claim.value)
            known = found.get(key)
            if known is None:
                found[key] = claim
            else:  # what one sentence says of it in the present counts
                found[key] = known._replace(weak=known.weak and claim.weak, past=known.past and claim.past)
    every = tuple(found.values())
    paths = tuple(claim.spellings[0] for claim in every if claim.kind is Kind.PATH and not claim.weak)[:8]
    near = tuple(
        claim._replace(near=claim.near or paths) if claim.kind is Kind.NAME else claim for claim in every
    )
    return Claims(near[:_MOST], max(0, len(near) - _MOST))


def _blanked(found: re.Match[str]) -> str:
    # An address is nobody's path, but its port may be told: http://localhost:8080/x
    local = re.match(r"https?://((?:localhost|127\.0\.0\.1|0\.0\.0\.0):\d{2,5})", found.group())
    return (local.group(1) if local else "").ljust(len(found.group()))


def _of_sentence(sentence: tense.Sentence, roots: Sequence[str]) -> Iterator[Claim]:
    text = sentence.text
    rest = text
    paths: list[str] = []
    found: list[tuple[int, Claim]] = []
    if not sentence.fenced:
        for span in _CODE.finditer(text):
            here = list(_of_code(span.group("code").strip(), roots, bool(_COMMIT_WORD.search(text))))
            found += [(span.start("code"), claim) for claim in here]
            if any(claim.kind is Kind.PATH for claim in here) or not re.search(r"\s", span.group("code")):
                rest = rest[: span.start()] + " " * (span.end() - span.start()) + rest[span.end() :]
    for bare in _BARE.finditer(rest):
        if (suffix := bare.group("suffix")) and suffix not in _SUFFIXES:
            continue
        claim = _path(bare.group("path"), roots, marked=False)
        if claim is not None:
            found.append((bare.start(), claim))
    paths = [claim.spellings[0] for _place, claim in found if claim.kind is Kind.PATH and not claim.weak]
    found += _numbers(text, tuple(paths))
    if not sentence.fenced:
        for name in _BARE_NAME.finditer(rest):
            word = name.group("name") or name.group("called")
            if word not in _KEYWORDS:
                found.append((name.start(), Claim(Kind.NAME, word, (word,))))
        for sha in _SHA.finditer(rest):
            if _COMMIT_WORD.search(text):
                found.append((sha.start(), Claim(Kind.COMMIT, sha.group(), (sha.group(),))))
    found += _versions(text)
    for place, claim in sorted(found, key=lambda pair: pair[0]):
        yield claim._replace(past=sentence.is_past(place))


def _of_code(code: str, roots: Sequence[str], of_commits: bool) -> Iterator[Claim]:
    """Claims of what stands between code marks."""
    if node := _NODE.match(code):
        claim = _path(node.group("path"), roots, marked=True)
        if claim is not None:
            yield claim
            for name in node.group("names").split("::"):
                yield Claim(Kind.NAME, name, (name,), near=claim.spellings)
        return
    if definition := _DEFINITION.match(code):
        yield Claim(Kind.NAME, definition.group("name"), (definition.group("name"),))
    elif flag := _FLAG.match(code):
        yield _flag(flag.group("flag"))
    elif _SHA_SPAN.match(code) and (of_commits or (re.search(r"\d", code) and re.search(r"[a-f]", code))):
        yield Claim(Kind.COMMIT, code, (code,))
    elif _looks_like_path(code):
        claim = _path(code, roots, marked=True)
        if claim is not None:
            yield claim
    elif assigned := re.match(r"^([A-Za-z_$][\w$.-]*)\s*(?:=|:)\s*\S", code, re.ASCII):
        yield from _names(assigned.group(1), called=False)
    elif dotted := _DOTTED.match(code):
        yield from _names(dotted.group("names"), called=dotted.group("call") is not None)


def _looks_like_path(code: str) -> bool:
    if _GLOB.search(code) or re.search(r"\s[-=|&]|\s{2}|[(),;=\"']", code):
        return False
    plain = re.sub(r"(:\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$", "", code)
    if " " in plain and not ("/" in plain and _with_suffix(plain) and plain.count(" ") < 3):
        return False  # a command
    if plain.split(" ")[0] in (
        "npm",
        "python",
        "python3",
        "pytest",
        "git",
        "cd",
        "cat",
        "node",
        "make",
        "docker",
    ):
        return False
    return "/" in plain or "\\" in plain or bool(_with_suffix(plain)) or bool(_NAMED.search(plain))


def _path(written: str, roots: Sequence[str], *, marked: bool) -> Claim | None:
    """The claim that a path is there; None for what is no path inside the project."""
    text = re.sub(r"(:\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$", "", written).rstrip(".,;:")
    path = text.replace("\\", "/")
    for root in roots:
        if path == root or path.startswith(root.rstrip("/") + "/"):
            path = path[len(root) :].lstrip("/")
            marked = True
    if _ABSOLUTE.match(path) or _GLOB.search(path) or ".." in path.split("/"):
        return None
    path = path.removeprefix("./")
    while "//" in path:
        path = path.replace("//", "/")
    if not path or not _PATH.fullmatch(path) or path.startswith("-") or not re.search(r"[^\W\d]", path):
        return None
    suffixed = _with_suffix(path)
    whole = suffixed != "" or bool(_NAMED.search(path)) or path.endswith("/") or path.startswith(".")
    spellings = [suffixed or path]
    if spellings[0] != path:
        spellings.append(path)
    for spelling in tuple(spellings):
        trimmed = _without_particles(spelling)
        if trimmed and trimmed != spelling and not trimmed.startswith("/"):
            spellings.append(trimmed)
    if not marked and not whole and path.count("/") < 1:
        return None
    # Without a suffix and outside code marks it may be "and/or".
    weak = not whole and not (marked and path.count("/") >= 2)
    return Claim(Kind.PATH, spellings[0], tuple(dict.fromkeys(spellings)), weak=weak)


def _without_particles(path: str) -> str:
    """The path without Hangul that is glued to its ASCII ends: `src/app에서`."""
    start, end = 0, len(path)
    while start < end and "ㄱ" <= path[start] <= "힣":
        start += 1
    while end > start and "ㄱ" <= path[end - 1] <= "힣":
        end -= 1
    kept_start = start if start < len(path) and path[start].isascii() else 0
    kept_end = end if end > 0 and path[end - 1].isascii() else len(path)
    return path[kept_start:kept_end]


def _with_suffix(path: str) -> str:
    """The path up to its first known suffix, behind which a particle may stand; "" if it has none."""
    for found in _SUFFIX.finditer(path):
        if found.group("suffix").lower() in _SUFFIXES:
            return path[: found.end()]
    return ""


def _flag(flag: str) -> Claim:
    """A command's flag; some libraries derive it from a field's name."""
    kebab = flag.lstrip("-")
    snake = kebab.replace("-", "_")
    head, *rest = kebab.split("-")
    camel = head + "".join(part.capitalize() for part in rest)
    bare = kebab.removeprefix("no-")
    spellings = dict.fromkeys((kebab, snake, camel, bare, bare.replace("-", "_")))
    return Claim(Kind.NAME, flag, tuple(spellings))


def _names(dotted: str, *, called: bool) -> Iterator[Claim]:
    """A claim for each part of a dotted name that is an identifier rather than a word."""
    parts = re.split(r"\.|::|->|#", dotted)
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        shaped = _SHAPED.search(part) is not None and len(part) >= 3
        if part in _KEYWORDS or len(part) < 3 or not _IDENTIFIER.fullmatch(part):
            continue
        if shaped or (last and (called or len(parts) > 1)):
            spellings = (part,) if "-" not in part else (part, part.replace("-", "_"))
            yield Claim(Kind.NAME, part, spellings)


def _numbers(text: str, paths: tuple[str, ...]) -> Iterator[tuple[int, Claim]]:
    bound: set[int] = set()
    for found in _VALUE.finditer(text):
        name, value = found.group("name"), plain_number(found.group("value").rstrip(","))
        last = re.split(r"[.-]", name)[-1] if "-" in name else name.rpartition(".")[2]
        shaped = (
            "_" in name or (name.isupper() and len(name) > 2) or re.search(r"[a-z][A-Z]", name) is not None
        )
        ticked = bool(found.group("tick"))
        explicit = re.search(r"[=:]", text[found.end("name") : found.start("value")]) is not None
        if _with_suffix(name) or name.lower() in _NO_NAME:
            continue
        if (shaped or ticked or explicit) and last not in _KEYWORDS and not last.isdigit():
            bound.add(found.start("value"))
            spellings = tuple(dict.fromkeys((last, name)))
            yield (
                found.start("name"),
                Claim(
                    Kind.VALUE, f"{name} = {value}", spellings, value, near=paths, weak=not (shaped or ticked)
                ),
            )
    for found in _PORT.finditer(text):
        group = found.lastgroup or "after"
        if found.start(group) not in bound:
            number = found.group(group)
            yield found.start(group), Claim(Kind.NUMBER, f"port {number}", (number,), number, near=paths)


_UPGRADE = re.compile(
    r"(?<![\w./\\-])(?P<name>@?[A-Za-z][A-Za-z0-9_.+/-]*+)`?\s+from\s+v?[\d.]+\s+to\s+`?v?(?P<version>"
    rf"{_VERSION})(?![A-Za-z0-9_%])"
)


def _versions(text: str) -> Iterator[tuple[int, Claim]]:
    for found in (*_DEPENDENCY.finditer(text), *_UPGRADE.finditer(text)):
        operator = found.groupdict().get("op") or ""
        name, version = found.group("name"), found.group("version")
        if name.lower() not in _NO_DEPENDENCY:
            yield (
                found.start("name"),
                Claim(Kind.VERSION, f"{name} {operator}{version}", (name,), version, operator),
            )


# What a number stands behind without being its value; a port is looked for by itself.
_NO_NAME = frozenset("port ports localhost line lines page step version".split())
_NO_DEPENDENCY = frozenset(
    "port ports version line lines step steps page pages row rows at in of to from by".split()
)


def every_path(claims: Iterable[Claim]) -> tuple[str, ...]:
    """All spellings of the paths among some claims."""
    return tuple(name for claim in claims if claim.kind is Kind.PATH for name in claim.spellings)
