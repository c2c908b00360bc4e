"""`recall doctor`: is there a real corpus behind each source, and is it found again?"""

from __future__ import annotations

from pathlib import Path

import click

from recall.cli import context
from recall.wording import visible

_POLICIES = 2.0  # seconds that sources of policy may take: a few small files


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
    from recall import health, policies
    from recall.api import Deadline
    from recall.cli.progress import progress
    from recall.cli.run import exit_code
    from recall.render import document, plain

    output = context.data_stream()
    with context.engine_for(project, all_projects) as engine:
        with progress("checking") as watch:
            rows = health.examine(engine, providers, deadline, watch)
            rules = [] if providers else policies.examine(engine, Deadline.after(_POLICIES))
        project_name = engine.scope.names[0] if engine.scope.names else ""
        if as_json:
            output.write_document(document.checkups(rows, project_name, rules))
        else:
            output.write_text(plain.checkups(rows, project_name, rules))
            for notice in engine.notices():
                output.write(f"Note: {visible(notice)}\n")
        output.flush()
    anything = any(row.needs_attention or row.state.usable for row in rows)
    troubled = any(rule.needs_attention for rule in rules)
    return exit_code(health.healthy(rows) and not troubled, anything)
