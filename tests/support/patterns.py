"""Finds the patterns of packages, and those of them that take more than linear time on repeated marks.

`python -m support.patterns BOUNDED FOLDER...` prints `{"patterns": 300, "slow": {"module.name": "on which text"}}`.
The process limits its own time, so it is to be run as a child.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
import re._constants as kinds
import re._parser as parser
import resource
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

_SHORT, _MIDDLE, _LONG = 1_500, 5_000, 20_000  # characters
_WORTH_A_LOOK = 0.002  # seconds for the short text: most patterns need less, a quadratic one more
_MUCH = 0.04  # seconds of the processor for the middle one: below it, nobody notices
_MUCH_WITHIN = 1.0  # the same for the longest text that a pattern meets at all: a quadratic one needs a tenth
_TOO_MUCH = 9  # times as much for the long one: four times is linear, 16 times quadratic
_COMMON = (" ", "\n", "a", "1", "_", "`", "- ", "a b ", "# ")
_REPEATS = (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT)
_FEW = 20  # repetitions that are as good as bounded
_ALL = 60  # seconds of the processor for all of it
_AT_START = frozenset(("match", "fullmatch"))
_DEEP = 3  # levels of collections that are looked into


def main(folders: Sequence[Path], bounded: Mapping[str, int]) -> None:
    """Print what was found."""
    resource.setrlimit(resource.RLIMIT_CPU, (_ALL, _ALL))
    found: dict[str, Found] = {}
    for folder in folders:
        for one in _patterns(folder):
            found.setdefault(one.pattern.pattern, one)
    # A part of another pattern is held to what the whole one does with it.
    every = "\n".join(found)
    whole = [one for one in found.values() if every.count(one.pattern.pattern) == 1]
    slow = {}
    for one in whole:
        most = next((most for start, most in bounded.items() if one.where.startswith(start)), 0)
        if text := _slow_within(one, most) if most else _slow(one):
            slow[one.where] = text
    print(json.dumps({"patterns": len(found), "slow": slow}))


class Found(NamedTuple):
    """A pattern of the packages."""

    where: str  # "module.NAME" or "module:line"
    pattern: re.Pattern[str]
    at_start: bool  # it is only asked whether a text begins with it, or is it

    def run(self, text: str) -> None:
        """Use it as its module does."""
        if self.at_start:
            self.pattern.match(text)
            return
        for _found in self.pattern.finditer(text):
            pass


def _slow(pattern: Found) -> str:
    """The text that takes too long, as Python writes it; "" if none does."""
    for front, mark, end in _marks(pattern.pattern):
        short, middle, long = (
            front + mark * (length // len(mark)) + end for length in (_SHORT, _MIDDLE, _LONG)
        )
        if _quick(pattern, short) or _quick(pattern, short):
            continue
        seconds = _seconds(pattern, middle)
        if seconds >= _MUCH and _seconds(pattern, long) > _TOO_MUCH * seconds:
            return repr(f"{front}{mark} …{end}")
    return ""


def _slow_within(pattern: Found, most: int) -> str:
    """The text of at most so many characters that takes too long; "" if none does."""
    for front, mark, end in _marks(pattern.pattern):
        if _seconds(pattern, (front + mark * (most // len(mark)) + end)[-most:]) > _MUCH_WITHIN:
            return repr(f"{front}{mark} …{end}")
    return ""


def _seconds(pattern: Found, text: str) -> float:
    """What the processor needs for a text."""
    begun = time.process_time()
    pattern.run(text)
    return time.process_time() - begun


def _quick(pattern: Found, text: str) -> bool:
    """Whether a pattern is through with a text so soon that nothing more has to be asked; a busy machine may say no."""
    begun = time.perf_counter()
    pattern.run(text)
    return time.perf_counter() - begun < _WORTH_A_LOOK


# -- marks ----------------------------------------------------------------------------------------------------


def _marks(pattern: re.Pattern[str]) -> Iterator[tuple[str, str, str]]:
    """What a text begins with, what is repeated in it, what it ends with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parsed = parser.parse(pattern.pattern, pattern.flags)
    pieces = [piece for last in (False, True) for piece in _pieces(parsed, "", last)]
    marks = (*_COMMON, *(mark for _front, mark in pieces), *(front + mark for front, mark in pieces))
    texts = [*(("", mark, "") for mark in marks), *((front, mark, "!") for front, mark in pieces)]
    yield from (text for text in dict.fromkeys(texts) if text[1])


def _pieces(parsed: Any, front: str, last: bool) -> Iterator[tuple[str, str]]:
    """What can go on without end in a pattern, alone and with the part before it; each behind all that is in front.

    last: of alternatives take the last one, rather than the first.
    """
    before = ""
    for item in parsed:
        sample = _sample(item, last)
        if item[0] in _REPEATS and (item[1][1] > _FEW or _repeats(item[1][2])):
            body = "".join(_sample(one, last) for one in item[1][2])
            yield front, body
            yield front, before + body
        for part in _inside(item):
            yield from _pieces(part, front, last)
        front, before = front + sample, sample


