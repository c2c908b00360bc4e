"""Whether a memory speaks of a question at all: the floor below which "nothing found" is the right answer.

BM25 orders memories; it cannot say that none of them is an answer, since every question shares some word with
some memory. What tells them apart is how many of a question's own words a memory holds, and of which kind: a
term of the trade or an identifier counts twice an everyday word, a common verb half, a function word nothing.
Set on 110 bilingual notes, 25 session logs and 70 questions about cooking, travel and the like.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from recall.tokens import Word

_TRADE_WEIGHT = 2.0
_COMMON_WEIGHT = 0.5
_HALF = 0.5  # of a word's tokens, below which an everyday word is not there: Korean bigrams coincide
_THIRD = 0.3  # the same for a term of the trade, which inflection changes more than chance hits it
_TRANSLATED = 0.8  # credit of a glossary translation
# How much of a question one memory must hold, as a multiple of the floor, by how many of its words it holds.
_ONE_EVERYDAY_WORD, _ONE_TRADE_WORD, _TWO_WORDS, _MORE_WORDS = 1.4, 1.15, 1.0, 0.75
_OF_BEST = 0.25  # share of the best memory's evidence that the others must reach

# Words that a question is asked with rather than about. Inflected Korean forms are told by their beginning.
_FUNCTION_WORDS = frozenset(
    """
    many much make made get got use used using any some all each other about into over after before also just like
    one two new know need want remind tell explain reason add added happen mean meaning way thing things people good
    best better bad long day days time year years today tomorrow yesterday week weeks month months first last next
    number numbers ask say said see look find work works working please show give want exactly really ever every
    tip tips
    것 수 적 때 때문에 난 안 더 좀 꼭 그 이 저 및 또는 등 법 방법 점 거 건 것은 것이 게 나 몇 왜 자꾸 없이
    있는 없는 하는 한 할 한다 하면 하려면 하나 하나요 되나 되나요 될까 있나 있을까 있나요 인가 인가요 않게
    전에 후에 뒤에 위해 위한 대해 대한 까닭 이유 좋은 가장 제일 모든 우리 내가 다시 지금 오늘 내일 어제
    """.split()
)
_FUNCTION_BEGINNINGS = (
    "어떻", "어떤", "어디", "어느", "무엇", "무슨", "뭐", "뭔", "뭘",
    "언제", "누구", "누가", "얼마", "알려", "설명해", "해줘",
)  # fmt: skip
# Terms of the trade that everyday questions are full of too: English by stem, Korean by beginning.
_COMMON_STEMS = frozenset(
    """
    amount break busi caus chang check close color copi cost count creat data date delet depend due fail fix free
    hold increas list mail manual messag move name number object open order own owner page peopl period person
    price product purchas reduc remov replac reserv run sale save schedul send sequenc servic share size start
    stop structur success tax term time train type user valid write
    """.split()
)
_COMMON_BEGINNINGS = tuple(
    """
    원인 해결 수정 날짜 시간 데이터 사용자 상태 만들 문서 주소 시작 실행 담당 이름 개수 바꾸 줄이 늘리 순서 가격
    기간 색상 상품 구매 판매 비용 일정 회의 예약 취소 주문
    """.split()
)


class Evidence(NamedTuple):
    """How much of a question a memory holds."""

    share: float  # 0..1, terms of the trade counting twice
    words: int  # words of the question that it holds
    trade: bool  # whether one of them is a term of the trade


class Subject(NamedTuple):
    """The words a question is about, each with its weight."""

    words: tuple[tuple[Word, float], ...]
    idf: Mapping[str, float]

    def evidence(self, tokens: frozenset[str]) -> Evidence:
        """How much of the subject a memory with these tokens holds."""
        held, count, trade = 0.0, 0, False
        for word, weight in self.words:
            is_trade = weight == _TRADE_WEIGHT
            credit = self._credit(word, tokens)
            if credit >= (_THIRD if is_trade else _HALF):
                held += weight * credit
                count += 1
                trade = trade or is_trade
        total = sum(weight for _word, weight in self.words)
        return Evidence(held / total if total else 0.0, count, trade)

    def answered_by(self, evidence: Evidence, floor: float) -> bool:
        """Whether this evidence alone makes the question one that memory speaks of."""
        if evidence.words == 0:
            return floor == 0
        if evidence.words == 1:
            factor = _ONE_TRADE_WORD if evidence.trade else _ONE_EVERYDAY_WORD
        else:
            factor = _TWO_WORDS if evidence.words == 2 else _MORE_WORDS
        return evidence.share >= min(1.0, factor * floor)

    def _credit(self, word: Word, tokens: frozenset[str]) -> float:
        if any(tokens.issuperset(stem) for stem in word.stems):
            return 1.0
        total = sum(self.idf[token] for token in word.tokens)
        own = sum(self.idf[token] for token in word.tokens if token in tokens) / total if total else 0.0
        if own < _TRANSLATED and any(tokens.issuperset(run) for run in word.also):
            return _TRANSLATED
        return own


def subject(words: Iterable[Word], idf: Mapping[str, float]) -> Subject:
    """What a question is about; a question of function words only is about those."""
    words = list(words)
    content = [word for word in words if not _is_function_word(word.text)] or words
    return Subject(tuple((word, _weight(word)) for word in content), idf)


def worth_showing(subject: Subject, found: Mapping[str, Evidence], floor: float) -> frozenset[str]:
    """The keys whose evidence is worth showing; none when no memory speaks of the question.

    One memory must hold enough of the question by itself; then others come along that hold a part of it.
    """
    if not any(subject.answered_by(evidence, floor) for evidence in found.values()):
        return frozenset()
    best = max(evidence.share for evidence in found.values())
    least = _OF_BEST * best if floor > 0 else 0.0
    return frozenset(key for key, evidence in found.items() if evidence.share >= least)


def _is_function_word(text: str) -> bool:
    lowered = text.lower()
    return lowered in _FUNCTION_WORDS or lowered.startswith(_FUNCTION_BEGINNINGS)


def _weight(word: Word) -> float:
    """Terms of the trade are what the glossary knows, and whatever is shaped like an identifier or acronym."""
    text = word.text
    if word.tokens[0] in _COMMON_STEMS or text.startswith(_COMMON_BEGINNINGS):
        return _COMMON_WEIGHT
    shaped = any(character.isdigit() or character == "_" for character in text) and not text.isdigit()
    mixed = text.isascii() and len(text) > 1 and text[1:] != text[1:].lower()
    return _TRADE_WEIGHT if word.also or shaped or mixed else 1.0
