"""Blocking work off the event loop, in daemon threads of our own.

Not in the pool that comes with the SDK: a pool's thread is joined when the process ends, and one that hangs
takes the place of another call's.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

T = TypeVar("T")
Step = Callable[[Any], None]
Report = Callable[[Any], Awaitable[None]]

_AT_ONCE = 64  # calls that have a thread; the others wait for one of them to end
_GRACE = 10.0  # seconds: searching a large index while fifty others do


class Crashed(Exception):
    """Work ended the thread it ran in: a plugin called sys.exit."""


class Stuck(Exception):
    """Work did not end, whatever deadline it was given: nobody waits for it any more."""


class Workshop:
    """Runs blocking work; a call that is cancelled leaves its thread to end by itself."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(_AT_ONCE)

    async def run(self, work: Callable[[Step], T], seconds: float, report: Report | None = None) -> T:
        """What the work returns or raises; raises Stuck if it takes much longer than `seconds`.

        A call that gets no thread within `seconds` is stuck too: the others have them all.

        work: is given a function to call with each step it has done.
        report: awaited with each step, in order, before the result is there.
        """
        try:
            until = asyncio.get_running_loop().time() + seconds
            async with asyncio.timeout_at(until) as limit, self._free:
                limit.reschedule(until + _GRACE)
                return await _run(work, report)
        except TimeoutError as error:
            raise Stuck from error


async def _run(work: Callable[[Step], T], report: Report | None) -> T:
    loop = asyncio.get_running_loop()
    steps: asyncio.Queue[Any] = asyncio.Queue()
    outcome: asyncio.Future[T] = loop.create_future()

    def tell(function: Callable[..., Any], *values: Any) -> None:
        try:
            loop.call_soon_threadsafe(function, *values)
        except RuntimeError:
            pass  # the loop is closed: nobody waits any more

    def end(result: T | None, error: BaseException | None) -> None:
        if not outcome.done():
            outcome.set_exception(error) if error is not None else outcome.set_result(result)  # type: ignore[arg-type]
        steps.put_nowait(None)

    def body() -> None:
        try:
            tell(end, work(lambda step: tell(steps.put_nowait, step)), None)
        except Exception as error:
            tell(end, None, error)
        except BaseException as error:  # SystemExit would end the event loop and leave every call unanswered
            tell(end, None, Crashed(type(error).__name__))

    threading.Thread(target=body, name="recall-call", daemon=True).start()
    while (step := await steps.get()) is not None:
        if report is not None:
            await report(step)
    return await outcome
