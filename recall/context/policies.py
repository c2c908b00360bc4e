"""Sources of policy: rules to follow. A session's start names them; they are never searched, for they are no memory."""

from __future__ import annotations

from collections.abc import Iterator

from recall.api import Deadline, Policy
from recall.engine import Engine
from recall.fanout import Emit, Handed, Task
from recall.git.shown import safe
from recall.sources import Source
from recall.wording import one_line

_MOST = 50  # of one source


def look(engine: Engine, deadline: Deadline) -> list[Policy]:
    """The policies that hold in the engine's project; a source that fails or hangs has none."""

    def task(source: Source) -> Task:
        def body(emit: Emit) -> None:
            found = source.provider.policies(engine.scope, deadline)
            emit([one for _number, one in zip(range(_MOST), found, strict=False) if isinstance(one, Policy)])

        return body

    tasks = {name: task(source) for name, source in engine.policies.items()}
    events = engine.fan_out(tasks, deadline) if tasks else ()
    return [one for event in events if isinstance(event, Handed) for one in event.payload]


def lines(engine: Engine, deadline: Deadline) -> Iterator[str]:
    """A line for each policy: what it is, and where it can be read."""
    for one in look(engine, deadline):
        summary = f": {one.summary}" if one.summary else ""
        yield one_line(safe(f"{one.title}{summary} ({one.path})"))
