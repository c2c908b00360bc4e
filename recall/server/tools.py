"""The tools, as functions over the sessions: each reads, none changes anything outside recall's own folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import Field, StrictBool, StrictFloat, StrictInt

from recall import health
from recall.answer import Answer
from recall.api import Deadline
from recall.engine import Engine
from recall.errors import RecallError, UsageError
from recall.evidence.result import Evidence
from recall.index import Match
from recall.reading import Watch
from recall.refresh import Progress
from recall.server import results
from recall.server.engines import LEAST, MOST_SECONDS, Engines, name_of, result, words
from recall.server.mistakes import named
from recall.server.shaping.checkups import checkups
from recall.server.shaping.connectors import found, whole
from recall.server.shaping.pages import one_page
from recall.server.shaping.recalled import recalled
from recall.server.shaping.shaped import Shaped, safe
from recall.server.shown import Audience, Shown
from recall.server.strict import StrictTool
from recall.server.work import Report, Step
from recall.settings import ServerSettings
from recall.uri import canonical

T = TypeVar("T")

_PROBE_SECONDS = 20.0  # clients give up after 30 to 60
_FROM_RECALL = "take one from a deep_recall result, asked with the memory's own project"
_FROM_SEARCH = "take one from a search result"

Query = Annotated[
    str, Field(min_length=1, max_length=100_000, description="A question or key terms, Korean or English.")
]
Project = Annotated[
    str | None,
    Field(max_length=4_096, description="A project's absolute path; default: this one."),
]
Owner = Annotated[str | None, Field(description="As for deep_recall.")]
ProviderName = Annotated[str, Field(max_length=100)]
Providers = Annotated[
    list[ProviderName] | None,
    Field(max_length=50, description="Only these, such as serena."),
]
Limit = Annotated[StrictInt | None, Field(ge=1, le=50, description="Most memories.")]
Budget = Annotated[StrictInt | None, Field(ge=50, le=50_000, description="Most tokens, about.")]
Seconds = Annotated[StrictFloat | None, Field(ge=LEAST, le=MOST_SECONDS, description="Seconds.")]
Uri = Annotated[str, Field(max_length=8_192, description="recall://... as a result gave it.")]


class _Wanted(NamedTuple):
    """A memory that is asked for by its uri, as the client gave both."""

    uri: str
    project: str | None
    shown: Shown  # to this client


class NoSuchMemory(ToolError):
    """Nothing is remembered under a uri."""


class Tools:
    """What the tools share: the engines, who was shown what, the limits."""

    def __init__(self, engines: Engines, settings: ServerSettings) -> None:
        self._engines = engines
        self._audience = Audience()
        self._most = settings.max_result_chars
        self._search_tools = settings.search_tools

    def all(self) -> list[StrictTool]:
        """The tools, in the order that they are listed in."""
        tools = [
            StrictTool.of(
                self.deep_recall,
                "Recall memories",
                "Search all agent memory of a project at once: Serena, Claude Code, claude-mem, Antigravity and more. "
                "Past decisions, conventions, failed attempts, why the code is as it is. Use before you plan or edit. "
                "Ranked by authority and age, checked against Git, untrusted; tells what each source did.",
            ),
            StrictTool.of(
                self.read_memory,
                "Read a memory",
                "One memory in full, in pages, by its uri.",
            ),
            StrictTool.of(
                self.memory_health,
                "Memory health",
                "Which memory sources hold a real corpus, are empty, missing, locked or broken; next steps.",
            ),
        ]
        if self._search_tools:
            tools += [
                StrictTool.of(
                    self.search,
                    "Search memories",
                    "Search agent memory; ids and untrusted titles, for fetch.",
                ),
                StrictTool.of(self.fetch, "Fetch a memory", "One memory as a document, by its id."),
            ]
        return tools

    async def deep_recall(
        self,
        query: Query,
        ctx: Context[Any, Any],
        project: Project = None,
        providers: Providers = None,
        limit: Limit = None,
        budget: Budget = None,
        deadline: Seconds = None,
        only_current: Annotated[StrictBool | None, Field(description="Without what Git contradicts.")] = None,
        explain: Annotated[StrictBool, Field(description="Factors of scores.")] = False,
    ) -> Annotated[CallToolResult, results.Recalled]:
        """Ask every source one question."""
        shown = self._audience.of(ctx)

        def work(engine: Engine, folder: Path, left: float, step: Step) -> Shaped:
            answer = engine.recall(
                query,
                providers=providers or (),
                limit=limit,
                budget=budget,
                deadline=left,
                only_current=only_current,
                watch=_by_provider(len(engine.chosen(providers or ())), step),
            )
            shown.note(_uris(answer), folder)
            return recalled(answer, explain=explain, most=self._most)

        return result(await self._engines.run(work, project, deadline, _progress(ctx)))

    async def memory_health(
        self,
        ctx: Context[Any, Any],
        project: Project = None,
        probe: Annotated[StrictBool, Field(description="Also read memories back by search.")] = False,
        deadline: Seconds = None,
    ) -> Annotated[CallToolResult, results.Health]:
        """Say how each source is."""

        def work(engine: Engine, _folder: Path, left: float, step: Step) -> Shaped:
            watch = _by_provider(len(engine.sources), step)
            rows = health.examine(engine, deadline=left, watch=watch, prove=probe)
            return checkups(rows, name_of(engine), engine.notices(), self._most)

        seconds = deadline or (_PROBE_SECONDS if probe else None)
        return result(await self._engines.run(work, project, seconds, _progress(ctx)))

    async def read_memory(
        self,
        uri: Uri,
        ctx: Context[Any, Any],
        page: Annotated[StrictInt, Field(ge=1, le=1_000_000)] = 1,
        project: Owner = None,
    ) -> Annotated[CallToolResult, results.Page]:
        """One memory in full."""
        return result(await self._page(_Wanted(uri, project, self._audience.of(ctx)), page))

    async def search(self, query: Query, ctx: Context[Any, Any]) -> Annotated[CallToolResult, results.Search]:
        """Results in ChatGPT's shape."""
        shown = self._audience.of(ctx)

        def work(engine: Engine, folder: Path, left: float, step: Step) -> Shaped:
            watch = _by_provider(len(engine.sources), step)
            answer = engine.recall(query, deadline=left, watch=watch)
            shown.note(_uris(answer), folder)
            if not answer.looked:
                reasons = "; ".join(f"{one.provider}: {one.reason}" for one in answer.outcomes if one.reason)
                raise RecallError(f"no source could be looked at: {reasons}", "memory_health tells more")
            return found(answer, self._most)

        return result(await self._engines.run(work, None, None, _progress(ctx)))

    async def fetch(
        self, id: Uri, ctx: Context[Any, Any], project: str | None = None
    ) -> Annotated[CallToolResult, results.Document]:
        """A memory in ChatGPT's shape."""
        wanted = _Wanted(id, project, self._audience.of(ctx))
        return result(await self._with_memory(wanted, self._whole, _FROM_SEARCH))

    async def resource(self, uri: str, ctx: Context[Any, Any]) -> str:
        """A memory as the text of a resource: its first page. Raises ToolError."""
        return (await self._page(_Wanted(uri, None, self._audience.of(ctx)), 1)).text

    # -- inside -----------------------------------------------------------------------------------------------

    async def _page(self, wanted: _Wanted, number: int) -> Shaped:
        def work(engine: Engine, match: Match, found: Evidence) -> Shaped:
            shaped = one_page(match, engine.authority_of(match.row).value, number, self._most, found)
            if shaped is None:
                raise UsageError(f"page: the memory has no page {number}", "page=1 says how many it has")
            return shaped

        return await self._with_memory(wanted, work)

    def _whole(self, engine: Engine, match: Match, found: Evidence) -> Shaped:
        return whole(match, engine.authority_of(match.row).value, self._most, found)

    async def _with_memory(
        self, wanted: _Wanted, work: Callable[[Engine, Match, Evidence], T], source: str = _FROM_RECALL
    ) -> T:
        """What `work` makes of a memory and of what the repository says of it; raises ToolError.

        source: the next step, which says where uris are to be had.
        """

        uri = canonical(wanted.uri)
        if uri is None:
            raise NoSuchMemory(f"{named(wanted.uri)}: no memory's uri\nnext: {source}")

        def look(engine: Engine, folder: Path, left: float, _step: Step) -> T:
            until = Deadline.after(left)
            try:
                match = engine.show(uri, left)
            except UsageError as error:  # no such provider
                raise NoSuchMemory(words(error)) from None
            if match is None:
                raise NoSuchMemory(f"{named(uri)}: no such memory in {safe(name_of(engine))}\nnext: {source}")
            wanted.shown.note([uri], folder)
            return work(engine, match, engine.checks.of(match.row, until.remaining()))

        try:
            place = wanted.project or wanted.shown.project_of(uri, self._engines.sessions.folder)
        except UsageError as error:
            raise ToolError(words(error)) from None
        return await self._engines.run(look, place, None, None)


def _by_provider(total: int, step: Step) -> Watch:
    """A watcher that reports once for each source."""
    ended: set[str] = set()

    def watch(name: str, progress: Progress) -> None:
        if progress.ended and name not in ended:
            ended.add(name)
            step((len(ended), total, name, progress.late))

    return watch


def _progress(context: Context[Any, Any]) -> Report:
    async def report(step: tuple[int, int, str, bool]) -> None:
        done, total, name, late = step
        await context.report_progress(
            done, total, f"{name} {'has not answered' if late else 'has been looked at'}"
        )

    return report


def _uris(answer: Answer) -> Iterator[str]:
    return (member.row.uri for hit in answer.hits for member in hit.ranked.members())
