"""Work in threads of its own: whoever waits for one waits within its time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace

import pytest

from recall.api import Deadline, Entry, Problem, Scope
from recall.server import engines, work
from recall.testing.fakes import Notes
from support.serving import called, document, server_over


def test_a_call_that_gets_no_thread_in_its_time_is_stuck_and_does_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(work, "_AT_ONCE", 1)
    release, done = threading.Event(), []

    async def main() -> None:
        workshop = work.Workshop()
        first = asyncio.ensure_future(workshop.run(lambda _step: release.wait(), 30.0))
        await asyncio.sleep(0)  # it has the only thread now
        with pytest.raises(work.Stuck):
            await workshop.run(lambda _step: done.append("second"), 0.01)
        release.set()
        assert await first

    asyncio.run(main())
    assert done == []


class Timed(Notes):
    """Notes down how long it was given."""

    seconds = 0.0

    def entries(self, scope: Scope, deadline: Deadline) -> Iterable[Entry | Problem]:
        self.seconds = deadline.remaining()
        return super().entries(scope, deadline)


def test_a_deadline_counts_from_the_arrival_of_a_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Timed("serena", {"retry": "결제 재시도"})
    moments = chain([100.0], repeat(128.0))  # it arrives, and 28 seconds later a thread is free
    monkeypatch.setattr(engines, "time", SimpleNamespace(monotonic=lambda: next(moments)))
    document(called(server_over(tmp_path, [notes]), "deep_recall", query="결제", deadline=30.0))
    assert 0 < notes.seconds <= 2.0
