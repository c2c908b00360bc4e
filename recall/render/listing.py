"""The plugins, each with what is known of it and what is set for it: as text and as a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from recall.plugins import Plugin
from recall.render.document import SCHEMA_VERSION, next_command, plugin_state
from recall.settings import Origin
from recall.settings.describe import described_options
from recall.wording import visible

if TYPE_CHECKING:
    from recall.engine import Engine

_INDENT = " " * 14
_PLACES = {"user": "user file", "project": "project file", "env": "environment", "flag": "command line"}


class Listed(NamedTuple):
    """A plugin, and what is known of it beside its state."""

    plugin: Plugin
    kind: str = ""  # "corpus" or "search"; "" where it is not loaded
    authority: str = ""
    options: Sequence[tuple[str, str, Origin]] = ()  # name, value as TOML, where it was set


def of(engine: Engine) -> list[Listed]:
    """Every plugin there is; of a refused namesake of a source nothing is set."""
    return [_listed(engine, plugin) for plugin in engine.plugins]


def _listed(engine: Engine, plugin: Plugin) -> Listed:
    source = engine.sources.get(plugin.name)
    if source is not None and plugin.provider is None:
        return Listed(plugin)
    options = described_options(engine.settings, plugin.name, engine.options)
    if source is None:
        return Listed(plugin, options=options)
    return Listed(plugin, "search" if source.searches else "corpus", source.authority.value, options)


def document(rows: Sequence[Listed]) -> dict[str, Any]:
    """The plugins as a document."""
    return {"schema_version": SCHEMA_VERSION, "providers": [_row(row) for row in rows]}


def _row(row: Listed) -> dict[str, Any]:
    plugin = row.plugin
    return {
        "name": plugin.name,
        "distribution": plugin.distribution,
        "version": plugin.version,
        "file": plugin.file,
        "state": plugin_state(plugin),
        "kind": row.kind,
        "authority": row.authority,
        "options": [
            {"key": key, "value": value, "origin": origin.kind, "place": origin.place}
            for key, value, origin in row.options
        ],
        "reason": plugin.reason,
        "next_step": plugin.next_step,
        "next_command": next_command(plugin.next_step),
    }


def text(rows: Sequence[Listed]) -> str:
    """The plugins, a few lines each: what it is, what is wrong with it, its options."""
    return "".join(f"{visible(line)}\n" for row in rows for line in _lines(row))


def _lines(row: Listed) -> Iterator[str]:
    plugin = row.plugin
    where = plugin.file or f"{plugin.distribution} {plugin.version}".strip()
    yield f"{visible(plugin.name):<14} {plugin_state(plugin):<8} {row.kind:<8} {row.authority:<10} {where}"
    if plugin.reason:
        yield f"{_INDENT} {plugin.reason}"
    if plugin.next_step:
        yield f"{_INDENT} next: {plugin.next_step}"
    for key, value, origin in row.options:
        yield f"{_INDENT} {key} = {value}  # {_said(origin)}"


def _said(origin: Origin) -> str:
    """Where a value came from, in words: what kind of place it is, and which one."""
    kind = _PLACES.get(origin.kind, origin.kind)
    return f"{kind}, {origin.place}" if origin.place else kind
