"""One look at the sources: batches as they come, a late one kept as far as it got, the others untouched."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recall.answer import Answer, Outcome
from recall.api import Deadline, Entry, Health, Memory, Problem, Scope, State
from recall.engine import Engine
from recall.errors import DeadlineExceeded, IndexUnavailable, NotConfigured, StoreBroken, StoreBusy
from recall.index import Index, file
from recall.kept import Kept
from recall.reading import Reading
from recall.refresh import Batch, Progress, corpus_task
from recall.testing.fakes import Asked, Broken, Notes, Returning
from recall.tokens import Tokenizer
from support.worlds import NOW, make_engine, make_scope

RETRY = "실패한 결제는 세 번까지 재시도한다"


class Stopping(Notes):
    """Reads `reads` entries, then waits while `release` is not set."""

    def __init__(self, name: str, count: int, reads: int) -> None:
        super().__init__(name, {f"note{number}": f"{RETRY} {number}번" for number in range(count)})
        self.reads = reads
        self.release = threading.Event()

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:
        if len(self.loads) >= self.reads:
            self.release.wait()
        return super().load(entry, scope)


class Clock:
    """A monotonic clock that stands still until it is put past every deadline."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def look(engine: Engine, seconds: float = 30.0, **options: Any) -> Reading:
    deadline = Deadline.after(seconds, options.pop("clock", None) or engine._clock)
    return engine.refresh(engine.chosen(()), deadline, seconds, **options)


def asked(engine: Engine, text: str = "결제 재시도", **options: Any) -> Answer:
    return engine.recall(text, **{"deadline": 30.0, **options})


def outcome(answer: Answer, name: str) -> Outcome:
    return next(one for one in answer.outcomes if one.provider == name)


def test_entries_come_in_batches_so_that_a_deadline_loses_little(tmp_path: Path) -> None:
    steps: list[int] = []
    corpus = Notes("notes", {f"note{number}": f"{RETRY} {number}번" for number in range(150)})
    look(make_engine(tmp_path, [corpus]), watch=lambda name, progress: steps.append(progress.read))
    assert steps == [0, 64, 128, 150, 150]  # listed, three batches, ended


def test_a_provider_read_in_part_says_how_far_and_keeps_what_came(tmp_path: Path) -> None:
    # The clock passes the deadline at the moment the first batch is in: nothing here waits for time.
    clock = Clock()
    stopping = Stopping("notes", 1_000, 64)

    def watch(name: str, progress: Progress) -> None:
        if progress.read:
            clock.now = 60.0

    engine = make_engine(tmp_path, [stopping], clock=clock)
    reading = look(engine, 2.0, watch=watch)
    found = reading.outcomes["notes"]
    assert (found.state, found.late, found.memories) == (State.DEGRADED, True, 64)
    assert found.reason == "read 64 of 1,000 new entries in time"
    assert engine.index.size() == 64
    assert engine.abandoned() == 1
    stopping.release.set()


def test_the_next_look_reads_only_the_rest(tmp_path: Path) -> None:
    clock = Clock()
    stopping = Stopping("notes", 100, 64)

    def watch(name: str, progress: Progress) -> None:
        if progress.read:
            clock.now = 60.0

    first = make_engine(tmp_path, [stopping], clock=clock)
    look(first, 2.0, watch=watch)
    stopping.release.set()
    first.close()
    rest = Notes("notes", stopping.notes)
    engine = make_engine(tmp_path, [rest])
    assert asked(engine).hits
    assert len(rest.loads) == 36
    assert engine.index.size() == 100


def test_what_an_abandoned_thread_hands_in_later_is_not_stored(tmp_path: Path) -> None:
    clock = Clock()
    stopping = Stopping("notes", 200, 64)

    def watch(name: str, progress: Progress) -> None:
        if progress.read:
            clock.now = 60.0

    engine = make_engine(tmp_path, [stopping], clock=clock)
    look(engine, 2.0, watch=watch)
    (thread,) = [one for one in threading.enumerate() if one.name == "recall-notes"]
    stopping.release.set()
    thread.join(30)
    assert not thread.is_alive()
    assert engine.index.size() == 64


