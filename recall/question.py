"""A question, weighed against an index: which of its terms are searched, and what it is about."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recall.errors import UsageError
from recall.index import Index
from recall.relevance import Subject, subject
from recall.tokens import Tokenizer, Word

MAX_TERMS = 32  # terms of one question that are searched: the most distinctive ones
EXPANSION_WEIGHT = 0.5  # of a glossary translation in the score


class Question(NamedTuple):
    """A question's words with their weights; `passes` and `frequencies` are what the index wants to know."""

    text: str
    # Each with its weight: mean inverse document frequency of its tokens.
    words: tuple[tuple[Word, float], ...]
    frequencies: Mapping[str, int]
    subject: Subject
    passes: tuple[tuple[float, tuple[str, ...]], ...]
    ignored: int  # distinct terms that were not searched because the question has too many

    def key_terms(self) -> tuple[str, ...]:
        """The words as they were typed, most distinctive first: for sources that can only be asked."""
        return tuple(word.text for word, _weight in sorted(self.words, key=lambda pair: -pair[1]))


def words(text: str, tokenizer: Tokenizer) -> list[Word]:
    """The words of a question; raises UsageError if there is none to search for."""
    found = tokenizer.words(text.replace("\0", " "))
    if not found:
        raise UsageError(
            "the question holds no word to search for", "ask with at least one word or identifier"
        )
    return found


def weigh(text: str, words: Sequence[Word], index: Index) -> Question:
    """Weigh a question's words against an index."""
    tokens = list(dict.fromkeys(token for word in words for token in word.tokens))
    runs = list(dict.fromkeys(run for word in words for run in word.also))
    frequencies = index.document_frequencies({*tokens, *(token for run in runs for token in run)})
    size = index.size()
    idf = {token: _idf(size, frequencies[token]) for token in frequencies}
    searched = sorted(tokens, key=lambda token: -idf[token])[:MAX_TERMS]
    expansions = [" ".join(run) for run in runs][:MAX_TERMS]
    weighted = tuple((word, sum(idf[token] for token in word.tokens) / len(word.tokens)) for word in words)
    passes = ((1.0, tuple(searched)), (EXPANSION_WEIGHT, tuple(expansions)))
    return Question(text, weighted, frequencies, subject(words, idf), passes, len(tokens) - len(searched))


def _idf(size: int, frequency: int) -> float:
    """BM25's inverse document frequency in the form that never turns negative (Lucene's)."""
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))
