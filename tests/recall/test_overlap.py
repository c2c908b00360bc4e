"""Calls that overlap in one process: they share looks, take turns with a provider, and never start one twice.

The interleaving is made with events; nothing here waits for time to pass.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from recall import health
from recall.answer import Answer, Outcome
from recall.api import Deadline, Entry, Health, Memory, Problem, Query, Scope, State
from recall.engine import Engine
from recall.fanout import Ended, Event, FanOut, Late
from recall.reading import Reading
from recall.refresh import Progress
from recall.testing.fakes import Asked, Notes, Slow
from support.worlds import make_engine

RETRY = "실패한 결제는 세 번까지 재시도한다"


class Later:
    """Something done in a thread, and what came of it."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._result: list[Any] = []
        self._thread = threading.Thread(target=lambda: self._result.append(work()), daemon=True)
        self._thread.start()

    def result(self) -> Any:
        """Wait for it."""
        self._thread.join(30)
        (result,) = self._result
        return result


class Counted(Notes):
    """Waits in its listing for `release`; counts listings, and how many threads are inside at most."""

    def __init__(self, name: str, notes: Mapping[str, str]) -> None:
        super().__init__(name, notes)
        self.began = threading.Event()
        self.release = threading.Event()
        self.listings = 0
        self.inside = 0
        self.most_inside = 0
        self._lock = threading.Lock()

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        with self._lock:
            self.listings += 1
            self.inside += 1
            self.most_inside = max(self.most_inside, self.inside)
        self.began.set()
        self.release.wait(30)
        yield from super().entries(scope, deadline)
        with self._lock:
            self.inside -= 1

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        with self._lock:
            self.most_inside = max(self.most_inside, self.inside + 1)
        return super().health(scope, deadline)


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> threading.Semaphore:
    """Released once for each call that has found a look of another call to wait for."""
    from recall.reading import Reader

    semaphore = threading.Semaphore(0)
    original = Reader._wait_for

    def wait_for(self: Reader, looks: Mapping[str, Any], call: Any) -> None:
        if looks:
            semaphore.release()
        original(self, looks, call)

    monkeypatch.setattr(Reader, "_wait_for", wait_for)
    return semaphore


def ask(engine: Engine, **options: Any) -> Answer:
    return engine.recall("결제 재시도", **{"deadline": 30.0, **options})


def outcome(answer: Answer, name: str) -> Outcome:
    return next(one for one in answer.outcomes if one.provider == name)


# -- looks are shared -----------------------------------------------------------------------------------------


def test_calls_that_come_while_a_source_is_read_wait_for_that_reading(
    tmp_path: Path, joined: threading.Semaphore
) -> None:
    notes = Counted("notes", {"retry": RETRY})
    engine = make_engine(tmp_path, [notes])
    calls = [Later(lambda: ask(engine))]
    notes.began.wait(30)
    calls += [Later(lambda: ask(engine)) for _ in range(7)]
    assert all(joined.acquire(timeout=30) for _ in range(7))
    notes.release.set()
    answers = [call.result() for call in calls]
    assert notes.listings == 1
    assert {outcome(answer, "notes").state for answer in answers} == {State.READY}
    assert {answer.hits[0].ranked.row.uri for answer in answers} == {"recall://notes/retry"}


def test_a_call_for_other_sources_as_well_shares_what_it_can(
    tmp_path: Path, joined: threading.Semaphore
) -> None:
    slow, other = Counted("slow", {"retry": RETRY}), Notes("other", {"core": "결제 재시도를 센다"})
    engine = make_engine(tmp_path, [slow, other])
    first = Later(lambda: ask(engine, providers=["slow"]))
    slow.began.wait(30)
    second = Later(lambda: ask(engine))
    assert joined.acquire(timeout=30)
    slow.release.set()
    assert [one.provider for one in first.result().outcomes] == ["slow"]
    assert {one.provider: one.state for one in second.result().outcomes} == {
        "slow": State.READY,
        "other": State.READY,
    }
    assert slow.listings == 1


def test_a_call_after_a_reading_reads_again(tmp_path: Path) -> None:
    notes = Counted("notes", {"retry": RETRY})
    notes.release.set()
    engine = make_engine(tmp_path, [notes])
    ask(engine)
    notes.notes["more"] = "결제 재시도를 화면에 알린다"
    assert len(ask(engine).hits) == 2
    assert notes.listings == 2


