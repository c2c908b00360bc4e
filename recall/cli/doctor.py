"""`recall doctor`: is there a real corpus behind each source, and is it found again?"""

from __future__ import annotations

from pathlib import Path

import click

from recall.cli import context


@click.command(name="doctor")
@click.option(
    "--deadline", type=click.FloatRange(0.01, 3600), default=30.0, metavar="SECONDS", help="Be done by then."
)
@context.provider_option
@context.shared
@context.json_option
def command(
    deadline: float, providers: tuple[str, ...], project: Path | None, all_projects: bool, as_json: bool
) -> int:
    """Check each source for a real corpus that can be read and found again.

    Exit code 1 when something needs attention, 3 when there is no memory at all.
    """
    from recall import health
    from recall.cli.progress import progress
    from recall.cli.run import exit_code
    from recall.render import document, plain

    output = context.data_stream()
    with context.engine_for(project, all_projects) as engine:
        with progress("checking") as watch:
            rows = health.examine(engine, providers, deadline, watch)
        project_name = engine.scope.names[0] if engine.scope.names else ""
        if as_json:
            output.write_document(document.checkups(rows, project_name))
        else:
            output.write_text(plain.checkups(rows, project_name))
            for notice in engine.notices():
                output.write(f"Note: {notice}\n")
        output.flush()
    anything = any(row.needs_attention or row.state.usable for row in rows)
    return exit_code(health.healthy(rows), anything)
