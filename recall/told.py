"""What a source says of itself, as it may be shown and kept: reasons, places, next steps.

It comes from file names, databases, other programs and plugins, so it may hold what a memory may hold.
"""

from __future__ import annotations

import re

from recall.wording import visible

# A line without any of these gives the rules of `clean` and `secrets` nothing to find. Those cost as much as a whole
# query to import, and nearly every line that is told is one of recall's own; so this is quick rather than exact.
_FRAMES = ("<", "＜", "[inst", "[/inst", "[system_prompt", "[/system_prompt", "[available_tools", "[tool_")
_ANNOUNCED = (
    "-----begin",
    "xox",
    "xapp",
    "eyj",
    "ya29.",
    "gocspx-",
    "pypi-",
    "aiza",
    "glpat-",
    "sg.",
    "hvs.",
    "sk-",
)
_LABELS = ("passw", "passphrase", "pw", "secret", "token", "credential", "auth", "key", "bearer")
_LABELS_KO = ("비밀번호", "비번", "패스워드", "암호", "토큰", "시크릿", "키")
_SUSPECT = (*_FRAMES, *_ANNOUNCED, *_LABELS, *_LABELS_KO, "@")
_SPEAKERS = ("human", "assistant", "system", "user")
_LONG = re.compile(r"[A-Za-z0-9_]{16,}")


def told(text: str) -> str:
    """The line with every character visible, secrets masked, imitated frames made foreign."""
    if text.isprintable() and not _is_suspect(text):
        return text
    from recall import clean

    cleaned = clean.clean(text)
    # Where something was masked, a hidden character may stand in the middle of it: those are taken out, not shown.
    return visible(cleaned.text if cleaned.masked else clean.defused(visible(text)))


def _is_suspect(text: str) -> bool:
    lowered = text.lower()
    if any(sign in lowered for sign in _SUSPECT) or lowered.lstrip("#>*_ ").startswith(_SPEAKERS):
        return True
    return any(not word.islower() or not word.isalpha() for word in _LONG.findall(text))
