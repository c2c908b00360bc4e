"""Threads, deadlines and what becomes of whoever misses them. Interleaving is proved with events, not sleeps."""

from __future__ import annotations

import threading

import pytest

from recall.api import Deadline
from recall.errors import DeadlineExceeded
from recall.fanout import Emit, Ended, FanOut, Handed, Late


def soon() -> Deadline:
    return Deadline.after(0.05)


def later() -> Deadline:
    return Deadline.after(30)


def test_every_task_hands_in_and_ends() -> None:
    events = list(FanOut().run({"a": lambda emit: emit(1), "b": lambda emit: emit(2)}, later()))
    assert {(event.name, event.payload) for event in events if isinstance(event, Handed)} == {
        ("a", 1),
        ("b", 2),
    }
    assert {event.name for event in events if isinstance(event, Ended)} == {"a", "b"}


def test_tasks_run_at_the_same_time() -> None:
    met = threading.Barrier(2)
    events = list(FanOut().run({"a": lambda emit: met.wait(30), "b": lambda emit: met.wait(30)}, later()))
    assert all(isinstance(event, Ended) and event.error is None for event in events)


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
def test_whatever_a_task_raises_is_its_own_outcome(error: BaseException) -> None:
    def task(emit: object) -> None:
        raise error

    events = list(FanOut().run({"bad": task, "good": lambda emit: emit("fine")}, later()))
    assert [event.error for event in events if isinstance(event, Ended) and event.name == "bad"] == [error]
    assert [event.payload for event in events if isinstance(event, Handed)] == ["fine"]


def test_a_hanging_task_is_late_and_the_others_are_served() -> None:
    release = threading.Event()
    fan_out = FanOut()
    events = list(
        fan_out.run({"hangs": lambda emit: release.wait(), "good": lambda emit: emit("fine")}, soon())
    )
    assert [event.name for event in events if isinstance(event, Late)] == ["hangs"]
    assert [event.payload for event in events if isinstance(event, Handed)] == ["fine"]
    assert fan_out.abandoned() == 1
    release.set()


def test_a_task_that_still_hangs_is_not_started_again() -> None:
    release, starts = threading.Event(), []
    fan_out = FanOut()

    def task(emit: object) -> None:
        starts.append(1)
        release.wait()

    list(fan_out.run({"hangs": task}, soon()))
    events = list(fan_out.run({"hangs": task}, soon()))
    assert [(type(event), event.earlier) for event in events if isinstance(event, Late)] == [(Late, True)]
    assert len(starts) == 1
    release.set()


def test_what_is_handed_in_after_the_deadline_is_refused() -> None:
    release, refused = threading.Event(), threading.Event()

    def task(emit: object) -> None:
        release.wait()
        try:
            emit("too late")  # type: ignore[operator]
        except DeadlineExceeded:
            refused.set()

    events = list(FanOut().run({"slow": task}, soon()))
    release.set()
    assert refused.wait(30)
    assert not [event for event in events if isinstance(event, Handed)]


def test_threads_never_keep_the_process() -> None:
    release, seen = threading.Event(), []

    def task(emit: object) -> None:
        seen.append(threading.current_thread().daemon)
        release.wait()

    list(FanOut().run({"hangs": task}, soon()))
    release.set()
    assert seen == [True]


def test_tasks_that_end_at_once_run_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recall.fanout._MOMENT", 30.0)
    inside, most = [], []

    def task(emit: object) -> None:
        inside.append(1)
        most.append(len(inside))
        inside.pop()

    list(FanOut().run({str(number): task for number in range(20)}, Deadline.after(3_600)))
    assert most == [1] * 20


def test_tasks_that_hang_do_not_keep_the_others_from_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recall.fanout._MOMENT", 0.001)
    release, started = threading.Event(), []

    def task(emit: object) -> None:
        started.append(1)
        release.wait()

    events = list(FanOut().run({str(number): task for number in range(8)}, Deadline.after(0.5)))
    assert len(events) == len(started) == 8
    release.set()


def test_sources_wait_for_the_one_before_and_not_for_its_end() -> None:
    """Each begins once the one before has handed something in: two that only take a moment never meet."""
    began: list[str] = []
    first_may_end = threading.Event()

    def first(emit: Emit) -> None:
        began.append("first")
        emit("a listing")
        first_may_end.wait(60)

    def second(emit: Emit) -> None:
        began.append("second")
        first_may_end.set()

    events = list(FanOut().run({"first": first, "second": second}, Deadline.after(60)))
    assert began == ["first", "second"]
    assert [event.payload for event in events if isinstance(event, Handed)] == ["a listing"]
    assert {event.name for event in events if isinstance(event, Ended)} == {"first", "second"}


def test_a_source_that_hands_in_without_end_keeps_no_other_from_beginning() -> None:
    stop, hung = threading.Event(), threading.Event()

    def chatty(emit: Emit) -> None:
        while not stop.is_set():
            emit("more")

    def silent(emit: Emit) -> None:
        hung.wait(60)

    def last(emit: Emit) -> None:
        stop.set()
        hung.set()

    ended = {
        event.name
        for event in FanOut().run({"chatty": chatty, "silent": silent, "last": last}, Deadline.after(60))
        if isinstance(event, Ended)
    }
    assert ended == {"chatty", "silent", "last"}
