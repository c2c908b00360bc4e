"""`recall providers`: the sources and their plugins; a broken one is a row with its reason."""

from __future__ import annotations

from pathlib import Path

import click

from recall.cli import context, trying
from recall.wording import visible


@click.command(name="providers")
@context.shared
@context.json_option
@trying.option
def command(project: Path | None, all_projects: bool, as_json: bool, tried: tuple[str, str] | None) -> int:
    """List the sources and their plugins. Exit code 1 when one is broken.

    With --try, ask one of those that can only be asked. Exit code 1 when nothing was understood.
    """
    from recall.cli.run import FOUND, NOTHING
    from recall.render import document

    output = context.data_stream()
    with context.engine_for(project, all_projects) as engine:
        if tried is not None:
            return trying.run(engine, *tried, as_json, output)
        rows = [(plugin, *_kind_and_authority(engine, plugin)) for plugin in engine.plugins]
        if as_json:
            output.write_document(document.providers(rows))
        else:
            for plugin, kind, authority in rows:
                origin = visible(f"{plugin.distribution} {plugin.version}".strip())
                state = document.plugin_state(plugin)
                output.write(f"{visible(plugin.name):<14} {state:<8} {kind:<8} {authority:<10} {origin}\n")
                if plugin.reason:
                    output.write(f"{'':<14} {visible(plugin.reason)}\n")
                if plugin.next_step:
                    output.write(f"{'':<14} next: {visible(plugin.next_step)}\n")
        output.flush()
        return NOTHING if any(plugin.broken for plugin in engine.plugins) else FOUND


def _kind_and_authority(engine: object, plugin: object) -> tuple[str, str]:
    source = engine.sources.get(plugin.name) if plugin.provider is not None else None  # type: ignore[attr-defined]
    if source is None:
        return "", ""
    return "search" if source.searches else "corpus", source.authority.value
