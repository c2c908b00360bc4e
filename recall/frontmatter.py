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
_LINE = re.compile(r"^([ \t]*)([A-Za-z_][\w .-]*?)[ \t]*:(?:[ \t]+(.*?))?[ \t]*$")

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
    match = _FENCE.match(text[: _BLOCK_LIMIT + 8])
    if match is None:
        return FrontMatter(body=text)
    block = match.group(1)
    body = text[match.end() :]
    body_line = text.count("\n", 0, match.end()) + 1
    try:
        fields = load_yaml(block)
    except StoreBroken:
        return FrontMatter(
            _by_lines(block), body, body_line, "front matter is not valid YAML: read line by line"
        )
    if not isinstance(fields, dict):
        # A note that opens with a rule ("---") and goes on with prose has no front matter.
        return FrontMatter(body=text)
    return FrontMatter(fields, body, body_line)


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
    """`key: value` lines; an indented line belongs to the last key that had no value."""
    fields: dict[str, Any] = {}
    parent: dict[str, Any] | None = None
    for line in block.split("\n"):
        match = _LINE.match(line)
        if match is None:
            continue
        indent, key, value = match.groups()
        if not indent:
            parent = None
        target = parent if indent and parent is not None else fields
        if value is None and not indent:
            parent = {}
            fields[key] = parent
        else:
            target[key] = _unquoted(value or "")
    return {key: value for key, value in fields.items() if value != {}}


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value
