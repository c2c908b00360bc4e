"""`recall bootstrap`: where the project stands, for the start of a session."""

from __future__ import annotations

from pathlib import Path

import click

from recall.cli import context


@click.command(name="bootstrap")
@click.option("--subject", default="", help="What the session is about; default: the next steps, the branch.")
@click.option("--budget", type=click.IntRange(300, 50_000), help="Most tokens, approximately.")
@click.option(
    "--deadline", type=click.FloatRange(0.05, 60), default=4.0, metavar="SECONDS", help="Answer by then."
)
@context.project_option
@context.json_option
def command(subject: str, budget: int | None, deadline: float, project: Path | None, as_json: bool) -> int:
    """Where the project stands: Git, what was decided, what is next, where to look.

    It asks no memory tool: `recall query` does. It gives out a context handle, which the guard asks for.
    """
    from recall.cli.run import FOUND
    from recall.context.bootstrap import bootstrap
    from recall.render import bootstrap as rendered

    output = context.data_stream()
    with context.engine_for(project) as engine:
        given = bootstrap(engine, subject=subject, tokens=budget, deadline=deadline)
        if as_json:
            output.write_document(rendered.document(given))
        else:
            output.write(rendered.text(given))
        output.flush()
    return FOUND