@pytest.mark.parametrize(("deadline", "left"), [(10.0, 9.75), (1.0, 0.9)])
def test_some_of_the_time_is_kept_for_answering(tmp_path: Path, deadline: float, left: float) -> None:
    seen: list[float] = []

    class Timed(Notes):
        def entries(self, scope: Scope, deadline: Deadline) -> Iterable[Entry | Problem]:
            seen.append(deadline.remaining())
            return super().entries(scope, deadline)

    asked(make_engine(tmp_path, [Timed("notes", {"a": RETRY})], clock=Clock()), deadline=deadline)
    assert seen == [pytest.approx(left)]


def test_outcomes_come_in_the_order_of_the_sources_whoever_ends_first(tmp_path: Path) -> None:
    second_is_done = threading.Event()

    class First(Notes):
        def entries(self, scope: Scope, deadline: Deadline) -> Iterable[Entry | Problem]:
            second_is_done.wait(30)
            return super().entries(scope, deadline)

    def watch(name: str, progress: Progress) -> None:
        if name == "second" and progress.read:
            second_is_done.set()

    engine = make_engine(tmp_path, [First("first", {"a": RETRY}), Notes("second", {"b": RETRY})])
    assert list(look(engine, watch=watch).outcomes) == ["first", "second"]


def test_a_provider_that_can_only_be_asked_is_left_out_of_a_look_without_a_question(tmp_path: Path) -> None:
    worker = Asked("worker", lambda query: [Memory("hit", RETRY)])
    engine = make_engine(tmp_path, [worker, Notes("notes", {"a": RETRY})])
    assert list(look(engine).outcomes) == ["notes"]
    assert worker.queries == []


def test_candidates_with_a_problem_are_kept_and_the_problem_is_told(tmp_path: Path) -> None:
    worker = Asked("worker", lambda query: [Memory("hit", RETRY), Problem("page 2", "timed out")])
    found = asked(make_engine(tmp_path, [worker]))
    assert [hit.ranked.row.uri for hit in found.hits] == ["recall://worker/hit"]
    assert outcome(found, "worker").state is State.DEGRADED
    assert "page 2: timed out" in outcome(found, "worker").reason


def test_candidates_of_earlier_questions_stay_in_the_index(tmp_path: Path) -> None:
    worker = Asked("worker", lambda query: [Memory(query.text, query.text)])
    engine = make_engine(tmp_path, [worker])
    for text in ("결제 재시도", "배포 절차", "정산 마감"):
        asked(engine, text)
    assert outcome(asked(engine), "worker").memories == 3
    assert engine.index.vanished("worker") == {}


# -- what is listed, and what is not any more -----------------------------------------------------------------


def test_an_entry_that_is_listed_twice_is_read_once(tmp_path: Path) -> None:
    corpus = Notes("notes", {"a": RETRY})

    class Twice(Notes):
        def entries(self, scope: Scope, deadline: Deadline) -> Iterable[Entry | Problem]:
            return [*corpus.entries(scope, deadline), *corpus.entries(scope, deadline)]

    twice = Twice("notes", {"a": RETRY})
    assert len(asked(make_engine(tmp_path, [twice])).hits) == 1
    assert twice.loads == ["a"]


@pytest.mark.parametrize("error", [StoreBusy("locked"), DeadlineExceeded("slow"), NotConfigured("no url")])
def test_a_source_that_could_not_look_says_nothing_of_its_memories(
    tmp_path: Path, error: BaseException
) -> None:
    corpus = Broken("notes", error, {"a": RETRY})
    corpus.error = None
    engine = make_engine(tmp_path, [corpus])
    asked(engine)
    corpus.error = error
    assert [hit.ranked.vanished_at for hit in asked(engine).hits] == [None]


@pytest.mark.parametrize("problems", [[], [Problem("payments", "input/output error", hides_entries=True)]])
def test_vanished_memories_stay_however_long_their_source_is_not_healthy(
    tmp_path: Path, problems: list[Problem]
) -> None:
    corpus = Notes("notes", {f"note{number}": f"{RETRY} {number}번" for number in range(30)})
    first = make_engine(tmp_path, [corpus])
    asked(first)
    first.close()
    corpus.notes = {"note0": corpus.notes["note0"]} if problems else {}
    corpus.problems = problems
    for days in (1, 100, 200):
        engine = make_engine(tmp_path, [corpus], now=NOW + days * 86_400)
        assert outcome(asked(engine), "notes").vanished == 30 - len(corpus.notes)
        engine.close()


