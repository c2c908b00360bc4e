"""What a markdown note is about, and whether it says anything at all."""

from __future__ import annotations

import re
import unicodedata

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_MARKUP = re.compile(r"[\s#>*_`|\-=+:.~\[\]()]+")
# What template texts put where the content would be: "[Describe ...]", "(변경사항 1)", "<name>", "TODO", "...".
_PLACEHOLDER = re.compile(
    r"\[[^\]\n]{0,200}\](?!\()"
    r"|\([^()\n]{0,60}\)"
    r"|<[^<>\n]{1,80}>"
    r"|\{\{[^{}\n]{0,80}\}\}"
    r"|\b(?:TODO|TBD|FIXME|N/?A|placeholder|lorem ipsum)\b"
    r"|\d{4}-\d{2}-\d{2}|YYYY-MM-DD",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])?[ \t]*(?:\*\*)?[^\n:]{1,40}:(?:\*\*)?[ \t]*$", re.MULTILINE)


def first_heading(text: str) -> str:
    """The first markdown heading outside a code fence, or ""."""
    for match in _HEADING.finditer(text[:20_000]):
        if text.count("```", 0, match.start()) % 2 == 0:
            return match.group(1).strip()
    return ""


def title_from_name(name: str) -> str:
    """A file name as a title: without folders and extension, NFC."""
    stem = name.rsplit("/", 1)[-1]
    return unicodedata.normalize("NFC", stem.rsplit(".", 1)[0] if "." in stem[1:] else stem)


def is_blank(text: str) -> bool:
    """Whether a note has no word in it: white space, comments and markup only."""
    return not _MARKUP.sub("", _COMMENT.sub("", text))


def is_template(text: str) -> bool:
    """Whether a note has headings and placeholders, and nothing a person filled in."""
    bare = _COMMENT.sub("", text)
    bare = _HEADING.sub("", bare)
    bare = _PLACEHOLDER.sub("", bare)
    bare = _LABEL.sub("", bare)
    return not _MARKUP.sub("", bare)
