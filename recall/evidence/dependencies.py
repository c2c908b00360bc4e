"""Declared dependencies: manifests and lock files to versions, and whether a version agrees with one. Pure.

The formats are those of pyproject.toml (PEP 621, Poetry), requirements files (PEP 508), package.json, Cargo.toml,
go.mod, and the lock files of uv, Poetry, Cargo, npm, Yarn and pnpm. go.sum is not read: go.mod is exact by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_REQUIREMENT = re.compile(
    r"^\s*(?P<name>[A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*\(?(?P<spec>[=<>~!^][^;#)]*)?", re.ASCII
)
_GO = re.compile(
    r"^[^\S\n]*+(?:require\s++)?(?P<name>[\w.-]++(?:/[\w.~-]++)++)\s++v(?P<version>\d[\w.+-]*)", re.MULTILINE
)
_GO_ITSELF = re.compile(r"^go\s+(?P<version>\d+(?:\.\d+)*)", re.MULTILINE)
_LOCKED = re.compile(r'^name = "(?P<name>[^"]+)"\nversion = "(?P<version>[^"]+)"', re.MULTILINE)
_YARN = re.compile(
    r"""^"?(?P<name>@?[^@"\s]+)@[^\n]*:\n\s+version:?\s+"?(?P<version>\d[^"\s]*)""", re.MULTILINE
)
_PNPM = re.compile(
    r"""^\s{2}['"]?/?(?P<name>(?:@[^@/\s'"]+/)?[^@/\s'"]+)[@/](?P<version>\d[^:('"\s]*)""", re.MULTILINE
)
_CLAUSE = re.compile(r"(?:(?P<op>===?|~=|!=|<=|>=|<|>|\^|~)\s*+)?v?(?P<version>\d+(?:\.(?:\d+|x|\*))*)")
_PLAIN = re.compile(r"\d+")


def key(name: str) -> str:
    """A dependency's name as it is compared: `Next.js` is next, `My_Lib` is my-lib."""
    lowered = re.sub(r"[-_.]+", "-", name.lower())
    return {"nodejs": "node", "golang": "go", "python3": "python"}.get(
        plain := lowered.removesuffix("-js"), plain
    )


def declared(file: str, text: str) -> dict[str, str]:
    """Dependencies by their key, with what is demanded of the version; empty for a file that cannot be read."""
    read = {**MANIFESTS, **LOCKS}.get(file.rpartition("/")[2])
    try:
        return dict(read(text)) if read is not None else {}
    except (ValueError, AttributeError, TypeError, RecursionError):
        return {}


def agrees(version: str, operator: str, demanded: str) -> bool:
    """Whether a version that was told can be the one that is demanded, or locked.

    Versions agree as far as both are told: 18 agrees with ^18.2.0. A demand without a number agrees with all.
    """
    told = _numbers(version)
    clauses = [
        (found.group("op") or "", _numbers(found.group("version"))) for found in _CLAUSE.finditer(demanded)
    ]
    if not clauses or not told:
        return True
    if operator in ("<", "<="):
        below = [bound for op, bound in clauses if op not in ("<", "<=", "!=")]
        return not any(bound > told if operator == "<=" else bound >= told for bound in below)
    if any(_same(told, bound) for op, bound in clauses if op not in ("<", "!=", ">")):
        return True
    above = [bound for op, bound in clauses if op not in ("<", "<=", "!=")]
    if operator in (">=", ">") and above:
        newer = all(bound >= told for bound in above)  # what is demanded now is newer still
        if newer or len(above) == len(clauses):
            return newer
    return all(_holds(told, op, bound) for op, bound in clauses)


def _holds(told: tuple[int, ...], op: str, bound: tuple[int, ...]) -> bool:
    if op in ("", "==", "==="):
        return _same(told, bound)
    if op == "^":
        return told >= bound and told[:1] == bound[:1] and (bound[0] > 0 or told[1:2] == bound[1:2])
    if op in ("~", "~="):
        kept = max(1, len(bound) - 1)
        return told >= bound and told[:kept] == bound[:kept]
    return {
        ">=": told >= bound,
        "<=": told <= bound,
        ">": told > bound,
        "<": told < bound,
        "!=": told != bound,
    }[op]


def _same(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    shared = min(len(first), len(second))
    return first[:shared] == second[:shared]


def _numbers(version: str) -> tuple[int, ...]:
    parts = []
    for part in version.split("."):
        if not _PLAIN.fullmatch(part):
            break
        parts.append(int(part))
    return tuple(parts)


def _requirements(text: str) -> Iterator[tuple[str, str]]:
    for line in text.split("\n"):
        if not line.lstrip().startswith(("#", "-")):
            yield from _requirement(line)


def _requirement(line: object) -> Iterator[tuple[str, str]]:
    if isinstance(line, str) and (found := _REQUIREMENT.match(line)):
        yield key(found.group("name")), (found.group("spec") or "").strip()


def _pyproject(text: str) -> Iterator[tuple[str, str]]:
    data = _toml(text)
    project = data.get("project", {})
    lists = [project.get("dependencies", []), *project.get("optional-dependencies", {}).values()]
    lists += [*data.get("dependency-groups", {}).values()]
    for lines in lists:
        for line in lines:
            yield from _requirement(line)
    if isinstance(project.get("requires-python"), str):
        yield "python", project["requires-python"]
    poetry = data.get("tool", {}).get("poetry", {})
    groups = [group.get("dependencies", {}) for group in poetry.get("group", {}).values()]
    for table in (poetry.get("dependencies", {}), *groups):
        yield from _table(table)


def _cargo(text: str) -> Iterator[tuple[str, str]]:
    data = _toml(text)
    workspace = data.get("workspace", {})
    for table in ("dependencies", "dev-dependencies", "build-dependencies"):
        yield from _table(data.get(table, {}))
        yield from _table(workspace.get(table, {}))
    rust = data.get("package", {}).get("rust-version")
    if isinstance(rust, str):
        yield "rust", f">={rust}"


def _toml(text: str) -> Mapping[str, Any]:
    import tomllib

    return tomllib.loads(text)


def _table(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, demanded in table.items():
        version = demanded.get("version", "") if isinstance(demanded, dict) else demanded
        if isinstance(version, str):
            # A bare number means "compatible with" in these files.
            yield key(name), f"^{version}" if version[:1].isdigit() else version


def _package_json(text: str) -> Iterator[tuple[str, str]]:
    data = json.loads(text)
    for table in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "engines"):
        for name, version in data.get(table, {}).items():
            if isinstance(version, str):
                yield key(name), version


def _go_mod(text: str) -> Iterator[tuple[str, str]]:
    for found in _GO.finditer(text):
        name = re.sub(r"/v\d+$", "", found.group("name"))
        yield key(name), found.group("version")
        yield key(name.rpartition("/")[2]), found.group("version")
    if itself := _GO_ITSELF.search(text):
        yield "go", f">={itself.group('version')}"


def _npm_lock(text: str) -> Iterator[tuple[str, str]]:
    for place, about in json.loads(text).get("packages", {}).items():
        if place.startswith("node_modules/") and "node_modules/" not in place[13:]:
            yield key(place[13:]), str(about.get("version", ""))


def _toml_lock(text: str) -> Iterator[tuple[str, str]]:
    for found in _LOCKED.finditer(text):
        yield key(found.group("name")), found.group("version")


def _any_of(pattern: re.Pattern[str], text: str) -> dict[str, str]:
    """A lock file that may hold several versions of one package: any of them."""
    versions: dict[str, dict[str, None]] = {}
    for found in pattern.finditer(text):
        versions.setdefault(key(found.group("name")), {})[found.group("version")] = None
    return {name: " || ".join(several) for name, several in versions.items()}


def _yarn_lock(text: str) -> Iterator[tuple[str, str]]:
    yield from _any_of(_YARN, text).items()


def _pnpm_lock(text: str) -> Iterator[tuple[str, str]]:
    yield from _any_of(_PNPM, text).items()


Reader = Callable[[str], Iterator[tuple[str, str]]]
# A file by its name, and what reads it; no other name is read.
MANIFESTS: dict[str, Reader] = {
    "pyproject.toml": _pyproject,
    "requirements.txt": _requirements,
    "requirements-dev.txt": _requirements,
    "requirements.in": _requirements,
    "package.json": _package_json,
    "Cargo.toml": _cargo,
    "go.mod": _go_mod,
}
LOCKS: dict[str, Reader] = {
    "uv.lock": _toml_lock,
    "poetry.lock": _toml_lock,
    "Cargo.lock": _toml_lock,
    "package-lock.json": _npm_lock,
    "yarn.lock": _yarn_lock,
    "pnpm-lock.yaml": _pnpm_lock,
}
