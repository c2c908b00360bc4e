"""How every provider behaves: on time, quietly, and without a trace."""

from __future__ import annotations

import pytest

from recall.errors import DeadlineExceeded, ProviderError
from recall.testing import traces
from recall.testing.base import Base, fault, keeps
from recall.testing.checks import manners
from recall.testing.corpus import Corpus
from recall.testing.watched import watched


class BehaviourTests(Base):
    """Nothing changed, printed or left; nothing shared; ended in time."""

    def test_reading_changes_nothing_of_the_source(self, corpus: Corpus) -> None:
        self.filled(corpus)
        before = traces.snapshot(*corpus.sources())
        self.look(corpus)
        keeps(manners.unchanged(before, traces.snapshot(*corpus.sources())))

    def test_looking_for_an_absent_store_makes_nothing(self, corpus: Corpus) -> None:
        before = traces.snapshot(*corpus.sources())
        self.look(corpus)
        keeps(manners.unchanged(before, traces.snapshot(*corpus.sources())))

    def test_it_looks_only_where_the_scope_says(
        self, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.filled(corpus)
        other = corpus.elsewhere()
        monkeypatch.setenv("HOME", str(corpus.scope.home))
        monkeypatch.chdir(corpus.scope.root)
        read = self.read(other)
        if read.memories:
            fault(
                "instances",
                f"in a scope without any store it gives {read.memories[0].id!r}: take home, project and environment "
                "from the scope, never from the process",
            )

    def test_two_instances_share_nothing(self, corpus: Corpus) -> None:
        self.filled(corpus)
        first, second = corpus.provider(), corpus.elsewhere()
        before = self.read(corpus, first)
        stranger = self.read(second)
        if set(stranger.ids) & set(before.ids):
            fault(
                "instances",
                "a second provider gives the memories of the first: keep nothing in module or class",
            )
        if self.read(corpus, first).ids != before.ids:
            fault("instances", "after a second provider was asked the first gives something else")

    def test_it_prints_nothing(self, corpus: Corpus, capfd: pytest.CaptureFixture[str]) -> None:
        self.filled(corpus)
        capfd.readouterr()
        found = self.look(corpus)
        for what, done in found.parts:
            keeps(manners.quiet(what, done))
        printed = capfd.readouterr().out
        if printed:
            fault("quiet", f"{printed[:80]!r} was printed past Python's stdout, perhaps by a child process")

    def test_reading_leaves_no_thread_and_no_child_process(self, corpus: Corpus) -> None:
        for what, done in self.look(self.filled(corpus), leftovers=True).parts:
            keeps(manners.nothing_left(what, done))

    def test_health_ends_within_its_deadline(self, corpus: Corpus) -> None:
        keeps(manners.outcome("health", self.look(self.filled(corpus)).health))

    def test_reading_ends_within_its_deadline(self, corpus: Corpus) -> None:
        keeps(manners.outcome("reading", self.look(self.filled(corpus)).read))

    def test_health_ends_at_once_when_its_deadline_has_passed(self, corpus: Corpus) -> None:
        provider = self.filled(corpus).provider()
        done = watched(lambda: provider.health(corpus.scope, manners.passed()), self.seconds)
        if not isinstance(done.error, DeadlineExceeded | ProviderError):
            keeps(manners.outcome("health, asked when its deadline had passed,", done))
