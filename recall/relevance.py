"""Whether a memory speaks of a question at all: the floor below which "nothing found" is the right answer.

BM25 orders memories; it cannot say that none of them is an answer, since every question shares some word with
some memory. What tells them apart is how many of a question's own words a memory holds, and of which kind: a
term of the trade or an identifier counts twice an everyday word, a common word half, a function word nothing.
docs/search.md has the figures.
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
_ONE_EVERYDAY_WORD, _ONE_TRADE_WORD, _TWO_WORDS, _MORE_WORDS = 1.5, 1.15, 1.0, 0.75
_OF_BEST = 0.25  # share of the best memory's evidence that the others must reach

# Words that a question is asked with rather than about. Inflected Korean forms are told by their beginning.
_FUNCTION_WORDS = frozenset(
    """
    many much make makes making made get gets getting got use used using any some something anything someone
    anyone all each other about into over after before during while because without also just like one two new
    know need needs want wants remind tell told explain explains explained reason add added happen happens
    happened mean means meaning way ways thing things people good best better bad long day days time year
    years today tomorrow yesterday week weeks month months first last next again still already ever every
    really exactly only very too most more less few between whether number numbers ask say said see look looks
    find work works working please show shows give gives take takes took go goes going come comes keep keeps
    let us per up down off out tip tips
    것 수 적 때 때문에 난 안 더 덜 좀 꼭 못 잘 그 이 저 및 또는 등 법 방법 점 거 건 것은 것이 게 나 몇 왜 채
    자꾸 없이 자주 계속 보통 혹시 도대체 경우 정도 동안 사이 중 후 전 뒤 앞 곳 쪽 대로 만큼 대신 전에 후에
    뒤에 위해 위한 대해 대한 까닭 이유 좋은 가장 제일 모든 우리 내가 다시 지금 오늘 내일 어제 예전 하는 한 할
    한다 하면 하려면 하나 하나요 되나 되나요 될까 인가 인가요 여부
    은 는 을 를 의 에 로 와 과 도 만 가 에서 에게 까지 부터 으로 이나 이란 라는 이라는 처럼 보다
    년 월 일 시 분 초 개 명 원 회 번 장 달 두 세 네 다섯
    """.split()
)
_FUNCTION_BEGINNINGS = (
    "어떻", "어떤", "어디", "어느", "무엇", "무슨", "뭐", "뭔", "뭘", "언제", "누구", "누가", "얼마", "며칠",
    "알려", "설명해", "해줘", "해야", "있는", "있나", "있을", "있다", "있었", "있어", "없는", "없나", "없을", "없다",
    "없었", "없어", "않", "가능", "하루", "매일", "매주", "매달",
)  # fmt: skip
# Words that tell little wherever they stand, the trade's own among them: English by stem, Korean by beginning.
_COMMON_STEMS = frozenset(
    """
    amount break busi cancel caus chang check close color copi cost count creat data date delet depend due
    fail fix free hold increas list mail manual messag move name number object open order own owner page peopl
    period person price product purchas reduc remov replac reserv run sale save schedul send sequenc servic
    share size start stop structur success tax term time train type user valid write
    """.split()
)
_COMMON_BEGINNINGS = tuple(
    """
    원인 이유 해결 수정 날짜 시간 데이터 사용자 상태 만들 만든 문서 주소 시작 실행 담당 이름 개수 바꾸 바꾼
    바꿔 바꿀 바꿨 줄이 줄인 줄여 줄였 늘리 늘린 늘려 늘렸 순서 가격 기간 주기 간격 색상 상품 구매 판매 비용
    일정 회의 예약 취소 주문 문제 나오 나온 나와 보내 보여 걸리 걸려 걸린 생기 생긴 쓰는 쓰나 쓰지 주는 주나
    받는 받나 받을 오는 가는 찾는 찾은 찾아 시점 돌리 돌릴 돌려
    """.split()
)
# Terms that the glossary translates and that are as much at home outside the trade.
_PLAIN_STEMS = frozenset(
    """
    accept accid address adopt advertis agre appl area arriv averag balanc bank banner batteri bill bodi boot
    buyer camera card caution charact cherri choos circuit class click cloud cold collect compar connect
    contract control convert cooki correct coupon custom cycl danger dark decid deliveri dictionari dinner
    displai distanc doubl drill driver earn even event exchang expect fast fee first flood folder font forc
    foreign fork garbag goal googl grow guid halt health hide histori holidai ignor improv introduc invit
    iphon job kakao kei kind label launch lead letter level licens live loss lost lunch map mask maximum mean
    meet member menu merchant miss mobil music naver night normal number origin pad pai patch paus phase phone
    photo pickup pictur plan point pool posit promot qualiti quarter race radiu rang rate reader receipt
    receiv recommend reflect refund region regist releas renew repeat report restaur rider risk role round
    rout rule rust satur scale score seed seller ship shop shortag sign skip slow smoke speed spell splash
    spot spring sprint star steal step stock stolen store style submit subscrib sum summari surg swift symptom
    tabl temporari test text theme ticket topic total touch traffic train transfer translat vault video view
    wait warehous warm watch weekli weight window zone
    """.split()
)
_PLAIN_BEGINNINGS = tuple(
    """
    가게 매장 상점 식당 배달 배송 메뉴 카드 광고 추천 점심 저녁 야간 도착 예정 예상 시험 위치 지도 기기 글자
    사고 신고 회원 가입 고객 행사 이벤트 결정 심사 교환 반품 번역 사전 요금 수수료 목표 최소 최대 평균 작업
    종료 제안 배터리 키보드 사진 그림 카메라 동영상 비디오 오디오 기사 분기 주간 훈련 증상 부족 빠르 거리 합계
    비율 계산 수량 횟수 본인 본문 단추 티켓 가이드 창고 나머지 점수 별점 순위 후기 영수증 할인 휴일 마감 연결
    속도 크기 점검 학습 평가 품질 초대 메일 문자 화면 한글 통화 환율 세금 금액 동의 구조 단위 목록 보관 앱
    환불 갱신 체크 클릭 터치 패치 포크 클래스 리스트 텍스트 스위치 히스토리 패딩 컬러 스타트 콜드 로드 출시
    속성 이력 무시 라이브 헬스 교체 구독 확인 선택 변경 전환 조절 등록 해지 해제 추가 통계 표시 등급 은행 계좌
    전화 휴대폰 번호 범위 영역 구간 단계 주의 위험 개선 안정 호스트 교육 디자인 정지 대기 계약 조합 필수 유형
    종류 기록 글씨 심각 이체 초과 미만 전략 영향 아이폰 애플 구글 네이버 카카오 쿠폰 운영 지우 지운 지울 지워
    지웠 옮기 옮긴 옮겨 옮겼 멈추 멈춘 멈춰 멈췄 깨지 깨진 깨져 깨졌 막히 막혀 막힌 막혔 고치 고친 고쳐 고쳤
    사라 느리 느려 느린 느렸 늘어 겹치 겹쳐 겹쳤 겹친 숨기 바뀌 바뀐 안내 공지 기한 비교 발급 발행 조건 결과
    """.split()
)
# What may follow a Korean noun: particles, and the verbs that make an action of it (취소 -> 취소하려면).
_ENDINGS = frozenset(
    """
    은 는 이 가 을 를 의 에 로 와 과 도 만 나 들 님 으로 에서 에게 한테 께서 까지 부터 보다 처럼 마다 밖에
    이나 이란 라는 이라는 하고 에는 에도 에서는 에서의 에서도 으로는 으로도 로는 로도 에게는 까지는 까지만
    부터는 인지 인데 인 일 이다 이고 이며 이면 입니다 들은 들이 들을 들의 들에 들도 들과 님은 님이 님을 님의
    님에게
    하는 하는데 하다 하면 하면서 하고 하기 하게 하려면 하려고 하나 하나요 하지 하던 하며 하자 하여 하니 하거나
    하도록 한 한다 한다면 한지 한데 할 할까 할까요 할지 할때 할수 해 해서 해야 해도 해줘 해요 했다 했던 했는데
    했을 했나 했나요 했는지 했어 했어요 합니다 함
    되는 되는데 되다 되면 되면서 되고 되기 되게 되려면 되려고 되나 되나요 되지 되던 되며 되자 되니 되거나
    되도록 된 된다 된다면 된지 된데 될 될까 될까요 될지 될때 될수 돼 돼서 돼야 돼도 돼요 됐다 됐던 됐는데
    됐을 됐나 됐나요 됐는지 됐어 됐어요 됩니다 됨
    시키 시키는 시키면 시키고 시키지 시킨 시킨다 시킬 시켜 시켜서 시켜야 시켰다 시켰나 시킵니다
    """.split()
)
_LONGEST_ENDING = max(map(len, _ENDINGS))
_PREFIXES = frozenset("재비미무불신초다역반")  # of Korean nouns: 재가입 is a 가입


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

    def tokens(self) -> frozenset[str]:
        """Every token that can be evidence."""
        runs = (run for word, _weight in self.words for run in (word.tokens, *word.stems, *word.also))
        return frozenset(token for run in runs for token in run)

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
    # A noun that comes twice, with different particles, is one word.
    once = {_noun(word.text) or word.text: _completed(word) for word in reversed(content)}
    return Subject(tuple((word, _weight(word)) for word in reversed(once.values())), idf)


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
    if word.tokens[0] in _COMMON_STEMS or text.startswith(_COMMON_BEGINNINGS) or text.isdigit():
        return _COMMON_WEIGHT
    known = word.also and word.tokens[0] not in _PLAIN_STEMS and not text.startswith(_PLAIN_BEGINNINGS)
    shaped = any(character.isdigit() or character == "_" for character in text) and not text.isdigit()
    mixed = text.isascii() and len(text) > 1 and text[1:] != text[1:].lower()
    return _TRADE_WEIGHT if known or shaped or mixed else 1.0


def _noun(text: str) -> str:
    """A Korean noun of two syllables or more, without its particle or verbal ending; "" for any other word."""
    if text.isascii():
        return ""
    first = max(2, len(text) - _LONGEST_ENDING)  # a question may be one word of 100,000 syllables
    return next((text[:end] for end in range(first, len(text)) if text[end:] in _ENDINGS), "")


def _completed(word: Word) -> Word:
    """A Korean word with its noun among its stems, and without glossary terms that are only its tail.

    줄거리 (a plot) is no 거리 (a distance), 영업시간 not just any 시간.
    """
    if word.text.isascii():
        return word
    noun = _noun(word.text)
    own = (tuple(noun[at : at + 2] for at in range(len(noun) - 1)),) if noun else ()
    head = word.text[1:] if word.text[0] in _PREFIXES else word.text
    if any(text.startswith(_joined(run)) for run in word.stems for text in (word.text, head)):
        return word._replace(stems=(*word.stems, *own))
    return word._replace(also=(), stems=own)


def _joined(run: tuple[str, ...]) -> str:
    """Overlapping bigrams as the text they were made of."""
    return run[0] + "".join(pair[1:] for pair in run[1:])
