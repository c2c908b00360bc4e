"""The words for how a decision stands: one table, from which everything that looks for such a word is made."""

from __future__ import annotations

from typing import NamedTuple

SUPERSEDED, DEPRECATED, REJECTED = "superseded", "deprecated", "rejected"
AMENDED, PROPOSED, ACCEPTED = "amended", "proposed", "accepted"


class Word(NamedTuple):
    """One of the six, and how it is written; parts of patterns, to be read without regard to case."""

    name: str
    # As it stands alone, in brackets in a title or as the name of a folder, and can be meant of a record only: orders
    # are cancelled, and sessions expire.
    plain: str
    begins: str = ""  # what else a clause of a status begins with that says so
    withdraws: bool = False  # whether the record no longer stands


# In order of weight: "Accepted" above "Superseded by ..." is superseded.
TABLE = (
    Word(
        SUPERSEDED,
        r"super[sc]?c?eded?\b|대체(?!\s*(?:한|할|하|대상))",
        r"replaced\b|overridden|overruled",
        withdraws=True,
    ),
    Word(
        DEPRECATED,
        r"deprecated|obsolete\b|withdrawn|abandoned|retired|rescinded|repealed|scrapped|폐기|폐지|철회|파기",
        r"obsoleted\b|cancell?ed|expired|void(?:ed)?\b|invalid(?:ated)?\b|inactive|outdated|revoked|reverted"
        r"|rolled[ -]back|discontinued|sunset|dropped|discarded|archived"
        r"|no longer (?!(?:a |an )?(?:propos|draft|pending|open|deprecat|super[sc]ed|obsolet|reject|withdrawn))"
        r"|만료|무효|취소|실효|롤백|중단|종료|되돌[렸림]|보관됨",
        withdraws=True,
    ),
    Word(
        REJECTED,
        r"rejected|vetoed|거부|기각|부결|불채택|불승인|미채택",
        r"declined|denied|refused|decided against|voted down|won[’']?t (?:do|fix|implement)|거절|반려",
        withdraws=True,
    ),
    Word(AMENDED, r"amended", r"수정|개정|보완"),
    Word(
        PROPOSED,
        r"proposed|proposal|draft|on[ -]?hold|deferred|postponed|shelved|undecided|wip\b|tbd\b"
        r"|제안|초안|보류|미확정|미승인",
        r"propos|pending|parked|paused|suspended|delayed|blocked|stalled|open\b"
        r"|(?:under|in|for|needs?|awaiting|ready for) "
        r"(?:\w+ )?(?:review|discussion|approval|decision|comments?)\b|request for comments|rfc\b|final comment"
        r"|work in progress|in progress|to be (?:decided|discussed|confirmed|approved)"
        r"|연기|유보|미정|검토|논의|대기|예정|작성 ?중|진행 ?중|아직"
        r"|(?:승인|채택|결정|확정|합의)\s*(?:대기|예정|보류|요청|필요|전(?![가-힣]))",
    ),
    Word(
        ACCEPTED,
        r"accepted|approved|adopted|ratified|decided|implemented|done\b|채택|승인|확정",
        r"agreed|active\b|final|endorsed|completed?\b|in (?:force|effect|use)\b|effective\b"
        r"|(?:partially|partly|fully|conditionally|provisionally) (?:accepted|approved|adopted|implemented)"
        r"|수락|합의|결정|적용|시행|유효|완료|통과|가결",
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
