"""What can be set: one frozen dataclass per table of the settings file, and where each value came from.

The dataclasses are the only description of the core's options. The validation, `config.example.toml`, the
environment variables' names and what a stranger's project file may set are all derived from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any, NamedTuple

from recall.api import Authority, option
from recall.clienthooks import GUARDED_TOOLS
from recall.records import record


@record
class QuerySettings:
    """How questions are answered."""

    limit: int = option(8, "Most memories in one answer.", from_project="value", at_least=1, at_most=100)
    budget: int = option(
        2000,
        "Approximate size of one answer in tokens; what does not fit is counted.",
        from_project="value",
        at_least=50,
        at_most=1_000_000,
    )
    # Not for a stranger's project: it decides how long the user waits.
    deadline: float = option(
        2.0, "Seconds after which the answer is given with what is there.", at_least=0.01, at_most=600
    )
    floor: float = option(
        0.34,
        "Share of the question's distinctive words a memory must cover to be shown; 0 shows every match.",
        from_project="value",
        at_least=0,
        at_most=1,
    )
    half_life_days: float = option(
        90.0,
        "Days after which a memory's freshness counts half.",
        from_project="value",
        at_least=0.1,
        at_most=36_500,
    )


def _weight(default: float, help: str) -> Any:
    return option(default, help, from_project="value", at_least=0, at_most=1)


@record
class AuthorityWeights:
    """How much each kind of source is believed when memories disagree, from 0 to 1."""

    code: float = _weight(1.0, "Running code and Git.")
    state: float = _weight(0.9, "Checkpoints, hand-overs, documents of the current state.")
    decision: float = _weight(0.8, "Decision records.")
    curated: float = _weight(0.6, "Notes somebody wrote to be remembered.")
    captured: float = _weight(0.4, "History recorded by a tool.")
    chat: float = _weight(0.2, "Old conversations.")


@record
class EvidenceSettings:
    """How memories are checked against the repository as it is now."""

    enabled: bool = option(
        True, "Whether memories are checked: do the files, names and versions they speak of still exist?"
    )
    only_current: bool = option(
        False,
        "Whether memories that the repository contradicts are left out; they are counted.",
        from_project="value",
    )
    # Not for a stranger's project: it decides how long the user waits.
    max_seconds: float = option(
        1.0,
        "Most seconds of an answer that checking may take; reading a long history goes on with the next question.",
        at_least=0.01,
        at_most=60,
    )


@record
class IndexSettings:
    """The index in the cache folder; it serves every project, so no single project may change these."""

    keep_vanished_days: int = option(
        14,
        "Days that memories of a source which suddenly lists nothing are kept, marked as vanished.",
        at_least=0,
        at_most=3650,
    )


@record
class SuspensionSettings:
    """How a source that keeps failing is left alone; no project may change these: it decides what is asked."""

    after: int = option(
        3,
        "Failures in a row after which a source is not asked for a while; 0 = never.",
        at_least=0,
        at_most=100,
    )
    first_pause: float = option(
        60.0, "Seconds of the first pause; each further failure doubles it.", at_least=1, at_most=86_400
    )
    longest_pause: float = option(3_600.0, "Most seconds of a pause.", at_least=1, at_most=604_800)


@record
class ProjectSettings:
    """What this project is called in other tools' memories."""

    names: tuple[str, ...] = option(
        (), "Further names this project goes by, beside its folder and its remote.", from_project="value"
    )


@record
class ServerSettings:
    """How `recall serve` serves agents over MCP; no project may change these."""

    host: str = option(
        "127.0.0.1", "Address that --http binds to; one that other machines reach also needs --allow-remote."
    )
    port: int = option(8377, "Port that --http binds to.", at_least=0, at_most=65_535)
    allowed_hosts: tuple[str, ...] = option(
        (), "Names, beside this machine's own, under which clients may reach it: a tunnel's, a proxy's."
    )
    search_tools: bool = option(
        True,
        "Whether `search` and `fetch`, which ChatGPT connectors need, are offered beside the other tools.",
    )
    max_result_chars: int = option(
        40_000,
        "Most characters in one result; clients cut longer ones in the middle.",
        at_least=4_000,
        at_most=1_000_000,
    )


class Reminder(StrEnum):
    """What is done at the end of a turn that changed something which no checkpoint holds."""

    OFF = "off"
    SAY = "say"  # one line for the user
    ASK = "ask"  # the agent goes on once, and is asked for a checkpoint


@record
class Workspace:
    """Folders that are one project, and what that project is called."""

    name: str = option("", "What its memories are filed under.")
    folders: tuple[str, ...] = option((), "Its folders, and all that is below them; ~ is your home.")
    aliases: tuple[str, ...] = option((), "Further names that memories may carry.")


