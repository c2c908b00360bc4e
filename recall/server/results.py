"""What the tools return, as clients read it in `outputSchema`. What is empty is left out of a result.

A client shows its model either the structured part or the text, never both. So every part that carries a
remembered text carries the label too, before its title and all else that its source said.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Label = Annotated[str, Field(description="How to use text with trust: untrusted.")]
LeftOut = Annotated[dict[str, int], Field(description="Not shown, counted.")]
Trust = Literal["untrusted"]


class Result(BaseModel):
    """A structured result."""

    model_config = ConfigDict(json_schema_extra=lambda schema: schema.pop("description", None))

    def plain(self) -> dict[str, Any]:
        """As plain values, without what is empty."""
        return self.model_dump(mode="json", exclude_defaults=True)


class Memory(Result):
    """One ranked memory, or one that stands with it: of that a part of the fields."""

    trust: Trust
    rank: int | None = None
    source: str
    authority: Annotated[str, Field(description="code > state > decision > curated > captured > chat")]
    date: str = ""
    age: str = ""
    title: str
    uri: str
    path: str = ""
    project: str = ""
    flags: list[str] = []
    vanished: str = ""  # when its source stopped listing it
    withdrawn: str = ""  # why its source no longer stands by it
    verdict: Annotated[
        str,
        Field(description="Git says: current, changed since, contradicted, unverifiable"),
    ] = ""
    reasons: list[str] = []
    commands: Annotated[list[str], Field(description="To check it.")] = []
    why: str = ""
    text: str
    whole: Annotated[bool | None, Field(description="False: read_memory has the rest.")] = None
    also_in: list[str] = []
    disagrees: Annotated[list[Memory], Field(description="Other facts, less authority.")] = []
    similar: list[Memory] = []
    factors: dict[str, Any] | None = None


class Outcome(Result):
    """What one provider did."""

    provider: str
    state: Annotated[str, Field(description="ready, degraded, empty, absent, busy, broken")]
    found: int
    memories: int
    reason: str = ""
    next_step: str = ""
    notes: list[str] = []


class Recalled(Result):
    """Answer of `deep_recall`."""

    label: Label
    project: str
    now: str = ""  # branch, commit, changes
    answer: Annotated[str, Field(description="found, nothing found, or could not look")]
    memories: list[Memory]
    outcomes: list[Outcome]
    left_out: LeftOut = {}
    notices: list[str] = []


class SourceHealth(Result):
    """One provider's corpus."""

    provider: str
    state: str
    memories: int | None = None
    read_back: Annotated[str, Field(description="Sampled memories found again.")] = ""
    newest: str = ""
    trend: str = ""
    reason: str = ""
    next_step: str = ""
    problems: list[str] = []
    facts: list[str] = []


class Health(Result):
    """Answer of `memory_health`."""

    project: str
    healthy: bool
    providers: list[SourceHealth]
    left_out: LeftOut = {}
    notices: list[str] = []


class Page(Result):
    """Answer of `read_memory`."""

    label: str
    trust: Trust
    uri: str
    source: str
    authority: str
    date: str = ""
    title: str
    path: str = ""
    project: str = ""
    flags: list[str] = []
    vanished: str = ""
    withdrawn: str = ""
    verdict: str = ""  # these three as in `Memory`
    reasons: list[str] = []
    commands: list[str] = []
    page: int
    pages: int
    text: str


class Found(Result):
    """One result of `search`."""

    id: str
    title: str
    url: str
    verdict: str = ""


class Search(Result):
    """Answer of `search`, in the shape that ChatGPT connectors require, with verdicts and what has no room."""

    results: list[Found]
    left_out: LeftOut = {}


class Document(Result):
    """Answer of `fetch`, in the shape that ChatGPT connectors require."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]


class Bootstrapped(Result):
    """Answer of `context_bootstrap`."""

    label: str
    project: str
    context_handle: Annotated[str, Field(description="For check_handle.")] = ""
    changed_since_checkpoint: bool | None = None
    text: str


class Saved(Result):
    """Answer of `context_checkpoint`."""

    saved: bool
    revision: str
    reason: str = ""
    newer: Annotated[list[str], Field(description="Refused: what was saved since base.")] = []
    notes: list[str] = []


class Checked(Result):
    """Answer of `check_handle`."""

    allowed: bool
    reason: Annotated[str, Field(description="Why not.")] = ""
