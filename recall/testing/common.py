"""What every provider keeps, whether it is read or asked: what it says of itself, of its store, and of its memories."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import entry_points

import pytest

from recall.api import State
from recall.hookspecs import ENTRY_POINT_GROUP
from recall.testing import samples
from recall.testing.base import Base, fault, holding, keeps
from recall.testing.checks import content, declared, imported, states
from recall.testing.corpus import Corpus


class CommonTests(Base):
    """Name, options, import; states and counts; ids, dates, texts, problems; nothing quoted."""

    # --- what it says of itself ---------------------------------------------------------------------------

    def test_its_name_is_well_formed(self, corpus: Corpus) -> None:
        keeps(declared.name(corpus.provider_class))

    def test_its_entry_point_has_its_name(self, corpus: Corpus) -> None:
        module = corpus.plugin if isinstance(corpus.plugin, str) else corpus.plugin.__name__
        group = entry_points(group=ENTRY_POINT_GROUP)
        registered = [entry for entry in group if entry.module == module.partition(":")[0]]
        if not registered:
            pytest.skip(f"no installed distribution registers {module}: try `pip install -e .`")
        keeps(declared.entry_point(corpus.provider_class, registered))

    def test_its_options_are_frozen_and_each_has_a_line_of_help(self, corpus: Corpus) -> None:
        keeps(declared.options(corpus.provider_class))

    def test_importing_it_is_light(self, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> None:
        keeps(imported.light(imported.imported(corpus.plugin, tmp_path_factory.mktemp("home"))))

    def test_importing_it_prints_writes_and_starts_nothing(
        self, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        keeps(imported.harmless(imported.imported(corpus.plugin, tmp_path_factory.mktemp("home"))))

    # --- states -------------------------------------------------------------------------------------------

    def test_an_absent_store_is_absent_and_no_exception(self, corpus: Corpus) -> None:
        found = self.health(corpus)
        if found.state not in (State.ABSENT, State.OFF):
            fault(
                "states",
                f"without a store health says {found.state}: say ABSENT, or OFF if it must be set up",
            )
        read = self.read(corpus)
        if read.entries or read.memories:
            fault("states", f"without a store it gives {len(read.entries or read.memories)} items")

    def test_an_empty_store_is_not_ready(self, corpus: Corpus) -> None:
        corpus.make()
        self._holds_nothing(corpus, "an empty store")

    def test_blank_text_is_not_content(self, corpus: Corpus) -> None:
        corpus.make()
        corpus.write_blank("blank")
        self._holds_nothing(corpus, "a store with nothing but a blank item")

    def test_template_text_is_not_content(self, corpus: Corpus) -> None:
        corpus.make()
        corpus.write_template("template")
        self._holds_nothing(corpus, "a store with nothing but an unfilled template")

    def test_a_store_with_memories_is_ready(self, corpus: Corpus) -> None:
        found = self.health(self.filled(corpus))
        if found.state is not State.READY:
            fault("states", f"with three memories health says {found.state}: {found.reason}")

    def test_health_and_listing_tell_the_same(self, corpus: Corpus) -> None:
        for prepare in (lambda: None, corpus.make, lambda: self.with_notes(corpus)):
            prepare()
            keeps(states.agreement(self.health(corpus), self.read(corpus)))

    def test_health_counts_what_can_be_read(self, corpus: Corpus) -> None:
        self.filled(corpus)
        before = self.health(corpus)
        keeps(states.counts(before, self.read(corpus)))
        corpus.write("one-more", samples.ONE_MORE)
        after = self.health(corpus)
        keeps(states.counts(after, self.read(corpus)))
        if before.claimed is not None and after.claimed == before.claimed:
            fault("counts", f"health counts {before.claimed} before and after one more was written")

    # --- content ------------------------------------------------------------------------------------------

    def test_a_memory_says_what_was_written(self, corpus: Corpus) -> None:
        read = self.read(self.filled(corpus))
        keeps(content.kinds(read))
        keeps(content.texts(read.memories))
        for phrase in samples.PHRASES:
            if not holding(read, phrase):
                fault(
                    "text", f"{phrase!r} was written and no memory says it: {[m.text for m in read.memories]}"
                )

    def test_ids_are_unique_and_the_same_over_two_runs(self, corpus: Corpus) -> None:
        first, second = self.read(self.filled(corpus)), self.read(corpus)
        keeps(content.unique(first))
        keeps(content.stable(first, second))
        keeps(content.uris(corpus.provider_class.name, first.memories))

    def test_dates_are_utc_and_say_where_they_come_from(self, corpus: Corpus) -> None:
        keeps(content.dates(self.read(self.filled(corpus)).memories))
        newest = self.health(corpus).newest
        if newest is not None and newest.utcoffset():
            fault(
                "dates",
                f"health's newest is {newest!r}, not UTC: utc_from_epoch and utc_from_text make it so",
            )

    def test_an_unreadable_item_does_not_hide_the_others(self, corpus: Corpus) -> None:
        name, *_others = samples.NOTES
        self.filled(corpus)
        corpus.spoil(name)
        read = self.read(corpus)
        for phrase in samples.PHRASES[1:]:
            if not holding(read, phrase):
                fault(
                    "problems",
                    f"one item is unreadable, and {phrase!r} of another one cannot be read any more",
                )

    def test_an_unreadable_item_is_counted(self, corpus: Corpus) -> None:
        name, *_others = samples.NOTES
        self.filled(corpus)
        corpus.spoil(name)
        read, found = self.read(corpus), self.health(corpus)
        keeps(content.problems(read))
        if not read.problems:
            fault("problems", "an item is unreadable and no Problem says it: what is skipped is counted")
        keeps(states.problems_counted(found, read))
        keeps(states.counts(found, read))

    def test_too_long_a_text_is_cut_and_the_cut_is_told(self, corpus: Corpus) -> None:
        if not corpus.limits:
            corpus.cannot(
                "no limits are declared: `limits` of the corpus names option values for a small one"
            )
        corpus.make()
        corpus.write("long", samples.LONG)
        provider = corpus.provider(**corpus.limits)
        read = self.read(corpus, provider)
        if sum(len(memory.text) for memory in read.memories) >= len(samples.LONG):
            fault(
                "limits", f"with {dict(corpus.limits)} a text of {len(samples.LONG):,} characters comes whole"
            )
        remarks = [memory for memory in read.memories if memory.text[-40:].strip() not in samples.LONG]
        if not (read.problems or remarks):
            fault("limits", "a long text is cut and nobody is told: yield a Problem, or say it in the text")

    # --- safety -------------------------------------------------------------------------------------------

    def test_secrets_do_not_get_through(self, corpus: Corpus) -> None:
        self.filled(corpus)
        corpus.write("deployment", f"배포 retry 토큰은 {samples.SECRET} 이고 매달 바뀐다.")
        shown = self._said(corpus)
        if any(samples.SECRET in text for text in shown):
            fault(
                "safety",
                "a secret of a memory is in an id, a key, a problem or in health: never quote content",
            )

    def test_hidden_characters_do_not_get_through(self, corpus: Corpus) -> None:
        self.filled(corpus)
        corpus.write("deployment", f"배포 retry 순서{''.join(samples.HIDDEN)}는 정해져 있다.")
        shown = self._said(corpus)
        if any(sign in text for text in shown for sign in samples.HIDDEN):
            fault("safety", "a hidden character of a text is in an id, a key, a problem or in health")

    def _holds_nothing(self, corpus: Corpus, what: str) -> None:
        found, read = self.health(corpus), self.read(corpus)
        if found.state.usable or found.items:
            fault("states", f"{what} is {found.state} with {found.items} memories: READY needs real content")
        if read.memories:
            fault(
                "text",
                f"{what} gives the memory {read.memories[0].id!r}: leave it out "
                "(recall.documents.is_blank and is_template tell)",
            )

    def _said(self, corpus: Corpus) -> Iterable[str]:
        """Every text that a provider says itself, beside what its memories hold."""
        found, read = self.health(corpus), self.read(corpus)
        said = [found.reason, found.next_step, *found.facts, *found.places, *read.ids]
        said += (text for entry in read.entries for text in (entry.key, entry.stamp, entry.store))
        for problem in (*found.problems, *read.problems):
            said += (problem.where, problem.reason)
        return said
