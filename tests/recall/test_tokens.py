"""Text to search tokens."""

from __future__ import annotations

import tomllib
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recall
from recall.tokens import MAX_QUESTION_TOKENS, Tokenizer, load_glossary

GLOSSARY = Path(recall.__file__).parent / "data" / "ko_en_glossary.toml"


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer(load_glossary(GLOSSARY.read_text(encoding="utf-8")))


def test_hangul_becomes_overlapping_bigrams(tokenizer: Tokenizer) -> None:
    assert tokenizer.tokens("재시도를 멈춘다") == ["재시", "시도", "도를", "멈춘", "춘다"]


def test_a_single_syllable_stays_itself(tokenizer: Tokenizer) -> None:
    assert tokenizer.tokens("락") == ["락"]


def test_a_decomposed_name_gives_the_tokens_of_the_composed_one(tokenizer: Tokenizer) -> None:
    composed = "환불정책.md"
    assert tokenizer.tokens(unicodedata.normalize("NFD", composed)) == tokenizer.tokens(composed)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("contextHandle", {"contexthandl", "context", "handl"}),
        ("ROUND_HALF_UP", {"round_half_up", "round", "half", "up"}),
        ("src/auth/sessionManager.ts", {"src", "auth", "sessionmanag", "session", "manag", "ts"}),
        ("HTTPServer2", {"httpserver2", "http", "server", "2"}),
        ("Redis로", {"redi", "로"}),
    ],
)
def test_identifiers_are_kept_whole_and_split(tokenizer: Tokenizer, text: str, wanted: set[str]) -> None:
    assert wanted <= set(tokenizer.tokens(text))


def test_english_is_stemmed_and_stop_words_are_dropped(tokenizer: Tokenizer) -> None:
    assert tokenizer.tokens("the retries were retried") == ["retri", "retri"]


def test_other_scripts_are_words(tokenizer: Tokenizer) -> None:
    assert tokenizer.tokens("Повтор ПЛАТЕЖА") == ["повтор", "платежа"]


def test_a_korean_word_is_also_asked_for_in_english_and_by_its_synonyms(tokenizer: Tokenizer) -> None:
    (word,) = tokenizer.words("데드락이")
    assert ("deadlock",) in word.also
    assert ("교착",) in word.also


def test_an_english_word_is_also_asked_for_in_korean(tokenizer: Tokenizer) -> None:
    (word,) = tokenizer.words("retries")
    assert ("재시", "시도") in word.also


def test_a_syllable_inside_a_word_is_no_glossary_term() -> None:
    tokenizer = Tokenizer({"락": ("lock",)})
    assert tokenizer.words("락")[0].also == (("lock",),)
    assert tokenizer.words("연락처를")[0].also == ()


def test_a_very_long_question_is_cut_to_the_limit(tokenizer: Tokenizer) -> None:
    words = tokenizer.words(" ".join(f"word{number}x" for number in range(5_000)))
    assert sum(len(word.tokens) for word in words) <= MAX_QUESTION_TOKENS


def test_the_glossary_reader_agrees_with_a_toml_parser() -> None:
    text = GLOSSARY.read_text(encoding="utf-8")
    parsed = {key: tuple(value) for key, value in tomllib.loads(text).items()}
    assert load_glossary(text) == parsed
    assert len(parsed) > 300


@given(st.text(max_size=300))
def test_tokens_never_raise_and_hold_no_blank_or_quote(text: str) -> None:
    for token in Tokenizer().tokens(text):
        assert token
        assert not set(token) & set(" \t\n\"'")


@given(st.text(alphabet="가나다라마바사 abcXYZ_09-/", max_size=80))
def test_composition_does_not_change_tokens(text: str) -> None:
    tokenizer = Tokenizer()
    assert tokenizer.tokens(unicodedata.normalize("NFD", text)) == tokenizer.tokens(text)
