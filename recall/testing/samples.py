"""What the tests of the contract write into a store and ask for."""

from __future__ import annotations

from recall.testing.corpus import decomposed

# Every text holds the word "retry", so that a provider that can only be asked gives all of them for it.
WORD = "retry"
# In each text a phrase of its own, which nothing else says.
PHRASES = ("최대 3번까지 다시 시도한다", "환불은 7일 안에", "정산 배치는 새벽 2시에")
NOTES = {
    "retry-policy": f"결제 재시도 retry 정책. 실패한 결제는 {PHRASES[0]}. 간격은 1초, 4초, 16초이다.",
    "refund-rules": f"환불 규칙. {PHRASES[1]} 처리하고, 실패하면 retry 대신 담당자에게 알린다.",
    "settlement": f"정산 일정. {PHRASES[2]} 시작하며, 멈추면 retry 큐에서 이어 간다.",
}
# The first text with one character changed, so that its length stays.
CHANGED_PHRASE = PHRASES[0].replace("3", "5")
CHANGED = NOTES["retry-policy"].replace(PHRASES[0], CHANGED_PHRASE)
ONE_MORE = "알림 규칙. 실패한 알림은 retry 없이 기록만 남긴다."
LONG = "긴 기록의 한 줄이며 retry 이야기가 계속 이어진다.\n" * 1000

KOREAN_QUESTION = "결제 재시도 정책"
DECOMPOSED_NAME = decomposed("배포-순서")
DECOMPOSED_PHRASE = decomposed("마이그레이션을 먼저 돌린다")
DECOMPOSED_TEXT = decomposed("배포 순서. retry 워커를 멈추고 ") + DECOMPOSED_PHRASE + "."
DECOMPOSED_QUESTION = "배포 순서 마이그레이션"

# Made of two parts, so that no scanner takes this file for one that holds a token.
SECRET = "ghp_" + "x7Kq2Vb9Wn4Rt6Yz1Lm8Pc3Df5Gh0Js2AbQe"
# A terminal sequence, a direction override, a zero-width space, a tag character.
HIDDEN = ("\x1b[31m", "\u202e", "\u200b", "\U000e0041")
