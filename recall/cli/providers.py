"""`recall providers`: the sources and their plugins; a broken one is a row with its reason."""

from __future__ import annotations

from pathlib import Path

import click

from recall.cli import context


@click.command(name="providers")
@context.shared
@context.json_option
def command(project: Path | None, all_projects: bool, as_json: bool) -> int:
    """List the sources and their plugins, with their options and where each is set.

    Exit code 1 when one is broken.
    """
    from recall.cli.run import FOUND, NOTHING
    from recall.render import listing

    output = context.data_stream()
    with context.engine_for(project, all_projects) as engine:
        rows = listing.of(engine)
        if as_json:
            output.write_document(listing.document(rows))
        else:
            output.write(listing.text(rows))
        output.flush()
        return NOTHING if any(row.plugin.broken for row in rows) else FOUND
