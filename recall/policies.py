"""Sources of policy: rules to follow. A session's start names them; they are never searched, for they are no memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from recall import outcomes
from recall.api import Deadline, Health, Policy, State
from recall.engine import Engine
from recall.fanout import Emit, Ended, Handed, Late, Task
from recall.git.shown import safe
from recall.refresh import checked_health
from recall.sources import Source
from recall.wording import counted, one_line

_MOST = 50  # of one source


class Checkup(NamedTuple):
    """What doctor says of one source of policy."""

    provider: str
    state: State
    items: int | None = None  # policies that hold in the project
    reason: str = ""
    next_step: str = ""
    titles: tuple[str, ...] = ()

    @property
    def needs_attention(self) -> bool:
        """Whether a person should do something about it."""
        return self.state not in (State.READY, State.ABSENT, State.EMPTY, State.OFF)

    def words(self) -> str:
        """`3 policies: AGENTS.md, ponytail (plugin)`, or why there is none."""
        if not self.state.usable:
            return f"{self.state.value}: {self.reason}" if self.reason else self.state.value
        named = f": {', '.join(self.titles)}" if self.titles else ""
        return f"{counted(self.items or 0, 'policy', 'policies')}{named}"


def look(engine: Engine, deadline: Deadline) -> dict[str, list[Policy]]:
    """The policies that hold in the engine's project, by source; one that fails or hangs has none."""

    def of(source: Source) -> list[Policy]:
        found = source.provider.policies(engine.scope, deadline)
        return [one for _number, one in zip(range(_MOST), found, strict=False) if isinstance(one, Policy)]

    return {name: found for name, found in _asked(engine, deadline, of).items() if isinstance(found, list)}


def lines(engine: Engine, deadline: Deadline) -> Iterator[str]:
    """A line for each policy: what it is, and where it can be read."""
    for found in look(engine, deadline).values():
        for one in found:
            summary = f": {one.summary}" if one.summary else ""
            yield one_line(safe(f"{one.title}{summary} ({one.path})"))


def examine(engine: Engine, deadline: Deadline) -> list[Checkup]:
    """How each source of policy is, in the order of their names."""
    named = look(engine, deadline)

    def of(source: Source) -> Health:
        return checked_health(source.provider, engine.scope, deadline)

    rows = []
    for name, said in sorted(_asked(engine, deadline, of).items()):
        titles = tuple(one_line(safe(one.title)) for one in named.get(name, ()))
        if isinstance(said, Health):
            rows.append(Checkup(name, said.state, said.items, said.reason, said.next_step, titles))
        else:
            state, reason, next_step, _kind, _retryable = outcomes.failed(name, said)
            rows.append(Checkup(name, state, None, reason, next_step, titles))
    return rows


def _asked(engine: Engine, deadline: Deadline, ask: Callable[[Source], Any]) -> dict[str, Any]:
    """What each source answered, or the exception it ended with; TimeoutError for one that did not."""

    def task(source: Source) -> Task:
        def body(emit: Emit) -> None:
            emit(ask(source))

        return body

    found: dict[str, Any] = {}
    tasks = {name: task(source) for name, source in engine.policies.items()}
    for event in engine.fan_out(tasks, deadline) if tasks else ():
        if isinstance(event, Handed):
            found[event.name] = event.payload
        elif isinstance(event, Late):
            found[event.name] = TimeoutError("it gave no answer in time")
        elif isinstance(event, Ended) and event.error is not None:
            found[event.name] = event.error
    return found
