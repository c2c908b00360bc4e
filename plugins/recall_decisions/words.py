"""The words for how a decision stands: one table, from which everything that looks for such a word is made."""

from __future__ import annotations

from typing import NamedTuple

SUPERSEDED, DEPRECATED, REJECTED = "superseded", "deprecated", "rejected"
AMENDED, PROPOSED, ACCEPTED = "amended", "proposed", "accepted"


class Word(NamedTuple):
    """One of the six, and how it is written; parts of patterns, to be read without regard to case."""

    name: str
    plain: str  # as it stands alone: in brackets in a title, as the name of a folder, on a line of its own
    begins: str = ""  # what else a clause begins with that says so
    withdraws: bool = False  # whether the record no longer stands


# In order of weight: "Accepted" above "Superseded by ..." is superseded.
TABLE = (
    Word(
        SUPERSEDED,
        r"super[sc]?c?eded?\b|overridden|overruled|대체(?!\s*(?:한|할|하|대상))",
        r"replaced\b",
        withdraws=True,
    ),
    Word(
        DEPRECATED,
        r"deprecated|obsoleted?\b|outdated|withdrawn|abandoned|retired|cancell?ed|expired|void(?:ed)?\b|invalid(?:ated)?\b"
        r"|inactive|revoked|rescinded|repealed|reverted|rolled[ -]back|discontinued|sunset|dropped|discarded|scrapped"
        r"|폐기|폐지|철회|만료|무효|취소|파기|실효|롤백",
        r"no longer (?!(?:a |an )?(?:propos|draft|pending|open))|archived|중단|종료|되돌[렸림]|보관됨",
        withdraws=True,
    ),
    Word(
        REJECTED,
        r"rejected|declined|denied|refused|vetoed|거부|거절|기각|반려|부결|불채택|불승인|미채택",
        r"decided against|voted down|won[’']?t (?:do|fix|implement)",
        withdraws=True,
    ),
    Word(AMENDED, r"amended", r"수정|개정|보완"),
    Word(
        PROPOSED,
        r"proposed|proposal|draft|pending|on[ -]?hold|deferred|postponed|shelved|parked|paused|suspended|undecided"
        r"|wip\b|tbd\b|제안|초안|보류|연기|유보|미정|미확정|미승인",
        r"propos|delayed|blocked|stalled|open\b|(?:under|in|for|needs?|awaiting|ready for) (?:\w+ )?"
        r"(?:review|discussion|approval|decision|comments?)\b|request for comments|rfc\b|final comment|work in progress"
        r"|in progress|to be (?:decided|discussed|confirmed|approved)|검토|논의|대기|예정|작성 ?중|진행 ?중|아직"
        r"|(?:승인|채택|결정|확정|합의)\s*(?:대기|예정|보류|요청|필요|전(?![가-힣]))",
    ),
    Word(
        ACCEPTED,
        r"accepted|approved|adopted|agreed|ratified|decided|implemented|active\b|done\b|final|채택|승인|수락|확정|합의",
        r"endorsed|completed?\b|in (?:force|effect|use)\b|effective\b|(?:partially|partly|fully|conditionally"
        r"|provisionally) (?:accepted|approved|adopted|implemented)|결정|적용|시행|유효|완료|통과|가결",
    ),
)
WITHDRAWN = tuple(word.name for word in TABLE if word.withdraws)
STARTS = {word.name: "|".join(filter(None, (word.plain, word.begins))) for word in TABLE}
# Whatever is denied ("not accepted", "승인되지 않음") and what the record is then; other denials say nothing of it.
DENIED = {
    REJECTED: r"accepted|approved|adopted|agreed|ratified|endorsed|채택|승인|수락|합의",
    PROPOSED: r"decided|final|confirmed|결정|확정",
    DEPRECATED: r"active|valid|in (?:force|effect|use)\b|유효",
}


def plain(*names: str) -> str:
    """A pattern of the words that stand alone, of these six or of all."""
    return "|".join(word.plain for word in TABLE if not names or word.name in names)
