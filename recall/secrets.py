"""Secrets in text: found by their shape, replaced by what they are; the rest of the line stays readable.

Two families. Tokens that announce themselves (`ghp_`, `AKIA`, a PEM header) are one rule each. Values behind a
label ("password = ...", "비밀번호: ...") are judged: names of things, references to the environment,
placeholders and prose are no secrets. A keyword test per rule keeps text without any of them cheap, and every
pattern either is bounded or consumes what it has read, so that time stays linear in the text.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_JUDGED = 200  # characters of a value that tell whether it is a secret
_SHORTEST = 6  # characters; a shorter text holds no secret together with its label


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret stands in a text, as character offsets, and what it seems to be."""

    kind: str
    start: int
    end: int


def mask(text: str) -> tuple[str, int]:
    """The text with every secret replaced by `[masked: kind]`, and how many there were."""
    found = find(text)
    if not found:
        return text, 0
    parts: list[str] = []
    done = 0
    for secret in found:
        parts += (text[done : secret.start], f"[masked: {secret.kind}]")
        done = secret.end
    parts.append(text[done:])
    return "".join(parts), len(found)


def find(text: str) -> list[Secret]:
    """Every secret in the text, in order, without overlaps."""
    if len(text) < _SHORTEST:
        return []
    lowered = _lowered(text)
    found = [secret for rule in _RULES for secret in _by_rule(rule, text, lowered)]
    found += _labelled(text, lowered)
    return _merged(found) if found else []


def _lowered(text: str) -> str:
    """The text in lower case, every character in its place: İ alone would become two."""
    return text.replace("İ", "I").lower()


def _merged(found: list[Secret]) -> list[Secret]:
    """Overlapping finds as one, named by the find that came first in the order of the rules."""
    order = {secret: number for number, secret in reversed(list(enumerate(found)))}
    merged: list[Secret] = []
    for secret in sorted(order, key=lambda secret: secret.start):
        if merged and secret.start < merged[-1].end:
            last = merged[-1]
            named = min(last, secret, key=lambda item: order.get(item, 0))
            merged[-1] = Secret(named.kind, last.start, max(last.end, secret.end))
            order[merged[-1]] = order.get(named, 0)
        else:
            merged.append(secret)
    return merged


# --- tokens that announce themselves ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: str
    keywords: tuple[str, ...]  # lower case; a text without any of them is not searched
    pattern: re.Pattern[str]  # the secret is the group that took part, else the whole match
    accept: Callable[[str], bool] = bool
    lowered: bool = False  # whether the pattern is meant for the text in lower case


def _by_rule(rule: _Rule, text: str, lowered: str) -> Iterator[Secret]:
    if not any(keyword in lowered for keyword in rule.keywords):
        return
    for match in rule.pattern.finditer(lowered if rule.lowered else text):
        start, end = match.span(match.lastindex or 0)
        if rule.accept(text[start:end]):
            yield Secret(rule.kind, start, end)


def _is_key_material(block: str) -> bool:
    """A block that holds more than its two frame lines, which manuals quote without a key."""
    return re.search(r"[A-Za-z0-9+/]{16}", block) is not None


def _is_no_sample(token: str) -> bool:
    """Vendors' manuals mark their sample keys with this word."""
    return "EXAMPLE" not in token


def _is_mixed(token: str) -> bool:
    """Letters and digits: words joined by hyphens have no digits."""
    return any(map(str.isdigit, token)) and any(map(str.isalpha, token)) and _is_no_sample(token)


def _is_bearer(token: str) -> bool:
    return _is_mixed(token) and not _is_named(token)


def _is_basic(token: str) -> bool:
    """What HTTP calls basic credentials: base64 of `user:password`."""
    try:
        return b":" in base64.b64decode(token + "=" * (-len(token) % 4), validate=True)[1:]
    except (binascii.Error, ValueError):
        return False


def _is_url_password(word: str) -> bool:
    return not _PLACEHOLDER.match(word)


_FRAME = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_PRIVATE_KEY = (
    rf"-----BEGIN {_FRAME}(?:(?:[^-]|-(?!----))*+-----END {_FRAME}"
    # A block that was cut: as many lines of key material as follow.
    r"""|(?:(?:\s|\\[nr]|[>|#*"'+,])*+[A-Za-z0-9+/=]{16,}+)*+)"""
    r"|(?<=Private-Lines: )\d{1,3}\s{1,2}(?:[A-Za-z0-9+/=]{4,}\n?)++"
)