def test_whoever_waits_for_a_reading_waits_no_longer_than_its_own_deadline(
    tmp_path: Path, joined: threading.Semaphore
) -> None:
    notes = Counted("notes", {"retry": RETRY})
    engine = make_engine(tmp_path, [notes])
    patient = Later(lambda: ask(engine))
    notes.began.wait(30)
    hurried = ask(engine, deadline=0.05)
    assert joined.acquire(timeout=30)
    assert (outcome(hurried, "notes").late, outcome(hurried, "notes").state) == (True, State.BUSY)
    notes.release.set()
    assert outcome(patient.result(), "notes").state is State.READY


class Clock:
    """A monotonic clock that is put past a deadline by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_a_hurried_call_gives_up_is_begun_again_by_one_that_has_time(
    tmp_path: Path, joined: threading.Semaphore
) -> None:
    class Stopping(Notes):
        release = threading.Event()

        def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:
            if len(self.loads) == 64 and not self.release.wait(30):
                raise AssertionError("never released")
            return super().load(entry, scope)

    stopping = Stopping("notes", {f"note{number}": f"{RETRY} {number}번" for number in range(100)})
    engine = make_engine(tmp_path, [stopping])
    sources, clock = engine.chosen(()), Clock()
    patient: list[Later] = []

    def watch(name: str, progress: Progress) -> None:
        if not patient:
            patient.append(Later(lambda: engine.refresh(sources, Deadline.after(30), 30)))
            assert joined.acquire(timeout=30)
        if progress.read:
            clock.now = 60.0  # the hurried call's time is over after its first batch

    hurried = engine.refresh(sources, Deadline(30.0, clock), 30, watch=watch)
    assert hurried.outcomes["notes"].reason == "read 64 of 100 new entries in time"
    stopping.release.set()
    reading: Reading = patient[0].result()
    assert (reading.outcomes["notes"].state, reading.outcomes["notes"].memories) == (State.READY, 100)


def test_a_look_that_broke_off_with_its_call_is_begun_again(
    tmp_path: Path, joined: threading.Semaphore
) -> None:
    notes = Notes("notes", {"retry": RETRY})
    engine = make_engine(tmp_path, [notes])
    sources = engine.chosen(())
    waiting: list[Later] = []

    def watch(name: str, progress: Progress) -> None:
        waiting.append(Later(lambda: engine.refresh(sources, Deadline.after(30), 30)))
        assert joined.acquire(timeout=30)
        raise ZeroDivisionError("the caller's own mistake")

    with pytest.raises(ZeroDivisionError):
        engine.refresh(sources, Deadline.after(30), 30, watch=watch)
    assert waiting[0].result().outcomes["notes"].state is State.READY


def test_a_provider_that_hangs_is_started_once_however_many_ask(
    tmp_path: Path, joined: threading.Semaphore
) -> None:
    starts = []

    class Stuck(Slow):
        def entries(self, scope: Scope, deadline: Deadline) -> Iterable[Entry | Problem]:
            starts.append(1)
            return super().entries(scope, deadline)

    stuck = Stuck("stuck", {"a": "결제"})
    engine = make_engine(tmp_path, [stuck, Notes("serena", {"retry": RETRY})])
    calls = [Later(lambda: ask(engine, deadline=1.0))]
    stuck.began.wait(30)
    calls += [Later(lambda: ask(engine, deadline=1.0)) for _ in range(5)]
    answers = [call.result() for call in calls] + [ask(engine)]
    assert len(starts) == 1
    assert engine.abandoned() == 1
    assert all(outcome(answer, "stuck").late for answer in answers)
    assert all(answer.hits[0].ranked.row.provider == "serena" for answer in answers)
    assert "still hangs" in outcome(answers[-1], "stuck").reason
    stuck.release.set()


# -- turns ----------------------------------------------------------------------------------------------------


def test_a_source_that_is_only_asked_gets_every_question_one_after_the_other(tmp_path: Path) -> None:
    began, release = threading.Event(), threading.Event()
    inside, most = [], []

    def answer(query: Query) -> Iterable[Memory | Problem]:
        inside.append(query.text)
        most.append(len(inside))
        began.set()
        release.wait(30)
        inside.remove(query.text)
        return [Memory("hit", f"{RETRY}: {query.text}")]

    worker = Asked("worker", answer)
    engine = make_engine(tmp_path, [worker])
    first = Later(lambda: engine.recall("결제 재시도", deadline=30))
    began.wait(30)
    second = Later(lambda: engine.recall("결제 실패", deadline=30))
    release.set()
    assert outcome(first.result(), "worker").state is State.READY
    assert outcome(second.result(), "worker").state is State.READY
    assert {query.text for query in worker.queries} == {"결제 재시도", "결제 실패"}
    assert max(most) == 1


def test_a_checkup_and_a_question_are_not_inside_a_provider_at_once(tmp_path: Path) -> None:
    notes = Counted("notes", {"retry": RETRY})
    engine = make_engine(tmp_path, [notes])
    first = Later(lambda: ask(engine))
    notes.began.wait(30)
    checkup = Later(lambda: health.examine(engine))
    notes.release.set()
    assert first.result().hits
    assert checkup.result()[0].state is State.READY
    assert notes.most_inside == 1


class Entered(FanOut):
    """Tells when a task's thread comes to the provider's door."""

    def __init__(self) -> None:
        super().__init__()
        self.came = threading.Semaphore(0)

    def _enter(self, *arguments: Any) -> bool:
        self.came.release()
        return super()._enter(*arguments)


def run(fan_out: FanOut, task: Callable[[Any], None], seconds: float = 30.0) -> list[Event]:
    return list(fan_out.run({"x": task}, Deadline.after(seconds)))


def test_overlapping_runs_of_a_name_take_turns_and_neither_is_called_hanging() -> None:
    fan_out, inside, release = Entered(), threading.Event(), threading.Event()
    order: list[str] = []

    def slow(emit: Any) -> None:
        inside.set()
        release.wait(30)
        order.append("first")

    first = Later(lambda: run(fan_out, slow))
    inside.wait(30)
    second = Later(lambda: run(fan_out, lambda emit: order.append("second")))
    assert all(fan_out.came.acquire(timeout=30) for _ in range(2))
    assert order == []
    release.set()
    for later in (first, second):
        (event,) = later.result()
        assert isinstance(event, Ended)
    assert order == ["first", "second"]
    assert fan_out.abandoned() == 0


def test_a_turn_that_does_not_come_in_time_is_late_and_is_not_taken_afterwards() -> None:
    fan_out, inside, release = Entered(), threading.Event(), threading.Event()
    taken: list[int] = []

    def slow(emit: Any) -> None:
        inside.set()
        release.wait(30)

    first = Later(lambda: run(fan_out, slow))
    inside.wait(30)
    (event,) = run(fan_out, lambda emit: taken.append(1), seconds=0.05)
    assert (type(event), getattr(event, "earlier", None)) == (Late, False)
    assert fan_out.abandoned() == 0  # the one that is inside is still waited for
    release.set()
    first.result()
    assert fan_out.wait("x", Deadline.after(30))
    assert taken == []


def test_waiting_for_a_thread_tells_whether_it_ended() -> None:
    fan_out, release = FanOut(), threading.Event()
    run(fan_out, lambda emit: release.wait(), seconds=0.05)  # type: ignore[arg-type]
    assert not fan_out.wait("x", Deadline.after(0.01))
    release.set()
    assert fan_out.wait("x", Deadline.after(30))
    assert fan_out.wait("never heard of", Deadline.after(0))


@pytest.mark.parametrize("moment", ["stamps", "counts"])
def test_what_another_process_reads_meanwhile_is_no_broken_promise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    engine = make_engine(tmp_path, [Notes("notes", {"retry": RETRY})])
    other = make_engine(tmp_path, [Notes("notes", {"retry": RETRY})])  # over the same index file
    assert other.index.path == engine.index.path
    original = getattr(engine.index, moment)
    done: list[Answer] = []

    def look_up(*arguments: Any) -> Any:
        if not done:
            done.append(ask(other))
        return original(*arguments)

    monkeypatch.setattr(engine.index, moment, look_up)
    answer = ask(engine)
    assert outcome(answer, "notes").state is State.READY
    assert [hit.ranked.row.uri for hit in answer.hits] == ["recall://notes/retry"]