@record
class ContextSettings:
    """The start of a session: what it is given, and when it must ask again. No project may change these."""

    budget: int = option(
        3000,
        "Approximate size of a bootstrap in tokens; every section has its own share.",
        at_least=300,
        at_most=50_000,
    )
    global_sources: tuple[str, ...] = option(
        (), "Sources whose memories for all projects may be put before a session unasked."
    )
    workspaces: tuple[Workspace, ...] = option(
        (), "Which folders are which project; with any, hooks add nothing outside them."
    )
    guard: bool = option(
        True, "Whether the guard's hook denies tools that change something before a bootstrap."
    )
    guarded_tools: tuple[str, ...] = option(
        tuple(dict.fromkeys(tool for tools in GUARDED_TOOLS.values() for tool in tools)),
        "Tools that the guard asks a bootstrap for; * stands for any characters.",
    )
    idle_minutes: float = option(
        240.0, "Minutes without a guarded tool after which a bootstrap is asked for again.", at_least=1
    )
    reminder: Reminder = option(
        Reminder.SAY, "At the end of a turn with changes that no checkpoint holds: off, say or ask."
    )


@record
class ProviderSettings:
    """One `[providers.<name>]` table: what the core decides, and the provider's own options as written.

    Values of `options` that came from the environment are still text: only the provider's Options class
    tells their type. `untrusted` holds the options an untrusted project file asks for.
    """

    enabled: bool | None = option(None, "Whether this source is read.", from_project="value")
    authority: Authority | None = option(
        None, "How much it is believed; not set means the provider's own.", from_project="value"
    )
    distribution: str = option(
        "", "Which installed distribution provides it, where two provide the same name."
    )
    file: str = option("", "A single Python file that provides it, in place of a distribution; it is run.")
    options: Mapping[str, Any] = field(default_factory=dict, metadata={"internal": True})
    untrusted: Mapping[str, Any] = field(default_factory=dict, metadata={"internal": True})


TABLES: Mapping[str, type] = {
    "query": QuerySettings,
    "authority": AuthorityWeights,
    "evidence": EvidenceSettings,
    "index": IndexSettings,
    "suspension": SuspensionSettings,
    "project": ProjectSettings,
    "server": ServerSettings,
    "context": ContextSettings,
}
NEXT_STEP = "`recall config example` explains every key"
# Sources that are read only when the user says so: they hold all that was ever typed. Kept here and not in the
# plugins, since a plugin that is off is not imported; a stranger's plugin raises NotConfigured instead.
OFF_BY_DEFAULT = frozenset({"transcripts"})
# Sources of which there may be any number: `[providers.mcp.notes]` is one that is called `mcp-notes`. Kept here, since
# names are read before any plugin is imported.
FAMILIES = ("mcp", "http")
# The keys of `[providers.<name>]` that are the core's; every other key is the provider's own option.
PROVIDER_KEYS = ("enabled", "authority", "distribution", "file")


def canonical(name: str) -> str:
    """A provider's name as settings compare it: case does not matter, and `_` is `-`.

    A variable's name can hold no `-`, so that `RECALL_PROVIDERS__CLAUDE_MEM__...` means `claude-mem`.
    """
    return name.lower().replace("_", "-")


class Origin(NamedTuple):  # seven times faster to define than a dataclass, at every start
    """Where a value came from."""

    kind: str  # flag, env, project, user, default
    place: str = ""  # "--limit", "RECALL_QUERY__LIMIT", "/path/.recall.toml:4"

    def __str__(self) -> str:
        return self.place or self.kind


DEFAULT = Origin("default")


@record
class Settings:
    """Everything that was set, validated; the providers' own options are validated by `options_for`."""

    query: QuerySettings = QuerySettings()
    authority: AuthorityWeights = AuthorityWeights()
    evidence: EvidenceSettings = EvidenceSettings()
    index: IndexSettings = IndexSettings()
    suspension: SuspensionSettings = SuspensionSettings()
    project: ProjectSettings = ProjectSettings()
    server: ServerSettings = ServerSettings()
    context: ContextSettings = ContextSettings()
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)  # by canonical name
    origins: Mapping[str, Origin] = field(default_factory=dict)  # "query.limit" -> where it was set
    untrusted_origins: Mapping[str, Origin] = field(default_factory=dict)  # the same for `untrusted`
    notices: tuple[str, ...] = ()  # lines worth showing: what was not used, and why

    def provider(self, name: str) -> ProviderSettings:
        """A provider's settings, set or not."""
        return self.providers.get(canonical(name)) or ProviderSettings()

    def enabled(self, name: str) -> bool:
        """Whether a provider is read: as it was set, else yes for all but those that are off by default."""
        chosen = self.provider(name).enabled
        return canonical(name) not in OFF_BY_DEFAULT if chosen is None else chosen

    def origin(self, key: str) -> Origin:
        """Where the value of a dotted key came from."""
        return self.origins.get(key, DEFAULT)
