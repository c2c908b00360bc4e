"""`recall show`: one memory in full."""

from __future__ import annotations

from pathlib import Path

import click

from recall.cli import context


@click.command(name="show")
@click.argument("uri")
@context.shared
@context.json_option
def command(uri: str, project: Path | None, all_projects: bool, as_json: bool) -> int:
    """Print one memory in full: recall show recall://serena/core"""
    from recall.cli.run import FOUND
    from recall.errors import NotFound
    from recall.render import document, plain

    if not uri.startswith("recall://"):
        raise click.UsageError(
            f"{uri!r} is no memory's uri: it begins with recall://, as `recall query` prints it"
        )
    output = context.data_stream()
    with context.engine_for(project, all_projects) as engine:
        match = engine.show(uri)
        if match is None:
            step = "" if all_projects else f"`recall show --all-projects {uri}` looks in every project"
            raise NotFound(f"{uri}: no such memory in {engine.scope.whose}", step)
        authority = engine.authority_of(match.row).value
        if as_json:
            output.write_document(document.memory(match.row, authority, engine.now(), match.vanished_at))
        else:
            output.write(plain.memory(match.row, authority, engine.now(), match.vanished_at))
        output.flush()
    return FOUND
