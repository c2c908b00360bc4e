"""Paths in a text: told from prose, addresses and commands, and spelled as a repository spells them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_SUFFIXES = frozenset(
    "py pyi js jsx ts tsx mjs cjs vue svelte astro go rs java kt kts rb erb php c h cc cpp hpp cs swift scala ex exs "
    "clj lua dart r jl sh bash zsh fish ps1 bat sql md mdx rst txt adoc toml yaml yml json jsonc ini cfg conf env lock "
    "xml html css scss sass less tf tfvars proto graphql gql gradle properties ipynb csv tsv hcl prisma j2 tmpl".split()
)
_NAMED_FILES = (
    "Dockerfile|Makefile|Jenkinsfile|Procfile|Gemfile|Rakefile|Vagrantfile|Justfile|CODEOWNERS|LICENSE"
)
# What a path may be made of; Hangul is, so that particles that are glued to it have to be cut off afterwards.
_PART = r"[\w@+\-][\w.@+\-]*|\.[\w\-][\w.\-]*"
_PLACE = r"(?P<place>:\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)?"
_BARE = re.compile(
    rf"(?<![\w/\\.@:~$%*{{}}<>=+-])(?P<path>(?:\./)?(?:(?:{_PART})[/\\])*"
    rf"(?:(?:[\w@+\-.]*\.(?P<suffix>[A-Za-z][A-Za-z0-9]{{0,9}})|{_NAMED_FILES})(?![A-Za-z0-9_/\\*-]|\.\w)|"
    rf"(?:{_PART})/(?![\w*{{<\[])|"
    rf"(?<=[/\\])[\w@+\-]+(?![\w/\\.*{{<\[]))){_PLACE}",
)
_SUFFIX = re.compile(r"\.(?P<suffix>[A-Za-z][A-Za-z0-9]*)(?![A-Za-z0-9_])")
_NAMED = re.compile(rf"(?:^|/)(?:{_NAMED_FILES})$")
_PATH = re.compile(r"(?:\./)?[\w@+\-.][\w@+\-. ]*(?:/[\w@+\-.][\w@+\-. ]*)*/?")
_GLOB = re.compile(r"[*?{}<>|$%]|\[|\]")
_ABSOLUTE = re.compile(r"^(?:/|~|[A-Za-z]:[/\\]|\\\\)")


class Path(NamedTuple):
    """A path below the project's top."""

    spellings: tuple[str, ...]  # any of them may be meant
    weak: bool  # it may well be prose


def bare(text: str, roots: Sequence[str]) -> Iterator[tuple[int, Path]]:
    """Paths that stand in a text without code marks, and where."""
    for found in _BARE.finditer(text):
        if (suffix := found.group("suffix")) and suffix not in _SUFFIXES:
            continue
        path = read(found.group("path"), roots, marked=False)
        if path is not None:
            yield found.start(), path


def looks_like_one(code: str) -> bool:
    """Whether what stands between code marks is a path, rather than a command or a name."""
    if _GLOB.search(code) or re.search(r"\s[-=|&]|\s{2}|[(),;=\"']", code):
        return False
    plain = re.sub(r"(:\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$", "", code)
    if " " in plain and not ("/" in plain and with_suffix(plain) and plain.count(" ") < 3):
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
    return "/" in plain or "\\" in plain or bool(with_suffix(plain)) or bool(_NAMED.search(plain))


def read(written: str, roots: Sequence[str], *, marked: bool) -> Path | None:
    """A path as the repository would spell it; None for what is none inside the project.

    marked: whether it stands between code marks.
    """
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
    suffixed = with_suffix(path)
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
    return Path(tuple(dict.fromkeys(spellings)), weak)


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


def with_suffix(path: str) -> str:
    """The path up to its known suffix, behind which a particle may stand; "" if it has none.

    Of several the last one counts (`.env.local.py`), unless it stands behind a particle.
    """
    known = ""
    for found in _SUFFIX.finditer(path):
        if known and not path[len(known) : found.end()].isascii():
            break
        if found.group("suffix").lower() in _SUFFIXES:
            known = path[: found.end()]
    return known