# -- damage ---------------------------------------------------------------------------------------------------


class Torn(Notes):
    """Some entries cannot be read."""

    def __init__(self, errors: dict[str, BaseException]) -> None:
        super().__init__("notes", {"good": RETRY, **dict.fromkeys(errors, "x")})
        self.errors = errors

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:
        if entry.key in self.errors:
            raise self.errors[entry.key]
        return super().load(entry, scope)


def test_an_entry_that_cannot_be_read_costs_no_other_entry(tmp_path: Path) -> None:
    found = asked(make_engine(tmp_path, [Torn({"bad": StoreBroken("binary content")})]))
    assert [hit.ranked.row.uri for hit in found.hits] == ["recall://notes/good"]
    assert outcome(found, "notes").problems == (Problem("bad", "binary content"),)


def test_an_entry_that_could_not_be_read_is_tried_again(tmp_path: Path) -> None:
    torn = Torn({"bad": StoreBroken("binary content")})
    engine = make_engine(tmp_path, [torn])
    asked(engine)
    torn.errors.clear()
    torn.notes["bad"] = "결제 재시도를 화면에 알린다"
    found = asked(engine)
    assert {hit.ranked.row.uri for hit in found.hits} == {"recall://notes/good", "recall://notes/bad"}
    assert outcome(found, "notes").state is State.READY


def test_an_entry_that_turns_unreadable_still_answers_with_what_it_said(tmp_path: Path) -> None:
    torn = Torn({})
    torn.notes["bad"] = "결제 재시도를 화면에 알린다"
    engine = make_engine(tmp_path, [torn])
    asked(engine)
    torn.errors["bad"] = StoreBroken("binary content")
    torn.notes["bad"] = "changed"
    found = asked(engine)
    assert "recall://notes/bad" in {hit.ranked.row.uri for hit in found.hits}
    assert outcome(found, "notes").state is State.DEGRADED


def test_a_store_that_locks_up_halfway_is_busy_and_keeps_what_it_had(tmp_path: Path) -> None:
    torn = Torn({})
    engine = make_engine(tmp_path, [torn])
    asked(engine)
    torn.notes["late"], torn.errors["late"] = "x", StoreBusy("locked")
    found = asked(engine)
    assert outcome(found, "notes").state is State.BUSY
    assert found.hits[0].ranked.vanished_at is None


class Halfway(Notes):
    """Fails in the middle of its listing."""

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        yield from super().entries(scope, deadline)
        raise OSError(5, "Input/output error")


def test_a_listing_that_fails_halfway_forgets_nothing(tmp_path: Path) -> None:
    corpus = Notes("notes", {"a": RETRY, "b": "결제 재시도를 화면에 알린다"})
    make_engine(tmp_path, [corpus]).refresh({}, Deadline.after(30), 30)
    engine = make_engine(tmp_path, [corpus])
    asked(engine)
    engine.close()
    halfway = make_engine(tmp_path, [Halfway("notes", {"a": RETRY})])
    found = asked(halfway)
    assert outcome(found, "notes").state is State.BROKEN
    assert {hit.ranked.row.uri for hit in found.hits} == {"recall://notes/a", "recall://notes/b"}
    assert all(hit.ranked.vanished_at == NOW for hit in found.hits)


def test_an_index_that_cannot_be_written_to_is_a_notice_and_not_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(tmp_path, [Notes("notes", {"a": RETRY})])

    def full(*arguments: object) -> None:
        raise IndexUnavailable("index.db: database or disk is full", "make room")

    monkeypatch.setattr(engine.index, "store", full)
    found = asked(engine)
    assert found.notices == ("index.db: database or disk is full",)
    assert found.hits == ()


def test_a_reading_that_cannot_be_noted_is_a_notice_and_not_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(tmp_path, [Notes("notes", {"a": RETRY})])

    def full(*arguments: object) -> None:
        raise IndexUnavailable("index.db: database or disk is full", "make room")

    monkeypatch.setattr(engine.index, "hold_to", full)
    found = asked(engine)
    assert found.notices == ("index.db: database or disk is full",)
    assert len(found.hits) == 1


