"""JSON, with comments where the client allows them: one value set or taken out, every other character kept.

Comments and trailing commas are blanked out, character by character, so that the standard parser reads the rest
and its positions are those of the original.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from recall.errors import Unreadable
from recall.setup.nesting import nested

# What has no end takes what is left of its line, or of the text, and stays for the parser to refuse: nothing is read
# twice, whatever the text is.
_STRING = r'"(?:[^"\\\n]++|\\.)*+"?'
_COMMENTS = re.compile(rf"{_STRING}|(?P<blank>//[^\n]*|/\*[\s\S]*?\*/)|/\*[\s\S]*")
_COMMAS = re.compile(rf"{_STRING}|(?P<blank>,)(?=\s*[}}\]])")
_NO_LINE_END = re.compile(r"[^\r\n]")
_SPACE = re.compile(r"[ \t\r\n]*")
_LINE_START = re.compile(r"[ \t]*")
_REST_OF_LINE = re.compile(r"(?:[ \t]*/\*[^\r\n]*?\*/)*(?:[ \t]*//[^\r\n]*)?")


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a file may hold besides JSON."""

    comments: bool = False
    commas: bool = False
    limit: int = 16 << 20  # bytes; Claude Code keeps its history of prompts in the same file

    def parse(self, text: str) -> Any:
        """The value of a text; one with nothing in it, or comments alone, is an empty object. Raises Unreadable."""
        page = self._page(text, "")
        return {} if page.blank else _parsed(page.plain)

    def put(self, text: str, path: Sequence[str], value: Any) -> Iterator[str]:
        """The text with a value set at a path of keys. Raises Unreadable."""
        newline = "\r\n" if "\r\n" in text else "\n"
        page = self._page(text, newline)
        if page.blank:
            new = json.dumps(nested(path, value), indent=2, ensure_ascii=False).replace("\n", newline)
            comments = text.rstrip() + newline if text.strip() else ""
            yield comments + new + newline
            return
        _parsed(page.plain)
        yield page.put(_end(_SPACE, page.plain, 0), path, value)

    def without(self, text: str, path: Sequence[str]) -> Iterator[str]:
        """The text without the member at a path, which must be there. Raises Unreadable."""
        page = self._page(text, "")
        _parsed(page.plain)
        yield page.without(_end(_SPACE, page.plain, 0), path)

    def _page(self, text: str, newline: str) -> _Page:
        uncommented = _blanked(_COMMENTS, text) if self.comments else text
        plain = _blanked(_COMMAS, uncommented) if self.commas else uncommented
        return _Page(text, uncommented, plain, newline)


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    def blank(found: re.Match[str]) -> str:
        comment: str | None = found["blank"]
        if comment is None:
            return found[0]
        return (
            " " * len(comment)
            if "\n" not in comment and "\r" not in comment
            else _NO_LINE_END.sub(" ", comment)
        )

    return pattern.sub(blank, text)


