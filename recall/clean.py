"""Remembered text made safe to index and to show: memory is data, never an instruction.

What cannot be seen is taken out (control characters, terminal sequences, direction controls, invisible
characters), what imitates the client's own framing is made visibly foreign, secrets are masked. The order
matters: a tag or a token may be hidden between invisible characters or in a decomposed spelling, so those go
first. Everything here is pure, linear in the text, and doing it twice changes nothing.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from recall import secrets
from recall.orders import is_instruction_like

__all__ = ["Cleaned", "clean", "is_instruction_like", "one_line", "printable"]


_WORD = 16  # characters; a shorter word of letters and digits can be nothing but itself


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text that is safe to index and to show, and what had to be done to it."""

    text: str
    masked: int = 0  # secrets
    instruction_like: bool = False
    hidden: int = 0  # characters taken out that nobody would have seen


def clean(text: str) -> Cleaned:
    """The text as it may reach index and screen; never raises."""
    if len(text) < _WORD and text.isascii() and text.isalnum():
        return Cleaned(text)
    visible, hidden = _visible(text)
    masked_text, masked = secrets.mask(visible)
    safe = defused(masked_text)
    return Cleaned(safe, masked, is_instruction_like(safe), hidden)


# --- what cannot be seen ------------------------------------------------------------------------------------

# ECMA-48 sequences, in seven or eight bits. An unfinished string loses only its introducer: the text behind it
# may be all there is of a note.
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])(?:[^\x00-\x1f\x7f-\x9f]*+(?:\x07|\x1b\\|\x9c))?"
    r"|\x1b[ -/]*+[0-~]?"
    r"|[\x00-\x08\x0e-\x1f\x7f-\x9f]"
)
_LINE_END = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
# Ordinary in right-to-left text; a byte-order mark is ordinary at the start. Neither counts as hidden.
_DIRECTION_MARK = re.compile("[\u061c\u200e\u200f]")

# Unicode's Emoji property without the keycap bases, and letters of scripts that are spelled with joiners:
# Arabic to Sinhala, Myanmar, Khmer, Mongolian.
_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa"
    "\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030"
    "\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_JOINED = (
    "\u0600-\u061b\u061d-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1820-\u18aa\ufb50-\ufdcf\ufdf0-\ufdff"
    "\ufe70-\ufefc"
)
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
# The flags of England, Scotland and Wales are the only sequences of tag characters in general use; any other may
# spell an order that only a machine reads.
_TAG_FLAG = "|".join(
    "".join(chr(0xE0000 + ord(letter)) for letter in region) for region in ("gbeng", "gbsct", "gbwls")
)
_HIDDEN = re.compile(
    f"(\U0001f3f4(?:{_TAG_FLAG})\U000e007f)"
    f"|[{_INVISIBLE}\U000e0000-\U000e0fff]"
    f"|[\ufe0e\ufe0f](?<![{_EMOJI}][\ufe0e\ufe0f])(?!(?<=[0-9#*].)\u20e3)"
    f"|\u200d(?!(?<=[{_JOINED}].)[{_JOINED}])(?:(?<![{_EMOJI}].)(?<![{_EMOJI}]\ufe0f.)|(?![{_EMOJI}]))"
    f"|\u200c(?!(?<=[{_JOINED}].)[{_JOINED}])"
)
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200c-\u200f\u2028\u2029\ufe0e\ufe0f\ud800-\udfff\U000e0000-\U000e0fff"
    f"{_INVISIBLE}]"
)


def _visible(text: str) -> tuple[str, int]:
    """The text without what cannot be seen, composed (NFC), and how many characters were taken out."""
    if text.isascii():
        if text.replace("\n", "").replace("\t", "").isprintable():
            return text, 0
    elif not _SUSPECT.search(text):
        return unicodedata.normalize("NFC", text), 0
    # Two halves of a character become one; a lone half becomes a replacement character.
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = _DIRECTION_MARK.sub("", _LINE_END.sub("\n", text.removeprefix("\ufeff")))
    shown = _HIDDEN.sub(r"\1", _ESCAPE.sub("", text))
    return unicodedata.normalize("NFC", shown), len(text) - len(shown)


# --- what imitates the client's framing ---------------------------------------------------------------------

