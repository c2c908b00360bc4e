"""Rule files and rule plugins, by their names: what they say is followed by the agent that reads them, not recalled."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from recall import files
from recall.api import Authority, Deadline, Health, Policy, Problem, Scope, State, option
from recall.errors import StoreBroken

_IN_PROJECT = (
    *("AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md", ".cursorrules", ".windsurfrules"),
    *(".github/copilot-instructions.md", ".clinerules", "CONVENTIONS.md"),
)
_IN_HOME = (".claude/CLAUDE.md", ".codex/AGENTS.md", ".gemini/GEMINI.md")
_RULE_FOLDERS = (".cursor/rules", ".claude/rules", ".windsurf/rules")
# Where coding agents keep what was installed into them: MARKET/PLUGIN[/VERSION], or a skill's folder.
_PLUGIN_FOLDERS = (
    *(".claude/plugins/marketplaces", ".claude/plugins/cache", ".claude/skills"),
    *(".codex/plugins/cache", ".codex/skills", ".gemini/extensions"),
)
_MOST = 200  # folders of each of those that are looked at
_HEAD = 8_192  # bytes of a file in which its first words are looked for
_SUMMARY = 100  # characters
_NEXT_STEP = "none is needed; AGENTS.md in the project is where agents look for rules"


@dataclass(frozen=True, slots=True)
class PolicyOptions:
    """Settings below `[providers.policy]`."""

    files: tuple[str, ...] = option(
        (), "Further files of rules; relative means below the project.", from_project="folder"
    )
    plugins: tuple[str, ...] = option(
        ("ponytail",), "Plugins, skills and extensions of coding agents that are rules and no memory."
    )


class PolicyFiles:
    """Names the rules that hold in a project. Nothing of them is indexed."""

    name = "policy"
    authority = Authority.CURATED
    Options: ClassVar[type] = PolicyOptions

    def __init__(self, options: PolicyOptions | None = None) -> None:
        self._options = options or PolicyOptions()

    def policies(self, scope: Scope, deadline: Deadline) -> Iterator[Policy | Problem]:
        """One policy a file or plugin, the project's own first; the same file is told once."""
        seen: set[str] = set()
        for path, title in self._places(scope, deadline):
            real = os.path.realpath(path)
            if real in seen or not files.is_file(path):
                continue
            seen.add(real)
            try:
                yield Policy(title, files.display_path(path), _summary(files.read_bytes(path, _HEAD)))
            except StoreBroken as error:
                yield Problem(files.display_path(path), str(error))

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """Counts them."""
        found = list(self.policies(scope, deadline))
        problems = tuple(one for one in found if isinstance(one, Problem))
        count = len(found) - len(problems)
        if problems:
            state = State.DEGRADED if count else State.BROKEN
            reason = "not every file of rules can be read" if count else "no file of rules can be read"
            return Health(state, count, reason=reason, next_step="see the files named", problems=problems)
        if not count:
            return Health(State.ABSENT, 0, reason="no file of rules and no such plugin", next_step=_NEXT_STEP)
        return Health(State.READY, count)

    def _places(self, scope: Scope, deadline: Deadline) -> Iterator[tuple[Path, str]]:
        for name in (*self._options.files, *_IN_PROJECT):
            yield scope.expand(name), name
        for folder in _RULE_FOLDERS:
            for name in _listed(scope.root / folder):
                if name.endswith((".md", ".mdc")):
                    yield scope.root / folder / name, f"{folder}/{name}"
        for name in _IN_HOME:
            yield scope.home / name, f"~/{name}"
        wanted = {name.lower() for name in self._options.plugins}
        for folder in _PLUGIN_FOLDERS:
            for place in _named(scope.home / folder, wanted, deadline):
                yield from ((path, f"{place.name} (plugin)") for path in _documents(place))


def _listed(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))[:_MOST]
    except (OSError, ValueError):
        return []


def _named(folder: Path, wanted: set[str], deadline: Deadline) -> Iterator[Path]:
    """Folders of those names, directly below or one level deeper."""
    for name in _listed(folder):
        deadline.check()
        if name.lower() in wanted:
            yield folder / name
            continue
        yield from (folder / name / one for one in _listed(folder / name) if one.lower() in wanted)


def _documents(place: Path) -> Iterable[Path]:
    """The one file that says what a plugin is: its own, or that of its newest version."""
    versions = [place / name for name in reversed(_listed(place))]
    for folder in (place, *versions):
        for name in ("SKILL.md", "AGENTS.md", "GEMINI.md", "README.md", ".claude-plugin/plugin.json"):
            if files.is_file(folder / name):
                return (folder / name,)
    return ()


def _summary(data: bytes) -> str:
    """The first words of a text: a description in its front matter, else its first line that is no mark."""
    try:
        text = files.decode(data, cut=True).text
    except StoreBroken:
        return ""
    lines = [line.strip() for line in text.split("\n")]
    described = [line for line in lines if line.lower().startswith("description:")]
    plain = [line.lstrip("#> ").strip() for line in lines if line.strip("-#>=*{[ ")]
    first = described[0].partition(":")[2].strip(" \"'|>") if described else ""
    return (first or (plain[0] if plain else ""))[:_SUMMARY]
