"""Which values behind a label are secrets: "password = hunter2" is one, "비밀번호는 bcrypt로 해시한다" is not.

Names of things, references to the environment, placeholders, code, dates and prose are no secrets. A password may
be short and simple when it stands behind its label; a token must look like one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_JUDGED = 100  # characters of a value that tell whether it is a secret


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret stands in a text, as character offsets, and what it seems to be."""

    kind: str
    start: int
    end: int


# Label (lower case) -> kind. Each is looked for as plain text, which is ten times as fast as one pattern.
_LABELS = {
    "passw": "password",  # password, passwd, passwort
    "passphrase": "password",
    "pw": "password",  # PW, pwd
    "비밀번호": "password",
    "비번": "password",
    "패스워드": "password",
    "암호": "password",
    "secret": "secret",
    "token": "secret",
    "credential": "secret",
    "auth": "secret",
    "key": "secret",
    "토큰": "secret",
    "시크릿": "secret",
    "키": "secret",
}
# "key" alone is anything: a primary key, a cache key.
_KEY_OWNER = re.compile(
    r"(?:api|access|auth|private|encryption|signing|account|service|master|secret|인증|비밀|접근|액세스|암호화|시크릿)"
    r"[-_ ]?\Z"
)
_TAIL = (
    r"(?P<tail>(?:ord|d|ort|orization|s|value|text|string|key|base|prod|dev|test|\d{1,3}){0,2}"
    r"(?:[_.-][a-z0-9]{1,16}){0,4})"
)
_BEHIND = re.compile(
    rf"{_TAIL}(?:\\?[\"'`*_]){{0,3}}(?: ?\([^()\n]{{0,20}}\))?[*_]{{0,2}}[ \t]{{0,3}}"
    # A type may stand between name and value: `token: str = "..."`.
    r"(?:(?::[ \t]{0,3}[a-z_][a-z_.|<> \[\]]{0,40}=|:=|=>|={1,3}|[:：|])[*_]{0,2}\s{0,3}"
    r"|(?P<said> is |(?:은|는|이|가|을|를) ?)|(?P<blank> {1,3}))"
)
# Last words of labels that tell about a secret, or point to one.
_ABOUT = re.compile(
    r"[_.-](?:name|path|file|dir|ids?|type|ur[il]|arn|ref|policy|len(?:gth)?|ttl|expir(?:y|es|ation)|field|label|hint"
    r"|count|limit|manager|provider|store|rotation|min|max|version|alg(?:orithm)?|format|endpoint|host|class|env)\Z"
)

# A word without quotes. A comma, semicolon or ampersand ends it when another name or a blank follows.
_WORD = re.compile(r"""(?:[!#-%(-+.-9:=?-Z\[-_a-z{}~/\\-]|[,;&](?![\s"'`<>]|[\w.-]{1,30}[=:]|$)){1,100}+""")
_REST = re.compile(r"""(?:[!#-%(-+.-9:<-_a-z{-~/\\-]|[,;&](?![\s"'`]|[\w.-]{1,30}[=:]|$))*+""")
_QUOTED = {quote: re.compile(rf"{quote}((?:[^{quote}\\\n]|\\.)*+){quote}") for quote in "\"'`"} | {
    "\\": re.compile(r'\\"((?:[^"\\\n]|\\[^"\n])*+)\\"')
}

_PLACEHOLDER = re.compile(
    # Brackets, references to variables, files and vaults, rows of dots, stars or dashes.
    r"[<\[{(…]|\$(?:\(|\{|\w+[.,;:)\]}]*$)|%(?:\w+%|\(\w+\)s|s)$|@\w+@$|\*{2}|\.{2}|-+$|x{3,}|[a-z][a-z+.-]*://|!\w+$"
    r"|[~.]{0,2}/[\w.-]*/[\w./-]*$|\./|op://|arn:|vault:|env[:.(]|file:|process\.env"
    # Words that stand for a secret or describe one.
    r"|(?:(?:my|the|some|an?)[-_ ]|your|change|replace|insert|enter)[a-z _-]*\W{0,9}$"
    r"|(?:todo|tbd|none|null|nil|true|false|undefined|redacted|masked|hidden|examples?|dummy|placeholder|samples?"
    r"|password\d?|passwd|pass|pwd?|user|secret|token|string|str|bytes|text|required|optional|empty|invalid|wrong"
    r"|unset|default|bearer|basic|oauth|access|refresh|varchar|비밀번호|암호|토큰)\W{0,9}$",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[A-Za-z_$][\w$]*(?:\.[\w$]+)*[(\[]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){1,6}$|\S+@[\w-]+\.[\w.]+$"
)
_DATE_OR_VERSION = re.compile(r"\d{4}-\d\d(?:-\d\d.*)?$|v?\d++(?:\.\d++)++[-\w.]*+$")
# Words of the trade that mix letters and digits: alone, or at the head of a type's name (Uint8Array).
_TRADE = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:[a-z]{1,2}\d{1,3}|ed25519|x25519)(?![A-Za-z0-9])"
    r"|(?:sha|aes|rsa|utf|base|uint|int|float|http|oauth|argon|bcrypt|pbkdf|scrypt|uuid|ipv|python|node)\d{1,4})",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")
