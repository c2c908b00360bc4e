"""Secrets in text: found by their shape, replaced by what they are; the rest of the line stays readable.

Tokens that announce themselves (`ghp_`, `AKIA`, a PEM header, credentials in a URL) are one rule each; values
behind a label ("password = ...", "비밀번호: ...") are judged in `secret_values`. Keyword tests keep text
without any of them cheap, and every pattern either is bounded or consumes what it has read, so that time stays
linear in the text.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from recall.secret_values import Secret, is_named, is_placeholder, labelled

__all__ = ["Secret", "find", "mask"]

_ROUNDS = 3  # a mark sets free what was glued to the secret
_SHORTEST = 6  # characters; nothing shorter holds a secret together with its label


def mask(text: str) -> tuple[str, int]:
    """The text with every secret replaced by `[masked: kind]`, and how many there were."""
    count = 0
    for _ in range(_ROUNDS):
        found = find(text)
        if not found:
            break
        text = _replaced(text, found)
        count += len(found)
    return text, count


def _replaced(text: str, found: list[Secret]) -> str:
    parts: list[str] = []
    done = 0
    for secret in found:
        parts += (text[done : secret.start], f"[masked: {secret.kind}]")
        done = secret.end
    return "".join((*parts, text[done:]))


def find(text: str) -> list[Secret]:
    """Every secret in the text, in order, without overlaps."""
    if len(text) < _SHORTEST:
        return []
    lowered = text.replace("İ", "I").lower()  # every character in its place: İ alone would become two
    near = _near_separators(lowered)
    announced = (secret for rule in _RULES for secret in _by_rule(rule, text, lowered, near))
    return _merged([*announced, *labelled(text, lowered)])


def _merged(found: Iterable[Secret]) -> list[Secret]:
    """Overlapping finds as one, named after the one that begins first: nothing of either stays."""
    merged: list[Secret] = []
    for secret in sorted(found, key=lambda secret: secret.start):  # stable: rules go before labels
        if merged and secret.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Secret(last.kind, last.start, max(last.end, secret.end))
        else:
            merged.append(secret)
    return merged


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: str
    pattern: re.Pattern[str]  # the secret is the last group that took part, else the whole match
    anywhere: tuple[str, ...] = ()  # lower case; the text is searched if it holds one of these,
    before_run: tuple[str, ...] = ()  # or one of these in front of a long run of letters and digits
    accept: Callable[[str], bool] = bool
    lowered: bool = False  # whether the pattern is meant for the text in lower case


def _by_rule(rule: _Rule, text: str, lowered: str, near: str) -> Iterator[Secret]:
    if not _holds(near, rule.before_run) and not _holds(lowered, rule.anywhere):
        return
    for match in rule.pattern.finditer(lowered if rule.lowered else text):
        start, end = match.span(match.lastindex or 0)
        if rule.accept(text[start:end]):
            yield Secret(rule.kind, start, end)


def _holds(text: str, keywords: tuple[str, ...]) -> bool:
    for keyword in keywords:  # noqa: SIM110 - a plain loop: any() over a generator costs twice as much
        if keyword in text:
            return True
    return False


_REACH = 48  # characters in front of a run: a chat hook's address stands that far from its token
_RUN = re.compile(r"[_.:/-][a-z0-9_-]{12}")


def _near_separators(lowered: str) -> str:
    """The places where a separator is followed by a long run: most prefixes end in one.

    One scan for them replaces forty for the single prefixes.
    """
    return "\n".join(lowered[max(0, run.start() - _REACH) : run.end()] for run in _RUN.finditer(lowered))


def _is_key_material(block: str) -> bool:
    """A block that holds more than its two frame lines, which manuals quote without a key."""
    return re.search(r"[A-Za-z0-9+/]{16}", block) is not None


def _is_no_sample(token: str) -> bool:
    """Vendors' manuals mark their sample keys with this word."""
    return "EXAMPLE" not in token


def _is_mixed(token: str) -> bool:
    """Of two kinds among capitals, small letters and digits, as words joined by hyphens are not."""
    return sum(bool(re.search(kind, token)) for kind in ("[A-Z]", "[a-z]", "[0-9]")) >= 2 and _is_no_sample(
        token
    )


def _is_bearer(token: str) -> bool:
    return _is_mixed(token) and not is_named(token)


def _is_basic(token: str) -> bool:
    """What HTTP calls basic credentials: base64 of `user:password`."""
    try:
        return b":" in base64.b64decode(token + "=" * (-len(token) % 4), validate=True)[1:]
    except (binascii.Error, ValueError):
        return False


def _is_no_placeholder(word: str) -> bool:
    return not is_placeholder(word)


_FRAME = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_PRIVATE_KEY = (
    rf"-----BEGIN {_FRAME}(?:(?:[^-]|-(?!----))*+-----END {_FRAME}"
    # A block that was cut: as many lines of key material as follow.
    r"""|(?:(?:\s|\\[nr]|[>|#*"'+,])*+[A-Za-z0-9+/=]{16,}+)*+)"""
    r"|(?<=Private-Lines: )\d{1,3}\s{1,2}(?:[A-Za-z0-9+/=]{4,}\n?)++"
)

