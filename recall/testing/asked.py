"""The contract of a provider that can only be asked: `search`."""

from __future__ import annotations

from typing import ClassVar

from recall.api import Deadline, Query
from recall.errors import DeadlineExceeded, ProviderError
from recall.testing import samples
from recall.testing.base import fault, holding, keeps
from recall.testing.behaviour import BehaviourTests
from recall.testing.checks import manners
from recall.testing.common import CommonTests
from recall.testing.corpus import Corpus
from recall.testing.look import read
from recall.testing.watched import watched

_FEW = 2  # memories asked for of a store that has three


class SearchProviderContract(CommonTests, BehaviourTests):
    """Subclass it and give it a fixture `corpus`; see `recall.testing`."""

    query: ClassVar[Query | None] = Query(samples.WORD, (samples.WORD,))

    def test_no_more_than_the_limit_is_given(self, corpus: Corpus) -> None:
        self.filled(corpus)
        query = Query(samples.WORD, (samples.WORD,), limit=_FEW)
        provider = corpus.provider()
        done = watched(
            lambda: read(provider, corpus.scope, query, Deadline.after(self.seconds)), 2 * self.seconds
        )
        keeps(manners.outcome("a search", done))
        if done.value is not None and len(done.value.memories) > _FEW:
            fault(
                "limits",
                f"{len(done.value.memories)} memories came for a limit of {_FEW}: keep to query.limit",
            )

    def test_korean_is_found(self, corpus: Corpus) -> None:
        self.found(self.filled(corpus), samples.KOREAN_QUESTION, samples.PHRASES[0])

    def test_decomposed_korean_is_found(self, corpus: Corpus) -> None:
        self.filled(corpus).write(samples.DECOMPOSED_NAME, samples.DECOMPOSED_TEXT)
        self.found(corpus, samples.DECOMPOSED_QUESTION, "이그레이션")

    def test_a_deleted_memory_is_gone(self, corpus: Corpus) -> None:
        provider = self.filled(corpus).provider()
        self.read(corpus, provider)
        corpus.remove("retry-policy")
        if holding(self.read(corpus, provider), samples.PHRASES[0]):
            fault("deletion", "a deleted memory is still given")

    def test_a_search_ends_at_once_when_its_deadline_has_passed(self, corpus: Corpus) -> None:
        provider = self.filled(corpus).provider()
        assert self.query is not None
        query = self.query
        done = watched(
            lambda: list(provider.search(query, corpus.scope, manners.passed()) or ()), self.seconds
        )
        if isinstance(done.error, DeadlineExceeded | ProviderError):
            return
        keeps(manners.outcome("a search whose deadline had passed", done))
        if done.value:
            fault("time", "a search whose deadline had passed gives its memories: call deadline.check()")
