"""Which names of a sentence are told as removed, renamed or replaced, word by word. Pure.

Names are masked by runs of "_". A past-sounding word somewhere is not enough: it has to govern the name. "`f()` handles
deleted orders" says that f is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

_N = r"(?:(?<!_)_++|(?<![\w.])\d[\d.]*\d|(?<![\w.])\d)"
_LIST = rf"{_N}(?:(?:\s*[,/]\s*|\s*\(|\)?\s+(?:and|or|in|및|와|과)\s+|[와과]\s+){_N}\)?){{0,6}}+"
_NOUN = (
    r"(?:functions?|methods?|class(?:es)?|files?|folders?|modules?|helpers?|flags?|options?|settings?|variables?"
    r"|constants?|fields?|tables?|columns?|endpoints?|routes?|scripts?|commands?|packages?|dependency|dependencies|shim"
    r"|wrapper|hooks?|components?|stores?|tests?|keys?|alias|ports?|versions?|values?|calls?|code)"
)
_BEFORE = rf"(?:(?:the|a|an|our|old|legacy|obsolete|unused|dead|last|whole|both|also|deprecated|{_NOUN})\s+)"
_DONE = (
    r"(?:removed|deleted|dropped|renamed|moved|replaced|retired|superseded|gone|split|merged|folded|inlined|extracted"
    r"|migrated|eliminated)"
)
_ADVERB = r"(?:(?:now|then|later|since|also|already|finally|completely|fully|long|recently|all|both)\s+)*"
_NOT = r"(?<!not )(?<!never )(?<!n't )(?<!if )(?<!be )(?<!being )(?<!unless )(?<!until )"
_ACTIVE = r"(?<!was )(?<!were )(?<!is )(?<!are )(?<!been )(?<!got )"
_BUMPED = r"\b(?:bumped|upgraded|downgraded|updated|raised|lowered|changed|increased|decreased|reduced)"
_ENGLISH = (
    # N was removed; N has been renamed; N is now gone
    rf"(?P<was>{_LIST})\)?\s+(?:{_NOUN}\s+)?(?:was|were|got|(?:has|have|had)\s+{_ADVERB}been)\s+{_ADVERB}{_DONE}\b",
    rf"(?P<isgone>{_LIST})\)?\s+(?:{_NOUN}\s+)?(?:is|are)\s+(?:(?:now|long|since|all|both)\s+)*gone\b",
    rf"(?P<isnow>{_LIST})\)?\s+(?:{_NOUN}\s+)?(?:is|are)\s+(?:now\s+{_DONE}\b|{_ADVERB}(?:replaced|superseded)\s+by\b)",
    # a heading or a log: "N removed", "celery dropped from it"
    rf"(?P<log>{_LIST})\)?\s+(?:{_NOUN}\s+)?{_DONE}(?=\s*(?:$|[.,;:)\]!→]|->|(?:from|to|into|by|since|because|after|as"
    r"|for|when|entirely|completely)\b))",
    # N no longer exists; there is no N any more
    rf"(?P<isnot>{_LIST})\s+(?:no\s+longer\s+exists?|(?:is|are)\s+no\s+(?:longer\s+(?:there|present|around|available)|more)"
    r"|(?:do|does)(?:\s+not|n't)\s+exist)\b",
    rf"\bthere\s+(?:is|are)\s+no\s+(?:longer\s+(?:an?\s+)?|more\s+)?(?P<no>{_LIST})(?=\s*(?:$|[.,;]|any\s*more|anymore))",
    rf"(?P<aside>{_LIST})\s*(?:\(|~~|[:–—]|-\s)\s*(?:now\s+)?{_DONE}(?=\s*(?:$|[.,;:)\]!]|(?:in\s+v?\d|from|by|since|because)\b))",
    # removed the flag N; renamed N to; moved the export from N into
    rf"\b{_NOT}{_ACTIVE}(?:got\s+rid\s+of|removed|deleted|dropped|renamed|replaced|retired|superseded|inlined|eliminated|moved|migrated|split"
    rf"|merged|folded)\s+{_BEFORE}{{0,4}}(?P<object>{_LIST})",
    rf"\b{_NOT}(?:moved|migrated|extracted|switched|changed)\s+(?:\w+\s+){{0,5}}from\s+{_BEFORE}{{0,3}}(?P<origin>{_LIST})",
    rf"\b(?:went|changed|moved|raised|lowered)\s+from\s+(?P<number>{_N})\s+to\b",
    # What is raised to another number is there; the number is not.
    rf"{_BUMPED}\s++(?P<bumped>[^.;]{{0,60}}?)\s*+(?:->|→|\bto\b)(?!\s*+[`\"'v(]*\d)",
    rf"{_BUMPED}\s++[^.;]{{0,60}}?(?P<lower>(?<![\w.])\d[\d.]*)[`\"')]*+\s*+(?:->|→|\bto\b)",
    # instead of N; replaces N; formerly N
    r"\b(?:instead\s+of|rather\s+than|in\s+place\s+of|replac(?:es|ed|ing)|supersed(?:es|ed|ing)|formerly|previously"
    rf"|once\s+called)\s+{_BEFORE}{{0,3}}(?P<instead>{_LIST})",
    rf"(?P<value>{_N})\s+was\s+(?=`?\d)",
)
_HAD = r"(?:했|됐|되었|됨|함|하였|한\s*뒤|완료)"
_PASSIVE = r"(?:됐|되었|됨)"
_DEED = r"(?:삭제|제거|폐기|개명|이동|대체|교체|변경)"
_MOVED = (
    rf"(?:{_DEED}\s*(?:{_HAD}|하고)"
    r"|없앴|없애고|없앤\s*뒤|지웠|옮겼|옮김|옮긴\s*뒤|바꿨|바꿈|합쳤|나눴|쪼갰|올렸|바뀌었|바뀜|지움|걷어냈|걷어냄|들어냈|날렸|뺐)"
)
_WENT = (
    rf"(?:(?:삭제|제거|폐기|개명|이동|대체|교체|변경)\s*{_PASSIVE}|사라졌|사라짐|없어졌|없어짐|바뀌었|바뀜)"
)
_OTHER = (
    r"(?:(?![^\s_]{0,50}[을를]\s)[^\s_]{1,50}+\s++){0,4}"  # words between, none of which is another object
)
# "5로 올렸다": the name has another number, and is there.
_NO_NUMBER = (
    r"(?!\s*(?:`?\d[\d.,]*+[^\W\d_]{0,3}?`?\s?에서\s+)?`?\d[\d.,]*+\s?[^\W\d_]{0,3}?`?\s?(?:으로|로)\s)"
)
_KOREAN = (
    rf"(?P<kobject>{_LIST})\)?\s?(?:을|를){_NO_NUMBER}\s*{_OTHER}(?:_+\s?(?:으로|로)?\s*(?:[와과]\s+_+\s?(?:으로|로)?\s*)?)?"
    rf"(?:(?:전부|모두|완전히|이미|다시)\s+)?{_MOVED}",
    rf"(?P<ktopic>{_LIST})\)?\s?(?:은|는){_NO_NUMBER}\s*{_OTHER}(?:{_MOVED}|{_WENT})",
    rf"(?P<ksubject>{_LIST})\)?\s?(?:이|가)\s*(?:[^\s_]+\s+){{0,2}}?(?:{_WENT})",
    rf"(?P<klog>{_LIST})\)?\s+(?:함수\s+|파일\s+|옵션\s+|모듈\s+)?(?:삭제|제거|폐기)(?:됨|함|\s*완료)?(?=\s*(?:$|[.,;)]))",
    rf"(?P<knot>{_LIST})\)?(?:\s*(?:함수|파일|옵션|모듈|클래스|필드|설정|변수))?(?:은|는|이|가)\s*(?:더\s*이상\s*|이제\s*)?(?:없다|없음|없어|존재하지\s*않)",
    rf"(?P<kinstead>{_LIST})\)?(?:을|를)?\s*(?:대신|말고)\s",
    rf"(?P<kfrom>{_LIST})\)?(?:번)?에서\s++(?=[_\d])\S{{1,60}}\s*+{_OTHER}{_MOVED}",
    rf"(?P<kvalue>{_N})\s*(?:이었|였)다",
)
_RENAMED = re.compile(
    r"\b(?:renam|mov)(?:ed|ing|e)\b|이름을?\s*(?:바꿈|바꿨|변경)|옮김|옮겼|개명|이동", re.IGNORECASE
)
_ARROW = re.compile(rf"(?P<left>{_LIST})\s*(?:->|→|=>|⇒|➜)\s*{_N}")


_HANGUL = re.compile(r"[가-힣]")


def names_told_as_past(text: str) -> Iterator[tuple[int, int]]:
    """Where names stand that are told as past: from, to."""
    for pattern in _patterns(korean=_HANGUL.search(text) is not None):
        for found in pattern.finditer(text):
            yield found.span(found.lastgroup or 0)
    if _RENAMED.search(text):
        yield from (found.span("left") for found in _ARROW.finditer(text))


@cache
def _patterns(*, korean: bool) -> tuple[re.Pattern[str], ...]:
    """Compiled when a sentence needs them: that takes as long as a question. Korean mixes with English."""
    patterns = tuple(re.compile(pattern, re.IGNORECASE) for pattern in (_KOREAN if korean else _ENGLISH))
    return (*patterns, *_patterns(korean=False)) if korean else patterns