def _repeats(parsed: Any) -> bool:
    """Whether a pattern holds what repeats: a few repetitions of that can be many."""
    return any(item[0] in _REPEATS or any(map(_repeats, _inside(item))) for item in parsed)


def _inside(item: tuple[Any, Any]) -> list[Any]:
    """The patterns within an item."""
    kind, about = item
    if kind in _REPEATS:
        return [about[2]]
    if kind is kinds.SUBPATTERN:
        return [about[3]]
    if kind is kinds.BRANCH:
        return list(about[1])
    return [about] if kind is kinds.ATOMIC_GROUP else []


def _sample(item: tuple[Any, Any], last: bool) -> str:
    """A short text that an item of a parsed pattern matches; "" for what matches no characters."""
    kind, about = item
    if kind is kinds.LITERAL:
        return chr(about)
    if kind is kinds.NOT_LITERAL:
        return "a" if about != ord("a") else "b"
    if kind is kinds.ANY:
        return "a"
    if kind is kinds.IN:
        return _of_class(about)
    inside = _inside(item)
    return "".join(_sample(one, last) for one in inside[-1 if last else 0]) if inside else ""


_CATEGORIES = {
    kinds.CATEGORY_DIGIT: "1",
    kinds.CATEGORY_WORD: "a",
    kinds.CATEGORY_SPACE: " ",
    kinds.CATEGORY_NOT_DIGIT: "a",
    kinds.CATEGORY_NOT_WORD: "-",
    kinds.CATEGORY_NOT_SPACE: "a",
}


def _of_class(members: Sequence[tuple[Any, Any]]) -> str:
    """A character of a class."""
    if members[0][0] is kinds.NEGATE:
        pattern = re.compile("|".join(map(_written, members[1:])), re.DOTALL)
        return next((one for one in 'a1 -."`\n가' if not pattern.match(one)), "")
    kind, about = members[0]
    if kind is kinds.RANGE:
        return chr(about[0])
    return chr(about) if kind is kinds.LITERAL else _CATEGORIES.get(about, "a")


def _written(member: tuple[Any, Any]) -> str:
    kind, about = member
    if kind is kinds.RANGE:
        return f"[{re.escape(chr(about[0]))}-{re.escape(chr(about[1]))}]"
    return re.escape(chr(about)) if kind is kinds.LITERAL else re.escape(_CATEGORIES.get(about, "a"))


# -- patterns -------------------------------------------------------------------------------------------------


def _patterns(folder: Path) -> Iterator[Found]:
    """Patterns of the modules below a folder: compiled, kept as a string, handed to `re`."""
    root = folder if not (folder / "__init__.py").exists() else folder.parent
    for path in sorted(folder.rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        if "__main__" in name or "site-packages" in name:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        anchored = _anchored(tree)
        for key, value in vars(importlib.import_module(name)).items():
            for pattern in _held(value):
                yield Found(f"{name}.{key}", pattern, key in anchored)
        for line, method, text in _handed(tree):
            for pattern in _held(text):
                yield Found(f"{name}:{line}", pattern, method in _AT_START)


def _held(value: object, depth: int = 0) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif isinstance(value, str):
        yield from _compiled(value)
    elif depth < _DEEP and isinstance(value, Mapping | tuple | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _held(one, depth + 1)


def _compiled(text: str) -> Iterator[re.Pattern[str]]:
    """A string that can be a pattern, and has something that repeats."""
    if any(sign in text for sign in ("[", "\\", "(?")) and any(sign in text for sign in "+*{"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield re.compile(text, re.IGNORECASE)
        except (re.error, RecursionError, OverflowError):
            return


def _handed(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Patterns that stand where `re` is called: line, function, pattern."""
    for node, name, method in _called(tree):
        first = node.args[0] if node.args else None
        if name == "re" and isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield node.lineno, method, first.value


def _anchored(tree: ast.AST) -> set[str]:
    """Names of a module of which it is only asked whether a text begins with them, or is one."""
    uses: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            uses.setdefault(node.value.id, set()).add(node.attr)
    for call, name, method in _called(tree):
        if name == "re" and call.args and isinstance(call.args[0], ast.Name):
            uses.setdefault(call.args[0].id, set()).add(method)
    return {name for name, methods in uses.items() if methods <= _AT_START}


def _called(tree: ast.AST) -> Iterator[tuple[ast.Call, str, str]]:
    """Calls of what a name has: the call, the name, the function."""
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            yield node, called.value.id, called.attr


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[2:]], json.loads(sys.argv[1]))
