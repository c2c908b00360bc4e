"""Comments of source code, by the language of a file. Where it is in doubt, a line is code. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

# A line within a block: prose behind the star, where a product or a pointer has one expression.
_STARRED = re.compile(r"^\s*\*+(?:/?\s*$|/|\s*@|\s.*[A-Za-z]{2},? [A-Za-z]{2})")
_BLOCK = re.compile(r"^\s*/\*.*?(?:\*/|$)")
_MARKUP = re.compile(r"^\s*<!--.*?(?:-->|$)")
_HASH = re.compile(r"^\s*#")
_SLASHES = re.compile(r"^\s*//")
_DASHES = re.compile(r"^\s*--(?:\s|$)")
_ANY = re.compile(
    r"^\s*(?:#(?!\s*(?:define|include|if|ifdef|ifndef|endif|else|pragma)\b|!?\[)\s|//\s|/\*|<!--|--\s)"
)
_QUOTES = ('"', "'", "`")


class _Signs(NamedTuple):
    """How comments are written."""

    whole: tuple[re.Pattern[str], ...]  # what is a comment from the line's beginning on
    trailing: str = ""  # what begins one behind code, between white space


_SIGNS = {
    signs: suffixes.split()
    for signs, suffixes in (
        (
            _Signs((_HASH,), "#"),
            "py pyi rb erb sh bash zsh fish yaml yml toml r jl ex exs pl pm cfg conf ini env properties cmake ps1 "
            "graphql gql nix dockerfile makefile procfile gemfile rakefile vagrantfile justfile txt",
        ),
        (
            _Signs((_SLASHES, _BLOCK, _STARRED), "//"),
            "c h cc cpp hpp cs java kt kts js jsx ts tsx mjs cjs go rs swift scala dart groovy gradle jenkinsfile "
            "proto scss less json jsonc prisma zig",
        ),
        (_Signs((_SLASHES, _BLOCK, _STARRED, _MARKUP), "//"), "vue svelte astro"),
        (_Signs((_BLOCK, _STARRED)), "css"),
        (_Signs((_HASH, _SLASHES, _BLOCK, _STARRED), "//"), "php tf tfvars hcl"),
        (_Signs((_DASHES, _BLOCK), "--"), "sql lua hs elm"),
        (_Signs((_MARKUP,)), "html xml svg"),
    )
}
_BY_SUFFIX = {suffix: signs for signs, suffixes in _SIGNS.items() for suffix in suffixes}
_UNKNOWN = _Signs((_ANY,))


def without_comments(line: str, path: str) -> str:
    """A line of a file without what is a comment in its language; "" if nothing is left."""
    signs = _BY_SUFFIX.get(path[max(path.rfind("/"), path.rfind(".")) + 1 :].lower(), _UNKNOWN)
    for whole in signs.whole:
        found = whole.match(line)
        if found is not None:
            ended = whole in (_BLOCK, _MARKUP) and found.group().endswith(("*/", "-->"))
            return line[found.end() :].strip() if ended else ""
    return _cut(line, signs.trailing) if signs.trailing and signs.trailing in line else line


def _cut(line: str, sign: str) -> str:
    """A line up to a sign between white space that is in no string."""
    place = line.find(sign)
    while place >= 0:
        alone = line[place - 1 : place].isspace() and not line[place + len(sign) :][:1].strip()
        if alone and not any(line.count(quote, 0, place) % 2 for quote in _QUOTES):
            return line[:place].rstrip()
        place = line.find(sign, place + 1)
    return line
