"""The contract of a provider whose text can be read: `entries` and `load`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from typing import Any

from recall.api import Deadline, Entry
from recall.engine import Engine
from recall.errors import DeadlineExceeded, ProviderError
from recall.intake import memory_uri
from recall.render import document
from recall.testing import samples
from recall.testing.base import fault, holding, keeps, says
from recall.testing.behaviour import BehaviourTests
from recall.testing.checks import content, manners
from recall.testing.common import CommonTests
from recall.testing.corpus import Corpus
from recall.testing.look import Read, closing
from recall.testing.watched import watched

_MANY = 12  # entries of a listing that must notice that its time is over


class ProviderContract(CommonTests, BehaviourTests):
    """Subclass it and give it a fixture `corpus`; see `recall.testing`."""

    # --- stamps -------------------------------------------------------------------------------------------

    def test_stamps_stay_while_nothing_changes(self, corpus: Corpus) -> None:
        provider = self.filled(corpus).provider()
        first = self.read(corpus, provider)
        keeps(content.stable(first, self.read(corpus, provider)))
        keeps(content.stable(first, self.read(corpus)))

    def test_a_stamp_changes_when_its_content_does(self, corpus: Corpus) -> None:
        before, after = self._changed(corpus)
        old = dict(before.loaded)
        for key, memories in after.loaded:
            same_stamp = before.stamps.get(key) == after.stamps[key]
            if same_stamp and [memory.text for memory in memories] != [memory.text for memory in old[key]]:
                fault(
                    "stamps",
                    f"{key!r} has another text and the same stamp {after.stamps[key]!r}: nobody reads it",
                )
        if not holding(after, samples.CHANGED_PHRASE):
            fault(
                "stamps",
                f"{samples.CHANGED_PHRASE!r} was written over {samples.PHRASES[0]!r} and cannot be read",
            )

    def test_a_stamp_changes_only_when_its_content_does(self, corpus: Corpus) -> None:
        before, after = self._changed(corpus)
        old = dict(before.loaded)
        for key, memories in after.loaded:
            other_stamp = key in before.stamps and before.stamps[key] != after.stamps[key]
            if other_stamp and memories == old[key]:
                fault(
                    "stamps",
                    f"{key!r} got another stamp when another entry changed: make it of what this entry is made of",
                )

    def test_a_changed_memory_is_read_anew_by_the_same_instance(self, corpus: Corpus) -> None:
        provider = self.filled(corpus).provider()
        self.read(corpus, provider)
        corpus.write("retry-policy", samples.CHANGED)
        read = self.read(corpus, provider)
        if not holding(read, samples.CHANGED_PHRASE) or holding(read, samples.PHRASES[0]):
            fault(
                "stamps",
                "after a change the same provider still gives the old text: what it keeps must be checked",
            )

    # --- what is gone -------------------------------------------------------------------------------------

    def test_a_deleted_memory_is_gone(self, corpus: Corpus) -> None:
        provider = self.filled(corpus).provider()
        self.read(corpus, provider)
        corpus.remove("retry-policy")
        read = self.read(corpus, provider)
        if holding(read, samples.PHRASES[0]):
            fault("deletion", "a deleted memory is still given: list what is there now")
        if not holding(read, samples.PHRASES[1]):
            fault("deletion", "after one memory was deleted another one cannot be read any more")

    def test_an_entry_that_is_gone_loads_nothing(self, corpus: Corpus) -> None:
        provider = self.filled(corpus).provider()
        entries = self.read(corpus, provider).entries
        corpus.remove("retry-policy")
        for entry in entries:
            done = watched(partial(_texts, provider, entry, corpus), self.seconds)
            if isinstance(done.error, ProviderError):
                continue
            keeps(manners.outcome(f"load of {entry.key!r}, which may be gone,", done))
            if any(samples.PHRASES[0] in text for text in done.value or ()):
                fault("deletion", f"{entry.key!r} is deleted and load still gives its text")

    # --- through the engine -------------------------------------------------------------------------------

    def test_korean_is_found(self, corpus: Corpus) -> None:
        self.found(self.filled(corpus), samples.KOREAN_QUESTION, samples.PHRASES[0])

    def test_decomposed_korean_is_found(self, corpus: Corpus) -> None:
        self.filled(corpus).write(samples.DECOMPOSED_NAME, samples.DECOMPOSED_TEXT)
        self.found(corpus, samples.DECOMPOSED_QUESTION, "이그레이션")

    def test_every_uri_shows_its_memory(self, corpus: Corpus) -> None:
        self.filled(corpus)
        corpus.write(samples.DECOMPOSED_NAME, samples.DECOMPOSED_TEXT)
        read = self.read(corpus)
        name = corpus.provider_class.name
        keeps(content.uris(name, read.memories))

        def shown(engine: Engine) -> None:
            engine.recall(samples.KOREAN_QUESTION, deadline=self.seconds)
            for memory in read.memories:
                uri = memory_uri(name, memory.id)
                if engine.show(uri, self.seconds) is None:
                    fault(
                        "ids",
                        f"`recall show {uri}` finds nothing: two ids are the same, or an id is not stable",
                    )

        self.with_engine(corpus, shown)

    def test_an_answer_shows_no_secret_and_no_hidden_character(self, corpus: Corpus) -> None:
        corpus.make()
        text = f"배포 retry 토큰은 {samples.SECRET} 이다.{''.join(samples.HIDDEN)} 배포 순서도 정해져 있다."
        corpus.write("deployment", text)

        def clean(engine: Engine) -> None:
            answer = engine.recall("배포 토큰", deadline=self.seconds)
            if not answer.hits:
                fault("search", f"{text!r} was written, and asking for its words finds nothing")
            told = json.dumps(document.answer(answer), ensure_ascii=False)
            for sign in (samples.SECRET, *samples.HIDDEN):
                if sign in told or json.dumps(sign)[1:-1] in told:
                    fault(
                        "safety", f"{sign!a} of a memory's text is in the answer: it is in more than its text"
                    )

        self.with_engine(corpus, clean)

    def test_a_deleted_memory_is_no_answer_any_more(self, corpus: Corpus) -> None:
        self.found(self.filled(corpus), samples.KOREAN_QUESTION, samples.PHRASES[0])
        corpus.remove("retry-policy")

        def gone(engine: Engine) -> None:
            answer = engine.recall(samples.KOREAN_QUESTION, deadline=self.seconds)
            if says(answer, samples.PHRASES[0]):
                fault("deletion", "a deleted memory still answers: its entry is still listed")

        self.with_engine(corpus, gone)

    # --- manners ------------------------------------------------------------------------------------------

    def test_a_listing_ends_at_once_when_its_deadline_has_passed(self, corpus: Corpus) -> None:
        corpus.make()
        for number in range(_MANY):
            corpus.write(f"note-{number}", f"{number}번 기록. retry 횟수는 {number * 7}이다.")
        whole = len(self.read(corpus).entries)
        provider = corpus.provider()
        done = watched(lambda: _count(provider.entries(corpus.scope, manners.passed())), self.seconds)
        keeps(manners.listing_out_of_time(done, whole))

    def test_a_listing_that_is_broken_off_leaves_no_thread_and_no_child_process(self, corpus: Corpus) -> None:
        provider = self.filled(corpus).provider()
        for broken_off in (_first_only, _out_of_time):
            work = partial(broken_off, provider, corpus)
            done = watched(partial(closing, provider, work), self.seconds, leftovers=True)
            keeps(manners.outcome("a listing that is broken off", done))
            keeps(manners.nothing_left("a listing that is broken off", done))

    def _changed(self, corpus: Corpus) -> tuple[Read, Read]:
        """What is read before and after one of three memories changes, in one character."""
        before = self.read(self.filled(corpus))
        corpus.write("retry-policy", samples.CHANGED)
        return before, self.read(corpus)


def _texts(provider: Any, entry: Entry, corpus: Corpus) -> list[str]:
    return [getattr(item, "text", "") for item in provider.load(entry, corpus.scope) or ()]


def _count(items: Iterable[Any] | None) -> int:
    return sum(isinstance(item, Entry) for item in items or ())


def _first_only(provider: Any, corpus: Corpus) -> None:
    """Take one item of a listing and let it go, as the host does when its answer has been given."""
    listing = iter(provider.entries(corpus.scope, Deadline.after(60)) or ())
    next(listing, None)
    close = getattr(listing, "close", None)
    if close is not None:
        close()


def _out_of_time(provider: Any, corpus: Corpus) -> None:
    """List with a deadline that passes while it is listed: each look at the clock is a second."""
    ticks = iter(range(1_000_000))
    try:
        for _item in provider.entries(corpus.scope, Deadline(2.0, lambda: float(next(ticks)))) or ():
            pass
    except (DeadlineExceeded, ProviderError):
        pass
