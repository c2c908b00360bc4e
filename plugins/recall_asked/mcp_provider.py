"""One tool of an MCP server, which is started here or reached by a url; its session is kept while it is used."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from typing import ClassVar

from recall.api import Deadline, Health, Query, Scope, State, option
from recall.errors import NotConfigured, ProviderError, StoreAbsent, StoreBroken, StoreBusy
from recall.transport.mcp import Greeting, Kind, Outcome, Remote, Session, Stdio, Tool
from recall.transport.owntime import own_time
from recall.transport.process import find_program
from recall.transport.warm import Warm
from recall_asked import reading, template
from recall_asked.asking import Asked, Came, names
from recall_asked.reading import ReadingOptions
from recall_asked.template import Values

_LATE = (Kind.STARTING, Kind.LATE, Kind.SILENT)
_NO_QUESTION = Query("", (), 1)


@dataclass(frozen=True, slots=True)
class McpOptions(ReadingOptions):
    """Settings below `[providers.mcp.<name>]`."""

    command: tuple[str, ...] = option(
        (), "The program that is the server, and its arguments; {root}, {home}, {project} are filled."
    )
    url: str = option(
        "", "Instead of a command: where a server that runs already is reached (streamable HTTP)."
    )
    tool: str = option("", "The tool that searches.")
    arguments: tuple[str, ...] = option(
        ("query={terms}",),
        "What the tool is given; {terms}, {query}, {limit}, {project}, {root} and {home} are filled, "
        "other values are JSON or text.",
    )
    env: tuple[str, ...] = option(
        (), 'Variables for the command beside those of the environment: "NAME=VALUE".', secret=True
    )
    headers: tuple[str, ...] = option((), 'Sent to the url: "Authorization=Bearer ...".', secret=True)
    start_seconds: float = option(
        30.0, "Seconds to start and greet, whoever waits for it.", at_least=1, at_most=600
    )
    idle_seconds: float = option(
        300.0, "Seconds without a question after which the session is ended.", at_least=1, at_most=86_400
    )

    def __post_init__(self) -> None:
        """Raise ValueError for what cannot be asked."""
        self.check()
        reading.check_templates("command", self.command, paired=False)
        for name in ("arguments", "env", "headers"):
            reading.check_templates(name, getattr(self, name))
        if self.command and self.url:
            raise ValueError("command and url: a server is either started or reached")
        reading.check_url(self.url)


class McpSource(Asked):
    """A tool of any MCP server: a source called mcp-NAME; there may be any number of these tables."""

    name = "mcp"
    Options: ClassVar[type] = McpOptions

    def __init__(self, options: McpOptions) -> None:
        table = f"[providers.mcp.{self.name[4:] or 'NAME'}]"
        if not (options.command or options.url):
            raise NotConfigured("it has neither a command nor a url", f"set one of them below {table}")
        if not options.tool:
            raise NotConfigured("it has no tool", f"set tool below {table}")
        self.options: McpOptions = options
        self._warm: Warm[Session] | None = None
        self._late_before = False

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """A handshake: whether the server answers and has the tool with these arguments. The tool is not called."""
        with self._sessions(scope).lent() as session:
            outcome = session.ready(own_time(deadline))
        if not outcome.ok:
            raise _failure(outcome)
        greeting: Greeting = outcome.value
        places = (self.options.url.partition("?")[0] or self.options.command[0],)
        tool = next((tool for tool in greeting.tools if tool.name == self.options.tool), None)
        facts = (f"answers as {greeting.server}, protocol {greeting.protocol}; it cannot be counted",)
        if tool is None:
            error = self._missing(greeting)
            return Health(State.BROKEN, None, None, str(error), error.next_step, facts=facts, places=places)
        if reason := _forbidden(tool):
            return Health(State.BROKEN, None, None, reason, "choose a tool that searches", places=places)
        given = [name for name, _value in template.pairs(self.options.arguments)]
        if missing := [name for name in tool.required if name not in given]:
            reason = f"{tool.name} requires {names(missing)}, which `arguments` does not give"
            return Health(State.BROKEN, None, None, reason, "correct `arguments`", facts=facts, places=places)
        if unknown := [name for name in given if tool.arguments and name not in tool.arguments]:
            reason = f"{tool.name} has no argument {names(unknown)}{_meant(unknown[0], tool)}"
            step = f"it has: {names(tool.arguments)}"
            return Health(State.DEGRADED, None, None, reason, step, facts=facts, places=places)
        return Health(State.READY, None, facts=facts, places=places)

    def ask(self, query: Query, scope: Scope, deadline: Deadline) -> Came:
        """Call the tool, in the session that is open already if there is one."""
        given = template.arguments(self.options.arguments, Values.of(query, scope))
        with self._sessions(scope).lent() as session:
            ready = session.ready(deadline)
            if not ready.ok:
                raise _failure(ready)
            tool = next((tool for tool in ready.value.tools if tool.name == self.options.tool), None)
            if tool is None:  # nor is it known, then, whether it changes something
                raise self._missing(ready.value)
            if reason := _forbidden(tool):
                raise StoreBroken(reason, "choose a tool that searches")
            outcome = session.call(self.options.tool, given, deadline)
        self._late_before = self._given_up(outcome)
        if not outcome.ok:
            raise _failure(outcome)
        texts, structured = outcome.value
        raw = "\n".join(texts) or json.dumps(structured, ensure_ascii=False, indent=2)
        return Came(f"{self.options.tool} {given}", raw, reading.document(texts, structured), outcome.others)

    def close(self) -> None:
        """End the session."""
        if self._warm is not None:
            self._warm.close()

    def _missing(self, greeting: Greeting) -> StoreBroken:
        have = names(tool.name for tool in greeting.tools)
        return StoreBroken(f"the server has no tool {self.options.tool!r}", f"it has: {have}")

    def _given_up(self, outcome: Outcome) -> bool:
        """Whether a call was late; a server that was so twice in a row hangs, and is started again."""
        late = outcome.kind is Kind.LATE
        if late and self._late_before:
            self.close()
            return False
        return late

    def _sessions(self, scope: Scope) -> Warm[Session]:
        if self._warm is None:
            server = self._server(scope)
            self._warm = Warm(
                lambda: Session(server, handshake=self.options.start_seconds), self.options.idle_seconds
            )
        return self._warm

    def _server(self, scope: Scope) -> Stdio | Remote:
        values = Values.of(_NO_QUESTION, scope)

        def filled(lines: tuple[str, ...]) -> dict[str, str]:
            return {name: template.fill(text, values) for name, text in template.pairs(lines)}

        if self.options.url:
            return Remote(self.options.url, filled(self.options.headers), scope.env)
        env = {**scope.env, **filled(self.options.env)}
        name, *rest = (template.fill(part, values) for part in self.options.command)
        program = find_program(str(scope.expand(name)) if name.startswith("~") else name, env, scope.roots)
        if program is None:
            raise StoreAbsent(f"there is no program {name!r}", "install it, or correct `command`")
        # From home: in the project's folder, a program like npx would run what lies there.
        return Stdio((program, *rest), env, str(scope.home))


def _forbidden(tool: Tool) -> str:
    """Why a tool is not called, "" if it may be."""
    if tool.destructive and not tool.read_only:
        return f"{tool.name} says of itself that it changes or deletes things"
    return ""


def _meant(name: str, tool: Tool) -> str:
    near = difflib.get_close_matches(name, tool.arguments, 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _failure(outcome: Outcome) -> ProviderError:
    if outcome.kind is Kind.NOT_STARTED:
        return StoreAbsent(outcome.reason, "install it, or correct `command`")
    if outcome.kind is Kind.UNREACHABLE:
        return StoreAbsent(outcome.reason, "start the server, or correct its url")
    if outcome.kind is Kind.LATE:
        return StoreBusy(outcome.reason, "ask again with a longer deadline")
    if outcome.kind in _LATE:
        return StoreBusy(
            outcome.reason, "ask again, it goes on starting in `recall serve`; or with a longer deadline"
        )
    return StoreBroken(outcome.reason)
