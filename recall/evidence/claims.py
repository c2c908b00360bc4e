"""A memory's text to what can be checked of it: paths, identifiers, values, commits, versions. Pure.

A claim is something the repository can answer; whether it is of this repository at all is left to the facts: what the
repository never knew is no evidence. A claim too many still costs a search, a place among the most that are checked,
and a memory its verdict when there is no time for it. So what can be told from prose here is told here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from recall.evidence import paths, releases, tense
from recall.evidence.outline import Tense
from recall.evidence.words import plain_number

_MOST = 60  # claims of one memory
LOOKED_AT = 30_000  # characters of a memory

_URL = re.compile(
    r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*+://\S+|\bwww\.\S+|\bgit@\S+|(?<![\w.+-])[\w.+-]++@[\w-]++\.[a-z][\w.]+",
    re.IGNORECASE,
)
_CODE = re.compile(r"(`{1,8})(?P<code>[^`\n]{1,200})\1")
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
    r"|\s*(?:의\s*)?(?:기본\s*)?값[은이]?\s*|\s*[은는이가을를]\s*|\s*(?<=[`\s])\((?=[\d_,.]+\))|\s+)"
    r"`?(?P<value>\d[\d_,]*(?:\.\d+)*)(?![\w.]*[A-Za-z]|\.\d|\s*(?:[*+/]|<<)\s*\w)`?"
)
_ROW = re.compile(  # of a table of settings
    r"^\s*\|\s*`?(?P<name>[A-Z][A-Z0-9]*+(?:_[A-Z0-9]++)++|[a-z]\w*+(?:\.\w++)*+)`?\s*\|\s*`?(?P<value>\d[\d_,]*+(?:\.\d++)?+)`?\s*\|\s*$"
)
_PORT = re.compile(
    r"(?:\bports?\b|포트)\s*+(?:number|번호)?[은는이가를을]?\s*+"
    r"(?:(?:\w{1,40}+\s++){0,2}from\s+\d+\s+to|is|=|:|to)?\s*+`?(?P<after>\d{2,5})(?!\.?\d)"
    r"|(?<![\d.:])(?P<before>\d{2,5})`?\s*(?:번\s*)?(?:\bport\b|포트)"
    r"|(?:\blocalhost|\b127\.0\.0\.1|\b0\.0\.0\.0|(?<=`))(?::)(?P<colon>\d{2,5})(?!\.?\d)",
    re.IGNORECASE,
)
_DEPENDENCY = re.compile(
    r"(?<![\w./\\-])(?P<name>@?[A-Za-z][A-Za-z0-9_.+-]*+(?:/[A-Za-z0-9_.-]++)*+)`?(?:\[[\w,]+\])?"
    r"(?:\s*(?P<op>[=<>~^!]=?=?)\s*|@|\s+(?:version\s+|버전(?:은|이)?\s*)?v?)"
    rf"[\"'`]?v?(?P<version>{_VERSION})(?:\.x)?(?![A-Za-z0-9_%])"
)
# A record's link to the one that took its place says nothing of what the record decided.
_LINK = re.compile(
    r"^\W*(?:supersed(?:es|ed)|obsolet(?:es|ed)|amend(?:s|ed))(?:[\s_-]*by)?\b"
    r"|^\W*(?:replaced by|deprecated in favou?r of)\W*\["
    r"|^\W*(?:status|상태)\W.*(?:\b(?:supersed|obsolet|amend|replac)|대체|폐기)",
    re.IGNORECASE,
)
_BACK = re.compile(r"\b(?:back|again|restored|returned|re-?added)\b|다시|되살|복구|복원|부활", re.IGNORECASE)
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
    PORT = "port"  # perhaps of a named file
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
    tense: Tense = Tense.PRESENT  # whether the memory itself says that it is gone, or that it was so once


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
        if _LINK.match(sentence.text):
            continue
        for claim in _of_sentence(sentence, roots):
            key = (claim.kind, claim.spellings, claim.value)
            known = found.get(key)
            if known is None:
                found[key] = claim
            else:
                told = _of_both(known.tense, claim.tense, sentence.text)
                found[key] = known._replace(weak=known.weak and claim.weak, tense=told)
    every = tuple(found.values())
    files = tuple(claim.spellings[0] for claim in every if claim.kind is Kind.PATH and not claim.weak)[:8]
    near = tuple(
        claim._replace(near=claim.near or files) if claim.kind is Kind.NAME else claim for claim in every
    )
    return Claims(near[:_MOST], max(0, len(near) - _MOST))


def _of_both(earlier: Tense, later: Tense, sentence: str) -> Tense:
    """How two sentences speak of one thing, the later of which is given."""
    if Tense.PAST not in (earlier, later):
        return min(earlier, later)  # what one says of it in the present counts
    if later is Tense.PRESENT:  # it was told as gone: "`X` checks tokens" may be how it was
        return Tense.PRESENT if _BACK.search(sentence) else Tense.UNCLEAR
    return Tense.PAST


def _blanked(found: re.Match[str]) -> str:
    # An address is nobody's path, but its port may be told: http://localhost:8080/x
    local = re.match(r"https?://((?:localhost|127\.0\.0\.1|0\.0\.0\.0):\d{2,5})", found.group())
    return (local.group(1) if local else "").ljust(len(found.group()))


def _of_sentence(sentence: tense.Sentence, roots: Sequence[str]) -> Iterator[Claim]:
    text = sentence.text
    rest = text
    found: list[tuple[int, Claim]] = []
    of_commits = _COMMIT_WORD.search(text) is not None
    if not sentence.fenced:
        for span in _CODE.finditer(text):
            here = list(_of_code(span.group("code").strip(), roots, of_commits))
            found += [(span.start("code"), claim) for claim in here]
            if any(claim.kind is Kind.PATH for claim in here) or not re.search(r"\s", span.group("code")):
                rest = rest[: span.start()] + " " * (span.end() - span.start()) + rest[span.end() :]
    found += [(place, _of_path(path)) for place, path in paths.bare(rest, roots)]
    files = [claim.spellings[0] for _place, claim in found if claim.kind is Kind.PATH and not claim.weak]
    numbers = list(_numbers(text, tuple(files)))
    numbers += _of_row(sentence, tuple(files))
    found += [(place, claim) for place, _at, claim in numbers]
    if not sentence.fenced:
        for name in _BARE_NAME.finditer(rest):
            word = name.group("name") or name.group("called")
            if word not in _KEYWORDS:
                found.append((name.start(), Claim(Kind.NAME, word, (word,))))
        for sha in _SHA.finditer(rest) if of_commits else ():
            found.append((sha.start(), Claim(Kind.COMMIT, sha.group(), (sha.group(),))))
    # Two dots are a version's, whatever stands in front.
    values = {at for _place, at, claim in numbers if not claim.weak and claim.value.count(".") < 2}
    found += _versions(text, values)
    if found:
        spoken = tense.spoken(sentence)
        for place, claim in sorted(found, key=lambda pair: pair[0]):
            yield claim._replace(tense=max(claim.tense, spoken.tense(place)))


def _of_row(sentence: tense.Sentence, files: tuple[str, ...]) -> Iterator[tuple[int, int, Claim]]:
    """The value in a row of a name and a number, where the heads of the columns do not say that it was so once."""
    row = _ROW.match(sentence.text)
    if row is not None and not sentence.columns and "_" in row.group("name"):
        name, value = row.group("name").rpartition(".")[2], plain_number(row.group("value").rstrip(","))
        claim = Claim(Kind.VALUE, f"{name} = {value}", (name,), value, near=files)
        yield row.start("name"), row.start("value"), claim


def _of_code(code: str, roots: Sequence[str], of_commits: bool) -> Iterator[Claim]:
    """Claims of what stands between code marks."""
    if node := _NODE.match(code):
        path = paths.read(node.group("path"), roots, marked=True)
        if path is not None:
            yield _of_path(path)
            for name in node.group("names").split("::"):
                yield Claim(Kind.NAME, name, (name,), near=path.spellings)
        return
    if definition := _DEFINITION.match(code):
        yield Claim(Kind.NAME, definition.group("name"), (definition.group("name"),))
    elif flag := _FLAG.match(code):
        yield _flag(flag.group("flag"))
    elif _SHA_SPAN.match(code) and (of_commits or (re.search(r"\d", code) and re.search(r"[a-f]", code))):
        yield Claim(Kind.COMMIT, code, (code,))
    elif paths.looks_like_one(code):
        path = paths.read(code, roots, marked=True)
        if path is not None:
            yield _of_path(path)
    elif assigned := re.match(r"^([A-Za-z_$][\w$.-]*)\s*(?:=|:)\s*\S", code, re.ASCII):
        yield from _names(assigned.group(1), called=False)
    elif dotted := _DOTTED.match(code):
        yield from _names(dotted.group("names"), called=dotted.group("call") is not None)


def _of_path(path: paths.Path) -> Claim:
    return Claim(Kind.PATH, path.spellings[0], path.spellings, weak=path.weak)


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


def _numbers(text: str, files: tuple[str, ...]) -> Iterator[tuple[int, int, Claim]]:
    """Values and ports, with where each and its number stands."""
    bound: set[int] = set()
    for found in _VALUE.finditer(text):
        name, value = found.group("name"), plain_number(found.group("value").rstrip(","))
        last = re.split(r"[.-]", name)[-1] if "-" in name else name.rpartition(".")[2]
        shaped = (
            "_" in name or (name.isupper() and len(name) > 2) or re.search(r"[a-z][A-Z]", name) is not None
        )
        ticked = bool(found.group("tick"))
        explicit = re.search(r"[=:]", text[found.end("name") : found.start("value")]) is not None
        if paths.with_suffix(name) or (name.lower() in _NO_NAME and not name.isupper()):
            continue
        if (shaped or ticked or explicit) and last not in _KEYWORDS and not last.isdigit():
            bound.add(found.start("value"))
            spellings = tuple(dict.fromkeys((last, name)))
            yield (
                found.start("name"),
                found.start("value"),
                Claim(
                    Kind.VALUE, f"{name} = {value}", spellings, value, near=files, weak=not (shaped or ticked)
                ),
            )
    for found in _PORT.finditer(text):
        group = found.lastgroup or "after"
        if found.start(group) not in bound:
            number = found.group(group)
            at = found.start(group)
            yield at, at, Claim(Kind.PORT, f"port {number}", (number,), number, near=files)


_UPGRADE = re.compile(
    r"(?<![\w./\\-])(?P<name>@?[A-Za-z][A-Za-z0-9_.+/-]*+)`?\s+from\s+v?[\d.]+\s+to\s+`?v?(?P<version>"
    rf"{_VERSION})(?![A-Za-z0-9_%])"
)
# What stands behind a link has to be written like a version: "redis is 3 times faster".
_LINKED = re.compile(
    r"(?<![\w./\\-])(?P<name>@?[A-Za-z][A-Za-z0-9_.+/-]*+)`?(?:\s+version\b|\s*버전)?"
    r"(?:\s*[:|]\s*|[은는이가을를]\s+|\s+(?:is\s+)?(?:(?:pinned|locked|fixed|held|kept)\s+)?(?:is|to|at)\s+)"
    r"[\"'`]?v?(?P<version>\d+(?:\.\d+){1,3})(?![\w%]*[A-Za-z0-9_%]|\.\d|\s*(?:times|seconds?|minutes?|배|초|분|시간|점))"
)


def _versions(text: str, taken: Collection[int]) -> Iterator[tuple[int, Claim]]:
    """Versions; `taken`: where numbers stand that are a name's value, or a port."""
    told_so = (*_DEPENDENCY.finditer(text), *_UPGRADE.finditer(text), *_LINKED.finditer(text))
    for found in told_so:
        operator = found.groupdict().get("op") or ""
        name, version = found.group("name"), found.group("version")
        if name.lower() not in _NO_DEPENDENCY and (operator or found.start("version") not in taken):
            reading = releases.read(text, found.start(), found.end())
            told = Tense.PRESENT if reading.asserted or operator else Tense.UNCLEAR
            operator = operator or reading.operator
            claim = Claim(Kind.VERSION, f"{name} {operator}{version}", (name,), version, operator, tense=told)
            yield found.start("version"), claim


# What a number stands behind without being its value; a port is looked for by itself.
_NO_NAME = frozenset("port ports localhost line lines page step version".split())
# Words of every text: nobody's dependency. Of other words the manifests tell (`versions`).
_NO_DEPENDENCY = frozenset(
    "port ports version versions line lines step steps page pages row rows chapter section part phase issue item "
    "number room floor day week month year january february march april may june july august september october "
    "november december at in of to from by on for with within after before about over under until since than per "
    "every each all only just exactly least most around roughly nearly almost up down and or the a an is are was "
    "were be been being has have had does do did can could will would might must shall should went goes equals "
    "means needs need takes take costs cost lasts last holds hold keeps keep uses use used says say returns "
    "return sends send gets get sets set runs run allows allow adds add makes make handles handle waits wait "
    "tries try fails fail answers answer now then not no as it its that this these those first top".split()
)