# -- whatever comes back --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "odd",
    [
        Returning("odd", load=[Memory("a", RETRY, line={})]),  # type: ignore[arg-type]
        Returning("odd", load=[Memory("a", RETRY, line=1 << 70)]),
        Returning("odd", load=[Memory("a\udcff", RETRY, date_origin="\udcff", extra={"\udcff": "x"})]),
        Returning("odd", load=[Memory("a", RETRY, updated=datetime.max.replace(tzinfo=UTC))]),
        Returning("odd", load=[Memory("a", "\ud800", title="\ud800")]),
        Returning("odd", load=[Problem("a", "\udcff")]),
        Returning("odd", load=[Problem(5, 7)]),  # type: ignore[arg-type]
        Returning("odd", load={"a": 1}),
        Returning("odd", entries=[Entry(5, "1")]),  # type: ignore[arg-type]
        Returning("odd", entries=[Entry([], "1")]),  # type: ignore[arg-type]
        Returning("odd", entries=[Entry("one", None)]),  # type: ignore[arg-type]
        Returning("odd", entries=[Entry("one\udcff", "1")]),
        Returning("odd", entries=[Problem(None, None)]),  # type: ignore[arg-type]
        Returning("odd", entries="text"),
        Returning("odd", entries=[], health=Health("ready", 1)),  # type: ignore[arg-type]
        Returning("odd", entries=[], health=Health(State.EMPTY, 0, reason=None)),  # type: ignore[arg-type]
        Asked("odd", lambda query: [Memory("a\udcff", RETRY), 7]),  # type: ignore[list-item]
        Asked("odd", lambda query: [Memory("a\udcff", RETRY), Problem("a", "\udcff")]),
        Asked("odd", lambda query: 7),  # type: ignore[arg-type,return-value]
    ],
)
def test_whatever_a_provider_returns_the_others_are_served_and_the_answer_can_be_printed(
    tmp_path: Path, odd: Any
) -> None:
    import json

    from recall.render import document, markdown, plain

    engine = make_engine(tmp_path, [odd, Notes("serena", {"retry": f"{RETRY}. 간격은 1초이다."})])
    found = asked(engine)
    assert "recall://serena/retry" in {
        member.row.uri for hit in found.hits for member in hit.ranked.members()
    }
    assert outcome(found, "serena").state is State.READY
    for text in (plain.answer(found), markdown.answer(found), json.dumps(document.answer(found))):
        assert "serena" in text


def test_what_was_read_before_the_time_was_over_is_handed_over(tmp_path: Path) -> None:
    now = [0.0]

    class Slow(Notes):
        def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:
            now[0] += 1.0  # each note takes a second
            return super().load(entry, scope)

    provider = Slow("slow", {f"note{number}": "결제" for number in range(5)})
    handed: list[object] = []
    scope, deadline = make_scope(tmp_path), Deadline(2.0, lambda: now[0])
    task = corpus_task(provider, scope, deadline, {}, 0, Tokenizer(), Kept())
    with pytest.raises(DeadlineExceeded):
        task(handed.append)
    read = [loaded.key for batch in handed if isinstance(batch, Batch) for loaded in batch.loaded]
    assert read == ["note0", "note1"]


def test_what_takes_long_to_read_is_handed_over_as_it_comes_for_nobody_waits_past_the_deadline(
    tmp_path: Path,
) -> None:
    now = [0.0]
    seen: list[tuple[float, int]] = []

    class Slow(Notes):
        def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:
            now[0] += 0.1
            return super().load(entry, scope)

    def handed(batch: object) -> None:
        if isinstance(batch, Batch):
            seen.append((now[0], len(batch.loaded)))

    provider = Slow("slow", {f"note{number}": "결제" for number in range(50)})
    task = corpus_task(
        provider, make_scope(tmp_path), Deadline(1.05, lambda: now[0]), {}, 0, Tokenizer(), Kept()
    )
    with pytest.raises(DeadlineExceeded):
        task(handed)
    assert sum(count for at, count in seen if at < 1.05) >= 8


class Unmoved(Notes):
    """Lists the very same entries as long as nothing is put into it."""

    def entries(self, scope: Scope, deadline: Deadline) -> Iterable[Entry | Problem]:
        if not hasattr(self, "listing"):
            self.listing = tuple(super().entries(scope, deadline))
        return self.listing


