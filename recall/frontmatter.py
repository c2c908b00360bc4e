"""Lenient front matter: a broken block loses its structure, never the note.

Values are text, lists of text or nested mappings: a date stays as it was written, `yes` stays `yes`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recall.errors import StoreBroken

_BLOCK_LIMIT = 65_536  # characters; the longest block any of the known tools reads
_DEPTH_LIMIT = 12
_FENCE = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
# Bounded and without two ways to read the same blanks: a hostile line is read once.
_LINE = re.compile(r"([ \t]*+)([^\W\d][\w.-]*+(?: [\w.-]++){0,5})[ \t]*+:(?:[ \t](.*))?$")
_ITEM = re.compile(r"[ \t]*+-[ \t](.*)$")

Value = str | list[Any] | dict[str, Any]


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A note's fields and what follows them."""

    fields: Mapping[str, Value] = field(default_factory=dict)
    body: str = ""
    body_line: int = 1  # 1-based line of the note where the body begins
    problem: str = ""  # "front matter is not valid YAML: read line by line"

    def text(self, *path: str) -> str:
        """The text under a key path ("metadata", "type"), or "" if there is none."""
        value: Any = self.fields
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value.strip() if isinstance(value, str) else ""

    def texts(self, key: str) -> tuple[str, ...]:
        """A key's list of texts; one text with commas counts as a list."""
        value = self.fields.get(key)
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        if isinstance(value, list):
            return tuple(part.strip() for part in value if isinstance(part, str) and part.strip())
        return ()


def parse(text: str) -> FrontMatter:
    """Split a note (\\n line ends, no byte-order mark) into front matter and body. Never raises."""
    head = text[: _BLOCK_LIMIT + 8]
    match = _FENCE.match(head)
    if match is None or match.end() == len(head) < len(text):  # no end, or only the one that the cut made
        return FrontMatter(body=text)
    fields, problem = _fields(match.group(1))
    if fields is None:
        # A note that opens with a rule ("---") and goes on with prose has no front matter.
        return FrontMatter(body=text)
    return FrontMatter(fields, text[match.end() :], text.count("\n", 0, match.end()) + 1, problem)


def _fields(block: str) -> tuple[dict[str, Any] | None, str]:
    """A block's fields and what is wrong with it; no fields if it is prose."""
    if not block.strip():
        return {}, ""
    try:
        fields = load_yaml(block)
    except StoreBroken:
        return _by_lines(block) or None, "front matter is not valid YAML: read line by line"
    return (fields if isinstance(fields, dict) else None), ""


def load_yaml(text: str) -> Any:
    """YAML as texts, lists and mappings with text keys; raises StoreBroken with the line of the mistake."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text, Loader=loader)):
            raise StoreBroken("YAML aliases are not read")
        return _plain(yaml.load(text, Loader=loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" at line {mark.line + 1}" if mark is not None else ""
        raise StoreBroken(f"not valid YAML{place}") from None
    except (ValueError, RecursionError):
        raise StoreBroken("not valid YAML") from None


def load_json(text: str) -> Any:
    """JSON; raises StoreBroken with the line of the mistake."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise StoreBroken(f"not valid JSON at line {error.lineno}") from None
    except (ValueError, RecursionError):
        raise StoreBroken("not valid JSON") from None


def _plain(value: Any, depth: int = 0) -> Any:
    if depth > _DEPTH_LIMIT:
        return ""
    if isinstance(value, dict):
        return {str(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in value]
    return value if isinstance(value, str) else "" if value is None else str(value)


def _by_lines(block: str) -> dict[str, Any]:
    """`key: value` lines; indented lines and `- item` lines belong to the last key that had no value.

    Empty if the block does not begin with such a line: then it is prose between two rules.
    """
    fields: dict[str, Any] = {}
    open_key = ""
    for line in block.split("\n"):
        entry = _LINE.match(line)
        item = None if entry else _ITEM.match(line)
        if item and open_key:
            _under(fields, open_key, list).append(_unquoted(item.group(1)))
        elif entry:
            indent, key, value = entry.groups("")
            if indent and open_key:
                _under(fields, open_key, dict)[key] = _read(value)
                continue
            open_key = "" if value.strip() else key
            fields[key] = _read(value)
        elif not fields and line.strip() and not line.startswith("#"):
            return {}
    return fields


def _under(fields: dict[str, Any], key: str, kind: type[Any]) -> Any:
    """What is collected under a key, begun anew when it turns out to be of another kind."""
    if not isinstance(fields[key], kind):
        fields[key] = kind()
    return fields[key]


def _read(value: str) -> Value:
    value = value.strip()
    if value.startswith("[") and value.endswith("]"):
        return [_unquoted(part) for part in value[1:-1].split(",") if part.strip()]
    return _unquoted(value)


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value
