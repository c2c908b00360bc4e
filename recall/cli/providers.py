"""`recall providers`: the sources and their plugins; a broken one is a row with its reason."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from recall.cli import context, trying

if TYPE_CHECKING:
    from recall.engine import Engine


@click.command(name="providers")
@click.option(
    "--check", "checked", metavar="NAME", help="Hold one source to the contract, on your own memories."
)
@click.option(
    "--deadline",
    type=click.FloatRange(0.01, 3600),
    default=30.0,
    metavar="SECONDS",
    help="With --check: what each look may take.",
)
@context.shared
@context.json_option
@trying.option
def command(
    checked: str | None,
    deadline: float,
    project: Path | None,
    all_projects: bool,
    as_json: bool,
    tried: tuple[str, str] | None,
) -> int:
    """List the sources and their plugins, with their options and where each is set.

    Exit code 1 when one is broken, or does not keep the contract; 3 when the one to check is not loaded. With --try,
    one of those that can only be asked is asked: exit code 1 when nothing was understood.
    """
    if checked is not None and tried is not None:
        raise click.UsageError("--check and --try exclude each other")
    with context.engine_for(project, all_projects) as engine:
        if tried is not None:
            return trying.run(engine, *tried, as_json, context.data_stream())
        if checked is not None:
            return _check(engine, checked, deadline, as_json)
        return _list(engine, as_json)


def _list(engine: Engine, as_json: bool) -> int:
    from recall.cli.run import FOUND, NOTHING
    from recall.render import listing

    output = context.data_stream()
    rows = listing.of(engine)
    if as_json:
        output.write_document(listing.document(rows))
    else:
        output.write(listing.text(rows))
    output.flush()
    return NOTHING if any(row.plugin.broken for row in rows) else FOUND


def _check(engine: Engine, name: str, deadline: float, as_json: bool) -> int:
    from recall.cli.run import FOUND, NOTHING
    from recall.errors import ProviderError
    from recall.testing import checkup, report

    source = engine.chosen([name]).get(name)
    if source is None:
        row = next(row for row in engine.plugins if row.name == name)
        raise ProviderError(f"{name} is not loaded: {row.reason}", row.next_step)
    output = context.data_stream()
    found = checkup.check(source, engine.scope, deadline)
    if as_json:
        output.write_document(report.document(found))
    else:
        output.write(report.text(found))
    output.flush()
    return FOUND if found.kept else NOTHING
