"""What every tool does first and last: get a project's engine in time, and put errors into words for a model."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent

from recall import clean
from recall.engine import Engine
from recall.errors import RecallError
from recall.server.sessions import Sessions
from recall.server.shaping.shaped import Shaped, cut
from recall.server.work import Crashed, Report, Step, Stuck, Workshop

T = TypeVar("T")

MOST_SECONDS = 60.0
LEAST = 0.05  # seconds that are left for an answer from the index when the start has used up the rest
_START_SECONDS = 10.0  # for an engine to start: a plugin that hangs while it is imported costs two of them
_LONGEST_ERROR = 4_000  # characters


class Engines:
    """The engines as the tools use them: in threads of their own, each call with its own deadline."""

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions
        self._workshop = Workshop()

    async def run(
        self,
        work: Callable[[Engine, Path, float, Step], T],
        project: str | Path | None,
        seconds: float | None,
        report: Report | None,
    ) -> T:
        """What `work` returns for a project's engine; raises ToolError.

        project: as a client named it; a folder that is known needs no look.
        seconds: for all of it, from now on. Without, it is what the settings say, once the engine has started.
        """
        arrived = time.monotonic()

        def body(step: Step) -> T:
            folder = project if isinstance(project, Path) else self.sessions.folder_of(project)
            waited = time.monotonic() - arrived
            patience = max(LEAST, seconds - waited) if seconds else _START_SECONDS
            with self.sessions.engine(folder, patience) as engine:
                if seconds:
                    left = seconds - (time.monotonic() - arrived)
                else:
                    left = min(MOST_SECONDS, engine.settings.query.deadline) - waited
                return work(engine, folder, max(LEAST, left), step)

        try:
            return await self._workshop.run(body, seconds or MOST_SECONDS, report)
        except RecallError as error:
            raise ToolError(words(error)) from None
        except Crashed as error:
            raise ToolError(f"a source ended its thread ({error}); run `recall doctor`") from None
        except Stuck:
            raise ToolError("nothing came back in time; ask again, or run `recall doctor`") from None


def result(shaped: Shaped) -> CallToolResult:
    """Both forms of a result, as the protocol carries them."""
    text = TextContent(type="text", text=shaped.text)
    return CallToolResult(content=[text], structured_content=shaped.structured)


def name_of(engine: Engine) -> str:
    """What an engine's project is called."""
    return engine.scope.names[0] if engine.scope.names else "this project"


def words(error: RecallError) -> str:
    """An error as a model reads it: what is wrong, and the next step."""
    step = f"\nnext: {error.next_step}" if error.next_step else ""
    return cut(clean.clean(f"{error}{step}").text, _LONGEST_ERROR)