def test_what_the_index_lost_is_read_again_although_the_source_lists_the_same(tmp_path: Path) -> None:
    source = Unmoved("notes", {"a": RETRY, "b": "정산 배치는 새벽 두 시"})
    engine = make_engine(tmp_path, [source])
    assert [hit.ranked.row.uri for hit in asked(engine).hits] == ["recall://notes/a"]
    assert len(source.loads) == 2
    asked(engine)
    assert len(source.loads) == 2
    engine.index.forget("notes", {"a"})
    assert [hit.ranked.row.uri for hit in asked(engine).hits] == ["recall://notes/a"]
    assert len(source.loads) == 3


def test_a_new_listing_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    source = Unmoved("notes", {"a": RETRY})
    engine = make_engine(tmp_path, [source])
    asked(engine)
    source.listing = (*source.listing, Entry("b", "1"), Problem("c", "half a file"))
    source.notes["b"] = f"{RETRY} 두 번째"
    found = asked(engine)
    assert {member.row.uri for hit in found.hits for member in hit.ranked.members()} == {
        "recall://notes/a",
        "recall://notes/b",
    }
    assert [problem.where for problem in outcome(found, "notes").problems] == ["c"]


def test_what_another_reading_made_of_the_same_content_is_read_again_once(tmp_path: Path) -> None:
    source, other = Notes("notes", {"a": RETRY, "b": RETRY}), Notes("serena", {"c": RETRY})
    for reading in ("1", "1", "2", "2"):
        source.reading = reading  # type: ignore[attr-defined]
        look(make_engine(tmp_path, [source, other]))
    assert source.loads == ["a", "b", "a", "b"]
    assert other.loads == ["c"]


def test_a_reading_that_is_new_to_an_older_index_reads_everything_again(tmp_path: Path) -> None:
    source = Notes("notes", {"a": RETRY})
    look(make_engine(tmp_path, [source]))
    source.reading = "1"  # type: ignore[attr-defined]
    look(make_engine(tmp_path, [source]))
    assert source.loads == ["a", "a"]


def test_what_is_to_be_read_again_answers_until_then(tmp_path: Path) -> None:
    look(make_engine(tmp_path, [Notes("notes", {"a": RETRY})]))
    broken = Broken("notes", StoreBusy("locked"))
    broken.reading = "2"  # type: ignore[attr-defined]
    assert len(asked(make_engine(tmp_path, [broken])).hits) == 1


@pytest.mark.parametrize("odd", [7, None, lambda: "2"])
def test_a_reading_that_is_no_text_is_none(tmp_path: Path, odd: object) -> None:
    source = Notes("notes", {"a": RETRY})
    look(make_engine(tmp_path, [source]))
    source.reading = odd  # type: ignore[attr-defined]
    look(make_engine(tmp_path, [source]))
    assert source.loads == ["a"]


def test_a_lock_of_another_process_is_waited_for_until_the_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "_BUSY_MILLISECONDS", 0)
    engine = make_engine(tmp_path, [Notes(notes={"one": RETRY})])
    other = sqlite3.connect(engine.index.path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    trying, store = threading.Event(), Index.store
    patience: list[int] = []  # milliseconds

    def tried(index: Index, *arguments: Any) -> None:
        patience.append(index._connection.execute("PRAGMA busy_timeout").fetchone()[0])
        trying.set()
        store(index, *arguments)

    def let_go() -> None:
        trying.wait()
        other.execute("ROLLBACK")

    monkeypatch.setattr(Index, "store", tried)
    releaser = threading.Thread(target=let_go)
    releaser.start()
    answer = asked(engine)
    releaser.join()
    assert (len(answer.hits), answer.notices) == (1, ())
    assert [0 < milliseconds <= 30_000 for milliseconds in patience] == [True]
    other.close()
    engine.close()


def test_a_lock_that_is_never_let_go_costs_what_was_read_and_is_said_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(tmp_path, [Notes(notes={"one": RETRY})])
    asked(engine)
    other = sqlite3.connect(engine.index.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    engine.sources["notes"].provider.notes["two"] = f"{RETRY} 또"
    answer = asked(engine, deadline=0.5)
    assert len(answer.hits) == 1
    assert ["another process was writing the index" in notice for notice in answer.notices] == [True]
    other.execute("ROLLBACK")
    other.close()
    engine.close()
