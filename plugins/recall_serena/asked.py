"""One Serena, asked for memories: started for the first question, kept for the next ones, ended when it is idle."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from recall import scratch
from recall.api import Deadline, Scope
from recall.errors import StoreBroken
from recall.transport import process
from recall.transport.mcp import ANSWER_LIMIT, Greeting, Kind, Outcome, Session
from recall.transport.warm import Warm
from recall_serena import answers, private
from recall_serena.private import Opening

_MOST_AT_ONCE = 64  # calls under way together: Serena answers many in the time of two
_TIMES = 4  # as long as a memory its answer may be, which holds it twice, with escapes
_OWN_TELLS = 2  # the first major version whose greeting holds Serena's own version
_VERSION = re.compile(r"(?<!\d)\d++(?:\.\d++)++\S*")


class Text(NamedTuple):
    """A memory's text, or why there is none."""

    text: str = ""
    failure: str = ""  # one line


class Serena:
    """A session with a Serena; another one for another opening, or once it is over."""

    def __init__(self, start_seconds: float, idle_seconds: float, largest: int) -> None:
        """largest: bytes of a memory that is asked for."""
        self._limit = max(ANSWER_LIMIT, _TIMES * largest)
        self._start_seconds = start_seconds
        self._idle_seconds = idle_seconds
        self._warm: Warm[Session] | None = None
        self._opened: Opening | None = None
        self._late_before = False
        self._version: tuple[str, str] = ("", "")  # of which program

    def names(self, opened: Opening, scope: Scope, deadline: Deadline) -> tuple[str, ...]:
        """The memories that Serena lists; raises a ProviderError."""
        with self._lent(opened, scope, deadline) as (session, greeting):
            self._require(greeting, "list_memories")
            text = answers.text_of(*self._noted([session.call("list_memories", {}, deadline)]))
        if failure := answers.said_failure(text):
            raise StoreBroken(f"list_memories: {failure}")
        return answers.listed(text)

    def texts(
        self, names: Sequence[str], opened: Opening, scope: Scope, deadline: Deadline
    ) -> Iterator[Text]:
        """The text of each memory, read side by side; raises a ProviderError if Serena is gone or late."""
        with self._lent(opened, scope, deadline) as (session, greeting):
            argument = answers.name_argument(self._require(greeting, "read_memory"))
            for start in range(0, len(names), _MOST_AT_ONCE):
                chunk = names[start : start + _MOST_AT_ONCE]
                calls = [("read_memory", {argument: name}) for name in chunk]
                yield from map(_text, self._noted(session.calls(calls, deadline)))

    def answers_to(
        self,
        asked: Sequence[tuple[str, Mapping[str, Any]]],
        opened: Opening,
        scope: Scope,
        deadline: Deadline,
    ) -> list[Text | None]:
        """What some tools answer, side by side; None for a tool it has not. Arguments it has not are left out."""
        with self._lent(opened, scope, deadline) as (session, greeting):
            tools = {tool.name: tool for tool in greeting.tools}
            calls = [
                (name, {key: value for key, value in given.items() if key in tools[name].arguments})
                for name, given in asked
                if name in tools
            ]
            found = iter(self._noted(session.calls(calls, deadline)))
        return [_text(next(found)) if name in tools else None for name, _given in asked]

    def about(self, opened: Opening, scope: Scope, deadline: Deadline) -> str:
        """What it is that answers: name, version, protocol; raises a ProviderError."""
        with self._lent(opened, scope, deadline) as (_session, greeting):
            name, _, version = greeting.server.rpartition(" ")
            if not version.partition(".")[0].isdigit() or int(version.partition(".")[0]) < _OWN_TELLS:
                # Before 2.0 it told its MCP library's version for its own.
                name, version = "Serena", self._asked_version(opened, scope, deadline)
            return f"{name} {version}".strip() + f", protocol {greeting.protocol}"

    def close(self) -> None:
        """End the session."""
        warm, self._warm, self._opened = self._warm, None, None
        if warm is not None:
            warm.close()

    @contextmanager
    def _lent(self, opened: Opening, scope: Scope, deadline: Deadline) -> Iterator[tuple[Session, Greeting]]:
        if self._warm is None or opened != self._opened:
            self.close()
            self._opened = opened
            self._warm = Warm(
                lambda: Session(
                    private.server(opened, scope.env), handshake=self._start_seconds, limit=self._limit
                ),
                self._idle_seconds,
            )
        with self._warm.lent() as session:
            ready = session.ready(deadline)
            if not ready.ok:
                raise answers.failure(ready)
            yield session, ready.value

    def _noted(self, outcomes: list[Outcome]) -> list[Outcome]:
        """Outcomes; a Serena that is late twice in a row hangs, and is ended: the next question starts another."""
        late = all(outcome.kind is Kind.LATE for outcome in outcomes)
        if late and self._late_before:
            self.close()
        self._late_before = late and not self._late_before
        return outcomes

    def _require(self, greeting: Greeting, name: str) -> Any:
        found = next((tool for tool in greeting.tools if tool.name == name), None)
        if found is None:
            have = ", ".join(tool.name for tool in greeting.tools[:8]) or "none"
            raise StoreBroken(
                f"{greeting.server} has no tool {name}", f"correct `command`; its tools are {have}"
            )
        return found

    def _asked_version(self, opened: Opening, scope: Scope, deadline: Deadline) -> str:
        if self._version[0] != opened.program:
            said = _version(opened, scope, deadline)
            if not said:
                return "1.x"
            self._version = (opened.program, said)
        return self._version[1]


def _text(outcome: Outcome) -> Text:
    """What a call came to; raises a ProviderError for what is true of all calls."""
    if outcome.kind is Kind.REFUSED:
        return Text(failure=outcome.reason)
    text = answers.text_of(outcome)
    return Text(text, answers.said_failure(text))


def _version(opened: Opening, scope: Scope, deadline: Deadline) -> str:
    """What the program says to `--version`, "" if it does not."""
    try:
        folder = scratch.new(private.KIND)
    except OSError:
        return ""
    try:
        command = opened.argv[: opened.argv.index("start-mcp-server")]
        env = private.environment(scope.env, folder)
        with process.Process([*command, "--version"], cwd=folder, env=env, deadline=deadline) as run:
            found = _VERSION.search(b"".join(run.chunks()).decode("utf-8", "replace"))
            return found[0] if run.result().ok and found else ""
    finally:
        scratch.remove(folder)
