"""The floor: a question about nothing remembered gets nothing."""

from __future__ import annotations

from typing import SupportsIndex

import pytest

from recall import relevance
from recall.engine import Engine
from recall.relevance import subject
from recall.testing.fakes import Notes
from recall.tokens import Tokenizer
from support.worlds import make_engine

NOTES = {
    "retry": "실패한 결제는 최대 세 번까지 재시도한다. 간격은 1초, 4초, 16초이다. 구현은 src/payments/retryWorker.ts",
    "rollback": "롤백은 make rollback TAG=v1 으로 한다. 데이터베이스 스키마는 되돌리지 않는다.",
    "cache": "The product page cache expires after 60 seconds; price changes delete the key product:{id}.",
    "batch": "정산 배치는 매일 새벽 2시에 돈다. 휴일에는 다음 영업일로 미룬다.",
    "deadlock": "주문과 재고 테이블을 반대 순서로 잠가서 교착 상태가 생겼다.",
    "pool": "Connection pool size is ten per instance, otherwise PostgreSQL refuses new connections.",
    "deploy": "배포는 화요일과 목요일 오후에만 한다. 금요일 배포는 금지다.",
    "tests": "Run the payment tests before every commit; they take 40 seconds.",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    made = make_engine(tmp_path_factory.mktemp("floor"), [Notes("notes", NOTES)])
    made.recall("결제", deadline=30)
    return made


def titles(engine: Engine, question: str) -> list[str]:
    return [hit.ranked.row.uri.rsplit("/", 1)[-1] for hit in engine.recall(question, read=False).hits]


@pytest.mark.parametrize(
    "question",
    [
        "김치찌개 맛있게 끓이는 법",
        "내일 서울에 비가 올까",
        "고양이가 밥을 안 먹을 때 어떻게 하나요",
        "피아노를 배우기 좋은 나이",
        "주말에 갈 만한 등산 코스 추천",
        "영화 감독 이름이 뭐였지",
        "쀍뚫꿹 뛟휇",
        "how do I bake sourdough bread",
        "capital city of Mongolia",
        "who won the football world cup",
        "blorptang zizzle frobnak",
        "symptoms of vitamin deficiency",
        "guitar chords for beginners",
        "what causes northern lights",
    ],
)
def test_a_question_about_nothing_remembered_gets_nothing(engine: Engine, question: str) -> None:
    assert titles(engine, question) == []


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("결제 재시도 정책", "retry"),
        ("재시도", "retry"),
        ("retry worker", "retry"),
        ("retryWorker.ts", "retry"),
        ("how many times do we retry a payment", "retry"),
        ("롤백은 어떻게 하지", "rollback"),
        ("캐시가 언제 만료되나", "cache"),
        ("정산배치 시간", "batch"),
        ("데드락이 난 이유", "deadlock"),
        ("커넥션 풀 크기", "pool"),
        ("릴리스해도 되는 요일", "deploy"),
        ("커밋하기 전에 돌려야 하는 테스트", "tests"),
    ],
)
def test_a_question_about_something_remembered_gets_it_first(
    engine: Engine, question: str, wanted: str
) -> None:
    assert titles(engine, question)[:1] == [wanted]


@pytest.mark.parametrize("question", ["정산배치를 미룰 때", "배포하려면", "롤백하면서 스키마까지 되돌리나"])
def test_particles_and_verbal_endings_do_not_hide_a_noun(engine: Engine, question: str) -> None:
    assert titles(engine, question)


def test_a_noun_said_twice_counts_once() -> None:
    words = Tokenizer().words("롤백은 롤백을 롤백으로")
    assert len(subject(words, dict.fromkeys(words[0].tokens, 1.0)).words) == 1


def test_a_glossary_term_that_is_only_the_tail_of_another_noun_says_nothing() -> None:
    tokenizer = Tokenizer({"거리": ("distance",), "가입": ("signup",)})
    plot, again = (subject(tokenizer.words(text), {}).words[0][0] for text in ("줄거리를", "재가입을"))
    assert plot.also == ()
    assert again.also == (("signup",),)


def test_a_term_at_home_outside_the_trade_weighs_as_an_everyday_word() -> None:
    tokenizer = Tokenizer({"배달": ("delivery",), "교착": ("deadlock",)})
    weights = dict(
        zip(
            ("배달", "교착"), (w for _word, w in subject(tokenizer.words("배달 교착"), {}).words), strict=True
        )
    )
    assert weights["배달"] < weights["교착"]


def test_a_question_of_one_very_long_word_is_looked_at_only_where_its_ending_can_be() -> None:
    class Counted(str):
        slices = 0

        def __getitem__(self, key: SupportsIndex | slice) -> str:
            Counted.slices += 1
            return super().__getitem__(key)

    assert relevance._noun(Counted("가" * 100_000 + "에서")) == "가" * 100_000
    assert Counted.slices < 20