# Prefixes are those that the vendors document. A token may follow a letter without a break: notes quote JSON,
# where a line end is written `\n`.
_RULES = (
    _Rule("private key", re.compile(_PRIVATE_KEY), ("private",), accept=_is_key_material),
    _Rule(
        "AWS key",
        re.compile(r"(?:AKIA|ASIA)[A-Z0-9]{16}"),
        ("akia", "asia"),
        accept=_is_no_sample,
    ),
    _Rule(
        "GitHub token",
        re.compile(r"(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{30,}"),
        before_run=("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    ),
    _Rule(
        "GitLab token",
        re.compile(r"gl(?:pat|dt|rtr?|cbt|ptt|ft|soat|agent|oas)-[A-Za-z0-9_=-]{20,}(?:\.[A-Za-z0-9_]{2,})*"),
        before_run=("glpat-", "gldt-", "glrt", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "gloas-"),
    ),
    _Rule(
        "Slack token",
        re.compile(
            r"(?:xox[abeoprsc]|xapp)(?:\.xox[abp])?-[A-Za-z0-9-]{10,}"
            r"|hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_+-]{20,})"
        ),
        before_run=("xox", "xapp-", "hooks.slack"),
        accept=_is_mixed,
    ),
    _Rule(
        "API key",  # of model services and Google
        re.compile(
            r"sk-[A-Za-z0-9_-]{20,}|AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_.-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}"
            r"|(?:gsk_|xai-|pplx-|hf_|r8_)[A-Za-z0-9]{30,}"
        ),
        ("aiza",),
        before_run=("sk-", "ya29.", "gocspx-", "gsk_", "xai-", "hf_", "pplx-", "r8_"),
        accept=_is_mixed,
    ),
    _Rule("npm token", re.compile(r"npm_[A-Za-z0-9]{36,}"), before_run=("npm_",)),
    _Rule("PyPI token", re.compile(r"pypi-[A-Za-z0-9_-]{40,}"), before_run=("pypi-",)),
    _Rule(
        "service key",  # every branch begins with a letter: the search skips what cannot begin one
        re.compile(
            r"live_(?:g?[sc]k|api)_[A-Za-z0-9]{16,}|test_(?:g?[sc]k|api)_[A-Za-z0-9]{16,}"
            r"|sk_(?:live|test)_[A-Za-z0-9]{16,}|rk_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{20,}"
            r"|SG\.[A-Za-z0-9_-]{16,60}\.[A-Za-z0-9_-]{16,}|do[opr]_v1_[a-f0-9]{60,}|hvs\.[A-Za-z0-9_-]{24,}"
            r"|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}|dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}|lin_api_[A-Za-z0-9]{32,}"
            r"|ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{40,}|sbp_[a-f0-9]{40,}|figd_[A-Za-z0-9_-]{30,}"
            r"|tskey-[a-z]{3,10}-[A-Za-z0-9-]{16,}|AGE-SECRET-KEY-1[A-Z0-9]{50,}|ATATT3[A-Za-z0-9_=-]{50,}"
            r"|/webhooks/(\d{15,22}/[A-Za-z0-9_-]{50,})"
        ),
        before_run=(
            *(
                "live_",
                "test_sk",
                "test_ck",
                "test_gsk",
                "test_gck",
                "test_api",
                "sk_test",
                "rk_test",
                "whsec_",
                "sg.",
            ),
            *(
                "_v1_",
                "hvs.",
                "shpat_",
                "shpca_",
                "shppa_",
                "shpss_",
                "dckr_",
                "lin_api_",
                "ntn_",
                "secret_",
                "sbp_",
            ),
            *("figd_", "tskey-", "-key-", "webhooks/", "atatt3"),
        ),
        accept=_is_mixed,
    ),
    _Rule("service key", re.compile(r"\d{8,10}:AA[A-Za-z0-9_-]{33}"), before_run=(":aa",)),
    _Rule(
        "JWT",
        re.compile(
            r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+){1,3}"
        ),
        ("eyj",),
    ),
    _Rule(
        "authorization",
        re.compile(
            r"(?:bearer|authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?[a-z-]{1,20})\s{1,3}([a-z0-9._~+/=-]{16,})"
        ),
        ("bearer", "authoriz"),
        accept=_is_bearer,
        lowered=True,
    ),
    _Rule(
        "authorization",
        re.compile(r"basic {1,3}([a-z0-9+/]{8,}={0,2})"),
        ("basic ",),
        accept=_is_basic,
        lowered=True,
    ),
    _Rule(
        "password",  # in a URL; a port number and an image digest look alike
        re.compile(
            r"://[^\s/:@\"'<>`]{0,100}:(?!\d{1,5}(?:[/?#]|\s|$))([^\s/\"'<>`@]+(?:@[^\s/?#\"'<>`@]+)*)@(?!sha256:)[\w\[]"
        ),
        ("://",),
        accept=_is_no_placeholder,
    ),
    _Rule(
        "password",  # curl -u user:password
        re.compile(
            r"curl\b[^\n]{0,200}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,60}:(?!\d{1,5}\b)([^\s\"']{3,})"
        ),
        ("curl",),
        accept=_is_no_placeholder,
    ),
    _Rule(
        "password",  # SQL
        re.compile(r"identified by {1,3}'([^'\n]{4,})'"),
        ("identified by",),
        accept=_is_no_placeholder,
        lowered=True,
    ),
    _Rule(
        "signature",  # of a signed URL
        re.compile(r"[?&](?:sig|signature|x-(?:amz|goog)-signature)=([a-z0-9%+/=_-]{20,})"),
        ("sig",),
        lowered=True,
    ),
)
