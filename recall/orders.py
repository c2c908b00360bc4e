"""Sentences that give orders to an agent, as text planted in a memory does.

Precise rather than broad: rules of work ("run the tests before merging", "반드시 테스트를 먼저 돌린다") are what
memories are for, and are never meant. A hit is a mark on the memory, not a reason to drop it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Order:
    why: str
    needs: tuple[str, ...]  # a text without any of these is not searched further
    heads: tuple[str, ...]  # where a sentence of this kind begins; () = anywhere
    pattern: re.Pattern[str]  # for the text in lower case


def is_instruction_like(text: str) -> bool:
    """Whether the text holds a sentence that gives orders to an agent."""
    lowered = (text.translate(_NARROW) if _FULL_WIDTH.search(text) else text).lower()
    return any(_gives(order, lowered) for order in _ORDERS)


def _gives(order: _Order, lowered: str) -> bool:
    if not any(need in lowered for need in order.needs):
        return False
    if not order.heads:
        return order.pattern.search(lowered) is not None
    for head in order.heads:
        position = lowered.find(head)
        while position >= 0:
            if order.pattern.match(lowered, position):
                return True
            position = lowered.find(head, position + len(head))
    return False


# Full-width letters read like the others.
_FULL_WIDTH = re.compile("[\uff21-\uff3a\uff41-\uff5a]")
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_OLD = r"(?:previous|prior|earlier|above|preceding|former|foregoing|existing|original|your|developer)"
_OLD_KO = (
    r"(?<![가-힣])(?:이전|앞선|앞의|위의|위|기존|지금까지의|모든|시스템)\s?(?:의\s)?"
    r"(?:모든\s|시스템\s|개발자\s){0,2}"
)
_ALL_KO = r"(?:모두\s|전부\s|다\s|완전히\s|절대\s){0,2}"
_DROP_KO = (
    r"(?:무시(?:하라|해라|하세요|하십시오|하시오|한\s채)|잊(?:어라|으라|으세요|어버려)|따르지\s(?:마|말))"
)

_ORDERS = (
    _Order(
        "takes away the client's own rules",
        ("instruction", "prompt", "guideline"),
        ("ignore", "disregard", "forget", "override", "do not follow", "don't follow", "stop following"),
        re.compile(
            r"\b(?:ignore|disregard|forget|override|do not follow|don't follow|stop following)\s{1,4}"
            rf"(?:(?:all|any|every|the|of|these|those|my)\s{{1,4}}){{0,3}}{_OLD}\s{{1,4}}(?:\w{{1,12}}\s{{1,4}}){{0,2}}"
            r"(?:instructions?|prompts?|guidelines?)\b"
        ),
    ),
    _Order(
        "keeps something from the user",
        ("the user", "the human"),
        ("do not", "don't", "never", "must not", "without"),
        re.compile(
            r"\b(?:do not|don't|never|must not|without)\s{1,4}(?:ever\s{1,4})?"
            r"(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?"
            r"|(?:mention|reveal|disclose|report)(?:ing)?\s{1,4}(?:\w{1,12}\s{1,4}){0,3}to)"
            r"\s{1,4}the\s{1,4}(?:user|human)\b(?!['’])"
        ),
    ),
    _Order(
        "gives the reader another role, or takes command",
        ("you are now", "you must now", "from now on"),
        ("you are now", "you must now", "from now on"),
        re.compile(
            r"\b(?:you are now (?:in \w{2,15} mode\b|unrestricted|uncensored|free (?:from|of)\b|dan\b"
            r"|(?:an?|the) (?:\w{2,15} ){0,2}(?:assistant|ai|agent|model|persona)\b)"
            r"|you must now (?:run|execute|call|send|open|delete|fetch|download|upload|obey|ignore|act)\b"
            r"|from now on,? you (?:are\b|(?:will |must |shall )?(?:always )?"
            r"(?:act as|obey|pretend|answer only|respond only))"
            r"|from now on,? you (?:will|must|shall) (?:always )?"
            r"(?:run|execute|call|send|delete|fetch|download|upload|ignore)\b[^.\n]{0,80}"
            r"\b(?:before|after|when(?:ever)?|each time) (?:you )?(?:answer|respond|reply|begin|start))"
        ),
    ),
    _Order(
        "puts itself in the place of the instructions",
        ("new instructions:", "new system instructions", "new system prompt"),
        ("new ",),
        re.compile(r"(?<![\w'])(?<!the )new (?:system )?(?:instructions|prompt)\s{0,2}:"),
    ),
    _Order(
        "wants something done before the answer",
        ("before answer", "before respond", "before reply", "before you "),
        ("before ",),
        re.compile(
            r"\bbefore (?:answering|responding|replying|you (?:answer|respond|reply))\b[^.\n]{0,60}?,?\s{1,4}"
            r"(?:(?:first|always|you must|please)\s{1,4}){0,2}"
            r"(?:run|execute|send|upload|post|fetch|download|call|open|delete|write)\b"
        ),
    ),
    _Order(
        "asks for the hidden prompt",
        ("your system ", "your hidden ", "your initial "),
        ("reveal", "print", "repeat", "output", "show", "leak", "disclose"),
        re.compile(
            r"\b(?:reveal|print|repeat|output|show|leak|disclose)\s{1,4}(?:me\s{1,4})?(?:all\s{1,4})?(?:of\s{1,4})?"
            r"your\s{1,4}(?:(?:system|hidden|initial)\s{1,4}){1,2}(?:prompt|instructions)\b"
        ),
    ),
    _Order(
        "carries private things to a place outside",
        ("to http",),
        ("send", "upload", "post", "forward", "exfiltrate", "leak", "transmit"),
        re.compile(
            r"\b(?:send|upload|post|forward|exfiltrate|leak|transmit)\s{1,4}[^.\n]{0,40}?"
            r"(?:\.env\b|ssh keys?|private keys?|environment variables|all (?:secrets|credentials|passwords|tokens)"
            r"|conversation|chat history|system prompt)[^\n]{0,60}?\bto\s{1,4}https?://"
        ),
    ),
    _Order(
        "takes away the client's own rules (Korean)",
        ("무시", "잊", "따르지"),
        (),
        re.compile(
            rf"{_OLD_KO}(?:지시|지침|프롬프트)(?:\s?사항)?들?(?:을|를|은|는)?\s{{0,2}}{_ALL_KO}"
            rf"(?:무시하고(?!\s?있)|{_DROP_KO})"
            # Queues and linters have commands and rules too: those need a plain order.
            rf"|{_OLD_KO}(?:명령|규칙)들?(?:을|를|은|는)?\s{{0,2}}{_ALL_KO}{_DROP_KO}"
        ),
    ),
    _Order(
        "keeps something from the user (Korean)",
        ("사용자에게", "사용자한테", "사용자께", "유저에게"),
        ("사용자", "유저"),
        re.compile(
            r"(?:사용자|유저)(?:에게|한테|께)(?:는|도)?\s[^.\n]{0,30}?"
            r"(?:알리|말하|보고하|언급하|보여주|전하|밝히|고지하|드러내)지\s?(?:말|마)"
        ),
    ),
    _Order(
        "gives the reader another role (Korean)",
        ("이제부터", "지금부터"),
        (),
        re.compile(
            r"(?:이제|지금)부터\s(?:너는|넌|네가|당신은|당신이)\s|(?:너는|당신은)\s(?:이제|지금)부터\s"
        ),
    ),
    _Order(
        "wants something done before the answer (Korean)",
        ("하기 전에",),
        (),
        re.compile(
            r"(?:답|답변|대답|응답)하기 전에\s[^.\n]{0,80}?"
            r"(?:실행|전송|업로드|호출|삭제|다운로드)(?:하라|해라|하세요|하십시오|할 것|하고|해야)"
        ),
    ),
    _Order(
        "asks for the hidden prompt (Korean)",
        ("시스템 프롬프트",),
        ("시스템 프롬프트",),
        re.compile(
            r"시스템 프롬프트(?:를|을)?\s(?:모두\s|그대로\s){0,2}"
            r"(?:출력|공개|보여|알려|말해)(?:하라|해라|하세요|줘|주세요|라)"
        ),
    ),
)
