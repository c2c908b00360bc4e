"""What the tests of the contract stand on: the fixture, looks through a provider, engines, failing with a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import pytest

from recall.answer import Answer
from recall.api import Health, Memory, Query
from recall.engine import Engine
from recall.testing import samples
from recall.testing.checks import manners, states
from recall.testing.corpus import Corpus
from recall.testing.engines import make_engine
from recall.testing.finding import Finding
from recall.testing.look import Look, Read, asked_health, look
from recall.testing.watched import SECONDS, Watched, watched

T = TypeVar("T")


class Base:
    """Fixture and helpers. Subclass `ProviderContract` or `SearchProviderContract`, not this one."""

    # Real seconds of a deadline; what takes twice as long is called hung.
    seconds: ClassVar[float] = SECONDS
    # Tests that make no sense for this kind of store, each with the reason with which it is skipped.
    skips: ClassVar[Mapping[str, str]] = {}
    # What a provider that can only be asked is asked; None: it is read.
    query: ClassVar[Query | None] = None

    @pytest.fixture
    def corpus(self, tmp_path: Path) -> Corpus:
        """The store: override it. `tmp_path` is the test's own folder."""
        pytest.fail(
            f"{type(self).__name__} has no fixture `corpus`: return FolderCorpus(tmp_path, your_module, place) "
            "or a Corpus of your own",
            pytrace=False,
        )

    @pytest.fixture(autouse=True)
    def _skipped(self, request: pytest.FixtureRequest) -> None:
        reason = self.skips.get(request.node.name.partition("[")[0])
        if reason:
            pytest.skip(reason)

    def look(self, corpus: Corpus, provider: Any = None, *, leftovers: bool = False) -> Look:
        """A look through the corpus, however it went."""
        provider = corpus.provider() if provider is None else provider
        return look(provider, corpus.scope, query=self.query, seconds=self.seconds, leftovers=leftovers)

    def read(self, corpus: Corpus, provider: Any = None) -> Read:
        """What can be read; the test fails if reading did."""
        done = self.look(corpus, provider).read
        keeps(manners.outcome("reading", done))
        return value(done)

    def health(self, corpus: Corpus, provider: Any = None) -> Health:
        """What the provider says; the test fails if it says nothing sensible."""
        provider = corpus.provider() if provider is None else provider
        done = watched(lambda: asked_health(provider, corpus.scope, self.seconds), 2 * self.seconds)
        keeps(manners.outcome("health", done))
        keeps(states.health(done.value))
        return value(done)

    def filled(self, corpus: Corpus) -> Corpus:
        """The corpus with three memories."""
        corpus.make()
        return self.with_notes(corpus)

    def with_notes(self, corpus: Corpus) -> Corpus:
        """The corpus, which is made already, with three memories."""
        for name, text in samples.NOTES.items():
            corpus.write(name, text)
        return corpus

    def with_engine(self, corpus: Corpus, work: Callable[[Engine], None]) -> None:
        """Do something with an engine over the provider, whose index is empty at first or as it was left."""
        engine = make_engine(corpus.folder / "recall", [corpus.provider()], corpus.scope)
        try:
            work(engine)
        finally:
            engine.close()

    def found(self, corpus: Corpus, asked: str, phrase: str) -> None:
        """The test fails if a question does not find what says a phrase."""

        def ask(engine: Engine) -> None:
            answer = engine.recall(asked, deadline=self.seconds)
            if not says(answer, phrase):
                reasons = [f"{one.provider} {one.state} {one.reason}" for one in answer.outcomes]
                fault("search", f"{asked!r} does not find what says {phrase!r}: {'; '.join(reasons)}")

        self.with_engine(corpus, ask)


def says(answer: Answer, phrase: str) -> bool:
    """Whether a memory of the answer has this phrase in its text."""
    return any(phrase in hit.ranked.row.text for hit in answer.hits)


def keeps(findings: Iterable[Finding]) -> None:
    """Fail with all of them, without a trace through the suite: the fault is the provider's."""
    found = list(findings)
    if found:
        pytest.fail("\n".join(dict.fromkeys(map(str, found))), pytrace=False)


def fault(about: str, what: str) -> None:
    """Fail with one finding."""
    keeps([Finding(about, what)])


def holding(read: Read, phrase: str) -> list[Memory]:
    """The memories whose text has this phrase."""
    return [memory for memory in read.memories if phrase in memory.text]


def value(done: Watched[T]) -> T:
    """What came of work that went well."""
    assert done.value is not None
    return done.value