_MARK = re.compile(r"[!@#$%^&*+~?]")  # what passwords have and names have not
_DIGIT_OR_MARK = re.compile(rf"\d|{_MARK.pattern}")
_BLANK = re.compile(r"\s")


def labelled(text: str, lowered: str) -> Iterator[Secret]:
    """The secrets that stand behind a label; `lowered` is the text in lower case, of the same length."""
    for label, kind in _LABELS.items():
        position = lowered.find(label)
        while position >= 0:
            found = _behind(text, lowered, label, kind, position)
            if found:
                yield found
            position = lowered.find(label, found.end if found else position + len(label))


def is_placeholder(value: str) -> bool:
    """Whether something stands where the secret would be."""
    return _PLACEHOLDER.match(value) is not None


def is_named(value: str) -> bool:
    """A name rather than a secret: all its parts are words or numbers, words of the trade, dates, versions."""
    if _DATE_OR_VERSION.match(value):
        return True
    parts = re.split(r"[-_./:=]", _TRADE.sub("", value))
    return all(not part or part.isalpha() or part.isdigit() for part in parts)


def _behind(text: str, lowered: str, label: str, kind: str, position: int) -> Secret | None:
    """The value behind the label at `position`, if it is a secret."""
    lead = _BEHIND.match(lowered, position + len(label))
    if lead is None or _ABOUT.search(lead["tail"]) or not _is_label(lowered, label, position):
        return None
    start, end, quoted = _value(text, lead.end())
    # Without a sign between: `--password value`, SQL's PASSWORD 'value'.
    if (
        lead["blank"]
        and not (quoted and kind == "password")
        and "--" not in lowered[max(0, position - 16) : position]
    ):
        return None
    value = text[start : min(end, start + _JUDGED)]
    if lead["said"]:
        good = not quoted and _is_strong(value)
    elif kind == "password":
        good = _is_quoted_password(value) if quoted else _is_password(value, text[end : end + 1])
    else:
        good = _is_token(value, quoted)
    if not good or "[masked:" in value or is_placeholder(value):
        return None
    return Secret(kind, start, end if quoted else _end_of_word(text, start, end))


def _is_label(lowered: str, label: str, position: int) -> bool:
    before = lowered[max(0, position - 16) : position]
    if label == "pw":
        return not before[-1:].isalpha()
    return label not in ("key", "키") or _KEY_OWNER.search(before) is not None


def _value(text: str, start: int) -> tuple[int, int, bool]:
    """Offsets of the value that begins here, without its quotes, and whether it had some."""
    pattern = _QUOTED.get(text[start : start + 1])
    match = pattern.match(text, start) if pattern else None
    if match:
        return match.start(1), match.end(1), True
    word = _WORD.match(text, start + 1 if pattern else start)
    return (word.start(), word.end(), False) if word else (start, start, False)


def _end_of_word(text: str, start: int, end: int) -> int:
    """Where a secret without quotes ends: it was judged by its beginning only."""
    rest = _REST.match(text, end)
    word = text[start : rest.end() if rest else end]
    return start + len(word.rstrip(".,;:)]}|>*"))


def _is_quoted_password(value: str) -> bool:
    """Someone put it in quotes: anything but a sentence or a word of another script, as forms have."""
    return (
        len(value) >= 4 and not _BLANK.search(value) and (value.isascii() or _DIGIT.search(value) is not None)
    )


def _is_password(value: str, following: str = "") -> bool:
    core = value.rstrip(".,;:)")
    if core.isdigit():
        is_year = len(core) == 4 and core[:2] in ("19", "20")
        return len(core) >= 4 and not is_year and not following.isalpha()
    if len(core) < 6 or not _LETTER.search(core) or not _DIGIT_OR_MARK.search(core):
        return False
    return not (core.rstrip("!?").isalpha() or _CODE.match(core) or is_named(core))


def _is_token(value: str, quoted: bool) -> bool:
    core = value.rstrip(".,;:!?)")
    if len(core) < 8 or not _DIGIT.search(core) or not _LETTER.search(core) or _BLANK.search(core):
        return False
    if "example" in core.lower() or is_named(core) or (not quoted and _CODE.match(core)):
        return False
    return quoted or len(core) >= 16 or _changes(core) >= 2


def _is_strong(value: str) -> bool:
    """What stands in running text has to look like nothing else."""
    if len(value) < 8 or not _is_password(value):
        return False
    return _changes(value) >= 2 or _MARK.search(value) is not None


def _changes(value: str) -> int:
    """How often letters and digits take turns."""
    return len(re.findall(r"(?<=[A-Za-z])\d|(?<=\d)[A-Za-z]", value))
