"""The part of the contract that only reads, on what a user really has; pytest is not needed for it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, NamedTuple

from recall.api import Entry, Scope
from recall.hookspecs import ENTRY_POINT_GROUP
from recall.plugins import Plugin
from recall.sources import Source
from recall.testing import traces
from recall.testing.checks import content, declared, imported, manners, states
from recall.testing.finding import Finding
from recall.testing.look import Look, Read, asked_health, look
from recall.testing.watched import Watched, watched

MOST = 2_000  # entries that are read: enough to see what is wrong, and seconds instead of minutes
# Sections of docs/contract-tests.md: what is checked of every provider, and what where memories can be read.
ALWAYS = ("name", "options", "import", "errors", "time", "quiet", "threads", "health", "states")
WHEN_READ = ("results", "text", "ids", "stamps", "dates", "problems", "counts", "read-only")
_ONLY_ASKED = "it can only be asked; the tests of its plugin ask it"
_UNREAD = "it could not be read"
_NO_PATHS = "neither a memory nor health says which files there are"
_NOTHING = "there is no memory to look at"


class Report(NamedTuple):
    """What was checked of one provider, and what it does not keep."""

    provider: str
    checked: tuple[str, ...]  # sections of docs/contract-tests.md
    not_checked: tuple[tuple[str, str], ...]  # the others, and why
    findings: tuple[Finding, ...]
    state: str = ""  # as its health says; "" if it says nothing
    entries: int = 0
    memories: int = 0
    unread: int = 0  # entries beyond those that were read

    @property
    def kept(self) -> bool:
        """Whether it keeps the contract, as far as it was checked."""
        return not self.findings


def check(source: Source, scope: Scope, deadline: float, most: int = MOST) -> Report:
    """Check a provider on what it has in a scope; nothing is raised, and nothing indexed.

    deadline: seconds for each part of each look. most: entries that are read.
    """
    provider = source.provider
    if source.searches:
        health = watched(lambda: asked_health(provider, scope, deadline), 2 * deadline, leftovers=True)
        first, why_not = Look(health, Watched()), _ONLY_ASKED
    else:
        first = look(provider, scope, seconds=deadline, most=most, leftovers=True)
        why_not = _NOTHING if first.read.value is not None else _UNREAD
    found = [*_of_the_class(source.plugin), *manners.of_look(first)]
    said, read = first.health.value, first.read.value
    paths = _paths(read or Read(), said.places if said is not None else ())
    if said is not None:
        found += states.health(said)
    if read is not None:
        found += _of_a_reading(source.name, read)
        found += _of_more_looks(source.plugin, scope, deadline, most, read, paths)
        found += _out_of_time(source.plugin, scope, deadline, read)
        if said is not None:
            found += (
                *states.agreement(said, read),
                *states.counts(said, read),
                *states.problems_counted(said, read),
            )
    left_out = {} if read is not None and read.memories else dict.fromkeys(WHEN_READ, why_not)
    if read is not None and not paths:
        left_out.setdefault("read-only", _NO_PATHS)
    return Report(
        source.name,
        (*ALWAYS, *(name for name in WHEN_READ if name not in left_out)),
        tuple(left_out.items()),
        tuple(dict.fromkeys(found)),
        str(said.state) if said is not None else "",
        len(read.entries) if read else 0,
        len(read.memories) if read else 0,
        read.unread if read else 0,
    )


def _of_the_class(plugin: Plugin) -> Iterator[Finding]:
    """Name, options and import: what can be said without a look."""
    provider_class = type(plugin.provider)
    registered = _registered(plugin)
    yield from declared.name(provider_class)
    yield from declared.entry_point(provider_class, registered)
    yield from declared.options(provider_class)
    module = registered[0].module if registered else provider_class.__module__
    with tempfile.TemporaryDirectory(prefix="recall-check-") as folder:
        seen = imported.imported_from(module, plugin.file, Path(folder))
    yield from imported.light(seen)
    yield from imported.harmless(seen)


def _registered(plugin: Plugin) -> list[EntryPoint]:
    if plugin.file:
        return []
    return [
        entry
        for entry in entry_points(group=ENTRY_POINT_GROUP, name=plugin.name)
        if entry.dist is not None and entry.dist.name == plugin.distribution
    ]


def _of_a_reading(name: str, read: Read) -> Iterator[Finding]:
    yield from content.kinds(read)
    yield from content.texts(read.memories)
    yield from content.unique(read)
    yield from content.uris(name, read.memories)
    yield from content.dates(read.memories)
    yield from content.problems(read)


def _of_more_looks(
    plugin: Plugin, scope: Scope, deadline: float, most: int, first: Read, paths: list[str]
) -> Iterable[Finding]:
    """What differs between two looks, by a new instance; once more where it does, since people work meanwhile."""
    found: list[Finding] = []
    for _attempt in range(2):
        before = traces.glance(paths)
        again = look(_another(plugin), scope, seconds=deadline, most=most).read
        if again.value is None:
            return manners.outcome("a second reading", again)
        found = [*content.stable(first, again.value), *manners.unchanged(before, traces.glance(paths))]
        if not found:
            break
        first = again.value
    return found


def _another(plugin: Plugin) -> Any:
    """Another instance with the same options."""
    return type(plugin.provider)(plugin.options)


def _paths(read: Read, places: Iterable[str]) -> list[str]:
    """The files that memories come from, the folders that they are in, and where the provider looks."""
    files = {os.path.abspath(memory.path) for memory in read.memories if memory.path}
    return sorted(files | {os.path.dirname(path) for path in files} | set(filter(os.path.isabs, places)))


def _out_of_time(plugin: Plugin, scope: Scope, deadline: float, read: Read) -> Iterable[Finding]:
    """A listing whose deadline has passed ends at once, unless a look before has it ready: so by a new instance."""
    provider = _another(plugin)

    def listing() -> int:
        return sum(isinstance(item, Entry) for item in provider.entries(scope, manners.passed()) or ())

    return manners.listing_out_of_time(watched(listing, 2 * deadline), len(read.entries))