# Tags in which clients wrap what they tell the model; any spelling of the joint, any case.
_HOST_TAGS = (
    "system[-_ ]?reminders?",  # Claude Code
    "[a-z]+(?:[-_][a-z]+){0,4}[-_]hook",
    "local[-_]command[-_](?:stdout|stderr|caveat)",
    "command[-_](?:name|message|args|contents)",
    "task[-_]notification",
    "persisted[-_]output",
    "function[-_]?(?:calls?|results?)",
    "tool[-_]?(?:calls?|use|results?|response|outputs?)",
    "antml:[a-z_]+",
    "ant[-_]?thinking",
    "(?:un)?trusted[-_](?:context|content|data|input|tool[-_]output)",  # Gemini CLI, Codex
    "(?:hook|session|environment|loaded|extension)[-_]context",
    "(?:user|system|developer|custom|project|important)[-_](?:instructions?|prompt|message)",
    "(?:start|end)[-_]of[-_]turn",
    "recall(?:ed)?[-_](?:memory|memories|context)",
)
# Single words are ordinary in generics and mark-up, so they count in one case only, or only as the closing half.
_WORD_TAGS = "system|assistant|human|instructions|invoke|thinking|SYSTEM|ASSISTANT|HUMAN|INSTRUCTIONS"
_CLOSING_TAGS = "context|memory|memories|user|prompt|documents?"
_FRAMING = re.compile(
    rf"<\s{{0,4}}/?\s{{0,4}}(?:(?i:{'|'.join(_HOST_TAGS)})|{_WORD_TAGS}|(?<=/)(?i:{_CLOSING_TAGS}))(?![\w.:])"
    r"[^<>]{0,200}+>?"
    r"|<[|｜][\w ./▁-]{1,40}[|｜]>"  # <|im_start|>
    r"|<</?SYS>>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]"
)
_FOREIGN = str.maketrans("<>[]", "‹›‹›")
# A speaker's name at the start of a line begins a new turn in plain-text transcripts.
_ROLE = re.compile(
    r"^([#>*_ \t]{0,8})(Human|Assistant|System|User|HUMAN|ASSISTANT|SYSTEM|USER)(?=[*_]{0,2}[ \t]{0,4}[:：])",
    re.MULTILINE,
)


def defused(text: str) -> str:
    """The text with imitated frames made visibly foreign: `‹system-reminder›`, `‹Human›:`."""
    if "<" in text or "[" in text:
        text = _FRAMING.sub(lambda frame: frame[0].translate(_FOREIGN), text)
    return _ROLE.sub(r"\1‹\2›", text)


# --- shaping for the screen ---------------------------------------------------------------------------------


def one_line(text: str, width: int) -> str:
    """The text on one line of at most `width` terminal columns, cut with "…"."""
    line = " ".join(text.split())
    if len(line) <= width // 2:  # no character is wider than two columns
        return line
    used = 0
    fits = 0  # how many characters leave room for the mark
    for position, character in enumerate(line):
        used += _columns(character)
        if used > width:
            return line[:fits].rstrip(" \u200d") + "…" if width > 0 else ""
        if used <= width - 1:
            fits = position + 1
    return line


def _columns(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.east_asian_width(character) in "WF":
        return 2
    return 0 if unicodedata.category(character) in ("Mn", "Me", "Cf") else 1


# What a character that the stream cannot hold looks like; the rest is shown by code.
_STAND_INS = {
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("‘’‚′", "'"),
    **dict.fromkeys("“”„″", '"'),
    **dict.fromkeys("‹›", "'"),  # not < >: that would undo what `clean` did
    **dict.fromkeys("•‣◦·∙▪●", "*"),
    **dict.fromkeys("→⇒➜", "->"),
    **dict.fromkeys("←⇐", "<-"),
    **dict.fromkeys("✓✔✅", "v"),
    **dict.fromkeys("✗✘❌", "x"),
    **dict.fromkeys("\ufe0e\ufe0f\u200b\u200c\u200d", ""),
    **dict.fromkeys("\u00a0\u2002\u2003\u2009\u202f\u3000", " "),
    "…": "...",
    "×": "x",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "~",
    "⚠": "(!)",
    "\ufffd": "?",
}


def printable(text: str, encoding: str) -> str:
    """The text for a stream of that encoding (`cp949`, `ascii`): what it cannot hold is replaced, never raised."""
    if _fits(text, encoding):
        return text
    stand_ins = {ord(one): _stand_in(one, encoding) for one in set(text) if not _fits(one, encoding)}
    return text.translate(stand_ins)


def _stand_in(character: str, encoding: str) -> str:
    known = _STAND_INS.get(character)
    if known is not None:
        return known
    if "\ud800" <= character <= "\udfff":
        return "\ufffd" if _fits("\ufffd", encoding) else "?"
    bare = "".join(
        part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part)
    )
    if bare.isalnum() and _fits(bare, encoding):
        return bare
    return character.encode("ascii", "backslashreplace").decode("ascii")


def _fits(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    except (LookupError, ValueError):  # no such encoding
        return text.isascii()
    return True
