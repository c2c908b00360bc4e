"""The tools of a session's continuity: where the project stands, and whether a session still knows it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Annotated

from mcp_types import CallToolResult
from pydantic import Field, StrictInt

from recall.api import Deadline
from recall.checkpoints import KINDS
from recall.context import guard, worktree
from recall.context.bootstrap import DEADLINE, bootstrap
from recall.context.entry import Entry
from recall.context.journal import Memo
from recall.context.presence import Presence
from recall.context.saving import save
from recall.context.where import stands
from recall.engine import Engine
from recall.render import bootstrap as rendered
from recall.render import checkpoints
from recall.render.document import TRUST
from recall.server import results
from recall.server.engines import Engines, name_of, result
from recall.server.shaping.shaped import Shaped, safe
from recall.server.strict import StrictTool
from recall.server.work import Step

_SAVING = 5.0  # seconds: others may be saving
_NEWER = 20  # entries told of a refused save

Text = Annotated[str, Field(max_length=20_000)]
Texts = Annotated[list[Text] | None, Field(max_length=100)]
Project = Annotated[str | None, Field(max_length=4_096, description="As for deep_recall.")]


class ContextTools:
    """What these tools share: the engines, and this server's presence, that its handles are bound to."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines
        self._presence: Presence | None = None
        self._memos: dict[Path, Memo] = {}  # by project: a save holds its lock while it uses one
        self._lock = threading.Lock()

    def all(self) -> list[StrictTool]:
        """The tools, in the order that they are listed in."""
        return [
            StrictTool.of(
                self.context_bootstrap,
                "Where the project stands",
                "Call first in a session: Git, decisions, next steps, where to look. Fast; gives a context_handle.",
            ),
            StrictTool.of(
                self.context_checkpoint,
                "Save a checkpoint",
                "Write down at once what was decided, and what happened. No secrets.",
                read_only=False,
            ),
            StrictTool.of(
                self.check_handle,
                "Check a context handle",
                "Whether a context_handle still holds.",
            ),
        ]

    def close(self) -> None:
        """End the server's presence: its handles hold no more."""
        with self._lock:
            if self._presence is not None:
                self._presence.close()
                self._presence = None

    async def context_bootstrap(
        self,
        project: Project = None,
        subject: Annotated[str, Field(max_length=2_000, description="The topic.")] = "",
        budget: Annotated[StrictInt | None, Field(ge=300, le=10_000, description="Most tokens.")] = None,
    ) -> Annotated[CallToolResult, results.Bootstrapped]:
        """Where the project stands."""

        def work(engine: Engine, _folder: Path, left: float, _step: Step) -> Shaped:
            given = bootstrap(
                engine, subject=subject, tokens=budget, server=self._present(engine), deadline=left
            )
            answer = results.Bootstrapped(
                label=TRUST,
                project=given.project,
                context_handle=given.handle.name if given.handle else "",
                changed_since_checkpoint=given.changed,
                text=rendered.text(given),
            )
            return Shaped(answer.text, answer.plain())

        return result(await self._engines.run(work, project, DEADLINE, None))

    async def context_checkpoint(
        self,
        kind: Annotated[str, Field(max_length=40, json_schema_extra={"enum": list(KINDS)})],
        text: Text,
        why: Text = "",
        paths: Texts = None,
        evidence: Texts = None,
        next_steps: Texts = None,
        closes: Annotated[Texts, Field(description="Ids that this ends.")] = None,
        base: Annotated[str | None, Field(description="Save only at this revision.")] = None,
        project: Project = None,
    ) -> Annotated[CallToolResult, results.Saved]:
        """Save what happened."""
        entry = Entry(
            kind, text, why, _all(paths), _all(evidence), next=_all(next_steps), closes=_all(closes)
        )

        def work(engine: Engine, _folder: Path, left: float, _step: Step) -> Shaped:
            scope = engine.scope
            mark = worktree.look(scope, engine.places.cache, Deadline.after(left / 2))[1]
            made = save(
                scope.main_root,
                entry,
                base,
                where=stands(scope, mark),
                project=name_of(engine),
                memo=self._memos.setdefault(scope.main_root, Memo()),
                patience=left / 2,
            )
            newer = [safe(f"{one.id} {one.kind}: {one.text}") for one in made.newer[-_NEWER:]]
            answer = results.Saved(
                saved=made.saved,
                revision=made.revision,
                reason=made.reason,
                newer=newer,
                notes=list(made.notes),
            )
            return Shaped(checkpoints.saved_text(made), answer.plain())

        return result(await self._engines.run(work, project, _SAVING, None))

    async def check_handle(
        self,
        handle: Annotated[str, Field(max_length=100)],
        project: Project = None,
    ) -> Annotated[CallToolResult, results.Checked]:
        """Whether a handle still holds."""

        def work(engine: Engine, _folder: Path, left: float, _step: Step) -> Shaped:
            verdict = guard.judged(
                engine.scope,
                engine.places.state,
                handle=handle,
                now=engine.now(),
                idle_seconds=engine.settings.context.idle_minutes * 60,
                deadline=Deadline.after(left),
            )
            answer = results.Checked(allowed=verdict.allowed, reason=verdict.reason)
            return Shaped(rendered.verdict(verdict), {"allowed": verdict.allowed, **answer.plain()})

        return result(await self._engines.run(work, project, DEADLINE, None))

    def _present(self, engine: Engine) -> str:
        """This server's name; "" where its state cannot be kept."""
        with self._lock:
            if self._presence is None:
                try:
                    self._presence = Presence(engine.places.state)
                except OSError:
                    return ""
            return self._presence.name


def _all(given: list[str] | None) -> tuple[str, ...]:
    return tuple(given or ())