def _parsed(plain: str) -> Any:
    try:
        return json.loads(plain, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise Unreadable(f"line {error.lineno}, column {error.colno}: {error.msg.lower()}") from None
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except ValueError as error:  # a constant, or a number of thousands of digits
        raise Unreadable(str(error)) from None


def _refuse_constant(name: str) -> Any:
    raise Unreadable(f"{name} is not JSON")


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    """Where a pattern that matches anywhere ends."""
    found = pattern.match(text, position)
    return found.end() if found else position


@dataclass(frozen=True, slots=True)
class _Member:
    key: str
    start: int  # of the key
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class _Page:
    """A text that parses: as it is, without its comments, and without trailing commas too."""

    text: str
    uncommented: str
    plain: str
    newline: str

    @property
    def blank(self) -> bool:
        """Whether there is nothing in it but comments."""
        return not self.plain.strip(" \t\r\n")

    def put(self, start: int, path: Sequence[str], value: Any) -> str:
        """Set a value below the value that starts here."""
        if not path:
            end = self._end_of_value(start)
            return self._with(start, end, self._written(value, self._indent(start)))
        if self.plain[start] != "{":
            raise Unreadable(
                f"line {self.text.count(chr(10), 0, start) + 1}: {path[0]} belongs into an object here"
            )
        members = list(self._members(start))
        found = self._index(members, path[0])
        if found is not None:
            return self.put(members[found].value, path[1:], value)
        return self._inserted(start, members, path[0], nested(path[1:], value))

    def without(self, start: int, path: Sequence[str]) -> str:
        """Take a member out, below the object that starts here."""
        members = list(self._members(start))
        found = self._index(members, path[0])
        assert found is not None
        if len(path) > 1:
            return self.without(members[found].value, path[1:])
        return self._taken_out(members, found, self._end_of_value(start) - 1)

    def _index(self, members: Sequence[_Member], key: str) -> int | None:
        same = [number for number, member in enumerate(members) if member.key == key]
        if len(same) > 1:
            raise Unreadable(f"{key} stands there twice")
        return same[0] if same else None

    def _members(self, start: int) -> Iterator[_Member]:
        position = self._skip(start + 1)
        while self.plain[position] == '"':
            key, end = json.JSONDecoder().raw_decode(self.plain, position)
            value = self._skip(self._skip(end) + 1)  # over the colon
            yield _Member(key, position, value, after := self._end_of_value(value))
            position = self._skip(after)
            position = self._skip(position + 1) if self.plain[position] == "," else position

    def _skip(self, position: int) -> int:
        return _end(_SPACE, self.plain, position)

    def _end_of_value(self, start: int) -> int:
        return json.JSONDecoder().raw_decode(self.plain, start)[1]

    def _inserted(self, start: int, members: Sequence[_Member], key: str, value: Any) -> str:
        close = self._end_of_value(start) - 1
        name = json.dumps(key, ensure_ascii=False)
        if members and "\n" not in self.text[start : members[0].start]:
            compact = json.dumps(value, ensure_ascii=False)
            return self._after(members[-1].end, close, f" {name}: {compact}")
        indent = self._indent(members[0].start) if members else self._indent(start) + self._unit()
        member = f"{self.newline}{indent}{name}: {self._written(value, indent)}"
        if members:
            return self._after(members[-1].end, close, member)
        content = _end(_REST_OF_LINE, self.text, start + 1)
        if not self.text[content:close].strip(" \t\r\n"):
            content = start + 1 if not self.text[start + 1 : content].strip() else content
            return self._with(content, close, f"{member}{self.newline}{self._indent(start)}")
        return self._with(content, content, member)

    def _after(self, end: int, close: int, member: str) -> str:
        """Behind the last member, its comma and its comment; the comma style stays as it is."""
        comma = self.uncommented.find(",", end, close)  # a trailing one
        at = end if comma < 0 else comma + 1
        if "\n" in member:
            at = min(_end(_REST_OF_LINE, self.text, at), close)
        if comma < 0:
            return f"{self.text[:end]},{self.text[end:at]}{member}{self.text[at:]}"
        return f"{self.text[:at]}{member},{self.text[at:]}"

    def _taken_out(self, members: Sequence[_Member], index: int, close: int) -> str:
        """Without a member and the comma that is too many then; a line of its own goes too."""
        start, end = members[index].start, members[index].end
        last = index + 1 == len(members)
        comma = self.uncommented.find(",", end, close if last else members[index + 1].start)
        if comma < 0 and index:
            comma = self.uncommented.rfind(",", members[index - 1].end, start)
        elif comma >= 0 and not self.text[end:comma].strip():
            comma, end = -1, comma + 1
        line = self.text.rfind("\n", 0, start)
        rest = _end(_LINE_START, self.text, end)
        if line >= 0 and not self.text[line:start].strip() and self.text[rest] in "\r\n":
            start, end = line - (self.text[line - 1] == "\r"), rest
        elif not last:
            end = rest
        elif index:
            start = len(self.text[:start].rstrip(" \t"))
        text = self._with(start, end, "")
        if comma < 0:
            return text
        at = comma if comma < start else comma - (end - start)
        return text[:at] + text[at + 1 :]

    def _unit(self) -> str:
        """The file's step of indentation: that of its first indented member."""
        found = re.search(r'\n([ \t]+)"', self.plain)
        return found[1] if found else "  "

    def _indent(self, position: int) -> str:
        line = self.text.rfind("\n", 0, position) + 1
        return self.text[line : _end(_LINE_START, self.text, line)]

    def _written(self, value: Any, indent: str) -> str:
        lines = json.dumps(value, indent=self._unit(), ensure_ascii=False).split("\n")
        return f"{self.newline}{indent}".join(lines)

    def _with(self, start: int, end: int, replacement: str) -> str:
        return self.text[:start] + replacement + self.text[end:]
