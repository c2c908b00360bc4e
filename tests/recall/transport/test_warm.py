"""What is kept warm: reused, replaced when it is over, closed when idle."""

from __future__ import annotations

from collections.abc import Callable

from recall.transport.warm import Warm


class Thing:
    def __init__(self) -> None:
        self.over = False

    def close(self) -> None:
        self.over = True


class Timer:
    """Fires when the test says so."""

    made: list[Timer]

    def __init__(self, seconds: float, work: Callable[[], None]) -> None:
        self.seconds = seconds
        self.work = work
        self.cancelled = False
        self.daemon = False

    def start(self) -> None:
        assert self.daemon  # it must not keep the interpreter from ending

    def cancel(self) -> None:
        self.cancelled = True


def kept() -> tuple[Warm[Thing], list[Thing], list[Timer]]:
    things: list[Thing] = []
    timers: list[Timer] = []

    def open() -> Thing:
        things.append(Thing())
        return things[-1]

    def timer(seconds: float, work: Callable[[], None]) -> Timer:
        timers.append(Timer(seconds, work))
        return timers[-1]

    return Warm(open, 300.0, timer), things, timers


def test_the_second_use_gets_what_the_first_had() -> None:
    warm, things, timers = kept()
    for _ in range(3):
        with warm.lent() as thing:
            assert thing is things[0]
    assert len(things) == 1
    assert [timer.cancelled for timer in timers] == [True, True, False]
    assert timers[-1].seconds == 300.0


def test_what_is_idle_is_closed_and_the_next_use_opens_another() -> None:
    warm, things, timers = kept()
    with warm.lent():
        pass
    timers[-1].work()
    assert things[0].over
    with warm.lent() as thing:
        assert thing is things[1]


def test_a_timer_that_fires_while_it_is_lent_closes_nothing() -> None:
    warm, things, timers = kept()
    with warm.lent():
        pass
    with warm.lent() as thing:
        timers[0].work()
        assert not thing.over
    assert len(things) == 1


def test_what_is_over_is_replaced() -> None:
    warm, things, _timers = kept()
    with warm.lent() as thing:
        thing.over = True
    with warm.lent() as thing:
        assert thing is things[1]


def test_closing_closes_once_and_for_now() -> None:
    warm, things, timers = kept()
    with warm.lent():
        pass
    warm.close()
    warm.close()
    assert things[0].over
    assert timers[-1].cancelled
    timers[-1].work()
    with warm.lent() as thing:
        assert not thing.over