# Prefixes are each vendor's own documented ones. A token may follow a letter: notes quote JSON, in which a line
# end is `\n`.
_RULES = (
    _Rule("private key", ("private key", "private-lines"), re.compile(_PRIVATE_KEY), _is_key_material),
    _Rule(
        "AWS key",
        ("akia", "asia", "abia", "acca"),
        re.compile(r"(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])"),
        _is_no_sample,
    ),
    _Rule(
        "GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        re.compile(r"(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{30,}"),
    ),
    _Rule(
        "GitLab token",
        ("glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "gloas-"),
        re.compile(r"gl(?:pat|dt|rtr?|cbt|ptt|ft|soat|agent|oas)-[A-Za-z0-9_=-]{20,}(?:\.[A-Za-z0-9_]{2,})*"),
    ),
    _Rule(
        "Slack token",
        ("xox", "xapp-", "hooks.slack.com"),
        re.compile(
            r"(?:xox[abeoprsc]|xapp)(?:\.xox[abp])?-[A-Za-z0-9-]{10,}"
            r"|hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_+-]{20,})"
        ),
        _is_mixed,
    ),
    _Rule(
        "API key",  # of model services and Google
        ("sk-", "aiza", "ya29.", "gocspx-", "gsk_", "xai-", "hf_", "pplx-", "r8_"),
        re.compile(
            r"sk-[A-Za-z0-9_-]{20,}|AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_.-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}"
            r"|(?:gsk_|xai-|pplx-|hf_|r8_)[A-Za-z0-9]{30,}"
        ),
        _is_mixed,
    ),
    _Rule("npm token", ("npm_",), re.compile(r"npm_[A-Za-z0-9]{36,}")),
    _Rule("PyPI token", ("pypi-",), re.compile(r"pypi-[A-Za-z0-9_-]{40,}")),
    _Rule(
        "service key",  # payment, mail, hosting and chat services
        ("live_", "test_", "whsec_", "sg.", "dop_v1_", "doo_v1_", "dapi", "hvs.", "shp", "dckr_", "atatt3")
        + (
            "lin_api_",
            "ntn_",
            "secret_",
            "sbp_",
            "figd_",
            "tskey-",
            "key-",
            "age-secret-key-",
            "/webhooks/",
            ":aa",
        ),
        re.compile(
            r"(?:live|test)_(?:g?[sc]k|rk|api)_[A-Za-z0-9]{16,}|(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}"
            r"|whsec_[A-Za-z0-9+/=]{20,}|SG\.[A-Za-z0-9_-]{16,60}\.[A-Za-z0-9_-]{16,}"
            r"|do[opr]_v1_[a-f0-9]{60,}|dapi[a-f0-9]{32,}|hvs\.[A-Za-z0-9_-]{24,}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}"
            r"|dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}|ATATT3[A-Za-z0-9_=-]{50,}|lin_api_[A-Za-z0-9]{32,}"
            r"|(?:ntn_|secret_)[A-Za-z0-9]{40,}|sbp_[a-f0-9]{40,}|figd_[A-Za-z0-9_-]{30,}"
            r"|tskey-[a-z]{3,10}-[A-Za-z0-9-]{16,}|(?<![A-Za-z0-9])key-[a-f0-9]{32}|AGE-SECRET-KEY-1[A-Z0-9]{50,}"
            r"|/webhooks/(\d{15,22}/[A-Za-z0-9_-]{50,})|(?<![A-Za-z0-9])\d{8,10}:AA[A-Za-z0-9_-]{33}"
        ),
        _is_mixed,
    ),
    _Rule(
        "JWT",
        ("eyj",),
        re.compile(
            r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+){1,3}"
        ),
    ),
    _Rule(
        "authorization",
        ("bearer", "authorization"),
        re.compile(
            r"""(?:bearer|authorization["']?\s{0,3}[:=]\s{0,3}["']?[a-z-]{1,20})\s{1,3}([a-z0-9._~+/=-]{16,})"""
        ),
        _is_bearer,
        lowered=True,
    ),
    _Rule(
        "authorization",
        ("basic ",),
        re.compile(r"basic {1,3}([a-z0-9+/]{8,}={0,2})"),
        _is_basic,
        lowered=True,
    ),
    _Rule(
        "password",  # in a URL; a port number and an image digest look alike
        ("://",),
        re.compile(
            r"""://[^\s/:@"'<>`]{0,100}:(?!\d{1,5}(?:[/?#]|\s|$))([^\s/"'<>`@]+(?:@[^\s/"'<>`@:]+)*)"""
            r"@(?!sha256:)[\w\[]"
        ),
        _is_url_password,
    ),
    _Rule(
        "password",  # curl -u user:password
        ("curl ",),
        re.compile(
            r"""curl\b[^\n]{0,200}?\s(?:-u|--user)[ =]?["']?[^\s:"']{1,60}:(?!\d{1,5}\b)([^\s"']{3,})"""
        ),
        _is_url_password,
    ),
    _Rule(
        "password",  # SQL
        ("identified by", "password '"),
        re.compile(r"(?:identified by|password) {1,3}'([^'\n]{4,})'"),
        _is_url_password,
        lowered=True,
    ),
    _Rule(
        "signature",  # of a signed URL
        ("sig=", "signature="),
        re.compile(r"[?&](?:sig|signature|x-(?:amz|goog)-signature)=([a-z0-9%+/=_-]{20,})"),
        lowered=True,
    ),
)


# --- values behind a label ----------------------------------------------------------------------------------

_PASSWORD_LABELS = ("password", "passwd", "passphrase", "pwd", "비밀번호", "비번", "패스워드", "암호")
_TOKEN_LABELS = ("secret", "token", "credential", "authorization", "_auth", "토큰", "시크릿")
_KEY_OWNERS = [
    "api",
    "access",
    "auth",
    "private",
    "encryption",
    "signing",
    "account",
    "service",
    "master",
    "인증",
    "비밀",
    "접근",
    "액세스",
    "암호화",
]
# Every alternative begins with a letter, so that the search skips what cannot begin one.
_PASSWORD = "|".join((*_PASSWORD_LABELS, r"pw(?<![a-z]pw)(?![a-z])"))
_TOKEN = "|".join((*_TOKEN_LABELS, *(rf"{owner}[-_ ]?(?:key|키)" for owner in _KEY_OWNERS)))
_TAIL = (
    r"(?P<tail>(?:s| ?키| key|value|text|string|key|base|prod|dev|test|\d{1,3})?(?:[_.-][a-z0-9]{1,16}){0,4})"
)
_ASSIGNED = re.compile(
    rf"""(?:(?P<password>{_PASSWORD})|{_TOKEN}){_TAIL}(?:\\?["'`*_]){{0,3}}(?: ?\([^()\n]{{0,20}}\))?[*_]{{0,2}}"""
    r"[ \t]{0,3}(?:(?::[ \t]{0,3}[a-z_][a-z_.|<> \[\]]{0,40}=|:=|=>|={1,3}|[:：|])[*_]{0,2}\s{0,3}"
    r"|(?P<said> is |(?:은|는|이|가|을|를) ?))"
)
_FLAG = re.compile(r"--[a-z-]{0,20}(?:(?P<password>password|passwd)|token|secret|key) {1,3}")
_KEYWORDS = (*_PASSWORD_LABELS, "pw", *_TOKEN_LABELS, "key", "키")
# Last words of labels that tell about a secret, or point to one.
_ABOUT = frozenset(
    [
        "name",
        "path",
        "file",
        "dir",
        "id",
        "ids",
        "type",
        "url",
        "uri",
        "arn",
        "ref",
        "policy",
        "length",
        "len",
        "ttl",
        "expiry",
        "expires",
        "expiration",
        "field",
        "label",
        "hint",
        "count",
        "limit",
        "manager",
        "provider",
        "store",
        "rotation",
        "min",
        "max",
        "version",
        "algorithm",
        "alg",
        "format",
        "endpoint",
        "host",
        "class",
        "env",
    ]
)
_WORD = re.compile(r"""(?:[!#-%(-+.-9:=?-Z\[-_a-z{}~/\\-]|[,;&](?![\s"'`<>]|[\w.-]{1,30}[=:]|$)){1,200}+""")
_REST = re.compile(r"""(?:[!#-%(-+.-9:<-_a-z{-~/\\-]|[,;&](?![\s"'`]|[\w.-]{1,30}[=:]|$))*+""")
_QUOTED = {quote: re.compile(rf"{quote}((?:[^{quote}\\\n]|\\.)*+){quote}") for quote in "\"'`"} | {
    "\\": re.compile(r'\\"((?:[^"\\\n]|\\[^"\n])*+)\\"')
}

_PLACEHOLDER = re.compile(
    r"""[<\[{(…]|\$(?:\(|\{|\w+[.,;:)\]}]*$)|%\w+%?$|@\w+@$|\*{2}|\.{2}|-+$|x{3,}|[a-z][a-z+.-]*://|!\w+$"""
    r"""|[~.]{0,2}/[\w.-]*/[\w./-]*$|\./|(?:op://|arn:|vault:|env[:.(]|file:|process\.env)"""
    r"""|(?:your|my|the|some|an?|change|replace|insert|enter)[a-z _-]*\W{0,9}$"""
    r"""|(?:todo|tbd|none|null|nil|true|false|undefined|redacted|masked|hidden|examples?|dummy|placeholder|samples?"""
    r"""|password\d?|passwd|pass|pwd?|user|secret|token|string|str|bytes|text|required|optional|empty|invalid|wrong"""
    r"""|unset|default|bearer|basic|oauth|access|refresh|varchar|비밀번호|암호|토큰)\W{0,9}$""",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*[(\[]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){1,6}$|\S+@[\w-]+\.[\w.]+$")
_DATE_OR_VERSION = re.compile(r"\d{4}-\d\d(?:-\d\d.*)?$|v?\d+(?:\.\d+)+[-\w.]*$")
# Words of the trade that mix letters and digits: alone, or at the head of a type's name (Uint8Array).
_TRADE = re.compile(
    r"(?<![A-Za-z0-9])(?:[a-z]{1,2}\d{1,5}(?![A-Za-z0-9])"
    r"|(?:sha|aes|rsa|utf|base|uint|int|float|http|oauth|argon|bcrypt|pbkdf|scrypt|uuid|ipv|python|node)\d{1,4})",
    re.IGNORECASE,
)
_STRONG_MARKS = frozenset("!@#$%^&*+~?")


def _labelled(text: str, lowered: str) -> Iterator[Secret]:
    if not any(keyword in lowered for keyword in _KEYWORDS):
        return
    for lead in (_ASSIGNED, _FLAG):
        position = 0
        while match := lead.search(lowered, position):
            position = match.end()
            found = _judged(text, match)
            if found:
                yield found
                position = found.end


def _judged(text: str, match: re.Match[str]) -> Secret | None:
    """The value behind a label, if it is a secret."""
    label = match.groupdict("")
    start, end, quoted = _value(text, match.end())
    value = text[start : min(end, start + _JUDGED)]
    is_about = re.split(r"[_.-]", label.get("tail", ""))[-1] in _ABOUT
    if is_about or "[masked:" in value or _PLACEHOLDER.match(value):
        return None
    if label.get("said"):
        good = not quoted and _is_strong(value)
    elif label["password"]:
        good = _is_quoted_password(value) if quoted else _is_password(value, text[end : end + 1])
    else:
        good = _is_token(value, quoted)
    if not good:
        return None
    kind = "password" if label["password"] else "secret"
    return Secret(kind, start, end if quoted else _end_of_word(text, start, end))


def _value(text: str, start: int) -> tuple[int, int, bool]:
    """Offsets of the value that begins here, without its quotes, and whether it had some."""
    pattern = _QUOTED.get(text[start : start + 1])
    match = pattern.match(text, start) if pattern else None
    if match:
        return match.start(1), match.end(1), True
    word = _WORD.match(text, start + 1 if pattern else start)
    return (word.start(), word.end(), False) if word else (start, start, False)


def _end_of_word(text: str, start: int, end: int) -> int:
    """Where a secret without quotes ends: it was judged by its first 200 characters."""
    rest = _REST.match(text, end)
    word = text[start : rest.end() if rest else end]
    return start + len(word.rstrip(".,;:)]}|>*"))


def _is_quoted_password(value: str) -> bool:
    """Someone put it in quotes: anything but a sentence or a word of another script, as forms have."""
    if len(value) < 4 or any(map(str.isspace, value)):
        return False
    return value.isascii() or any(map(str.isdigit, value))


def _is_password(value: str, following: str = "") -> bool:
    core = value.rstrip(".,;:!?)")
    if core.isdigit():
        is_year = len(core) == 4 and core[:2] in ("19", "20")
        return len(core) >= 4 and not is_year and not following.isalpha()
    if len(value) < 6 or _CODE.match(core) or _is_named(core):
        return False
    return any(map(str.isalpha, core)) and (any(map(str.isdigit, core)) or not _STRONG_MARKS.isdisjoint(core))


def _is_token(value: str, quoted: bool) -> bool:
    core = value.rstrip(".,;:!?)")
    if len(core) < 8 or any(map(str.isspace, core)) or "example" in core.lower() or _is_named(core):
        return False
    if not quoted and _CODE.match(core):
        return False
    if not any(map(str.isdigit, core)) or not any(map(str.isalpha, core)):
        return False
    return quoted or len(core) >= 16 or _changes(core) >= 2


def _is_strong(value: str) -> bool:
    """What stands in running text has to look like nothing else."""
    if len(value) < 8 or not _is_password(value):
        return False
    return _changes(value) >= 2 or not _STRONG_MARKS.isdisjoint(value)


def _is_named(value: str) -> bool:
    """A name rather than a secret: all its parts are words or numbers, words of the trade, dates, versions."""
    if _DATE_OR_VERSION.match(value):
        return True
    parts = re.split(r"[-_./:=]", _TRADE.sub("", value))
    return all(not part or part.isalpha() or part.isdigit() for part in parts)


def _changes(value: str) -> int:
    """How often letters and digits take turns."""
    return len(re.findall(r"(?<=[A-Za-z])\d|(?<=\d)[A-Za-z]", value))
