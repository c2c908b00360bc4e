"""`recall index`: read everything now, rebuild, forget what vanished."""

from __future__ import annotations

from pathlib import Path

import click

from recall.cli import context


@click.command(name="index")
@click.option("--rebuild", is_flag=True, help="Read everything again, changed or not.")
@click.option(
    "--forget", multiple=True, metavar="NAME", help="Forget a source's vanished memories; may be repeated."
)
@click.option(
    "--deadline",
    type=click.FloatRange(0.1, 86_400),
    default=3600.0,
    metavar="SECONDS",
    help="Be done by then.",
)
@context.provider_option
@context.shared
@context.json_option
def command(
    rebuild: bool,
    forget: tuple[str, ...],
    deadline: float,
    providers: tuple[str, ...],
    project: Path | None,
    all_projects: bool,
    as_json: bool,
) -> int:
    """Read all sources into the index, with a progress bar on a terminal."""
    from recall.api import Deadline
    from recall.cli.progress import progress
    from recall.cli.run import exit_code
    from recall.render import document
    from recall.wording import counted, visible

    output = context.data_stream()
    with context.engine_for(project, all_projects) as engine:
        engine.chosen(forget)
        chosen = engine.chosen(providers)
        if rebuild:
            engine.read_again(chosen)
        forgotten = {name: engine.forget_vanished(name) for name in forget}
        with progress("reading") as watch:
            until = Deadline.after(deadline)
            reading = engine.refresh(chosen, until, deadline, watch=watch, retry=True)
            if left := engine.checks.read_history(until):
                notice = f"the repository's history, which memories are checked against: {left}"
                reading = reading._replace(notices=(*reading.notices, notice))
        if as_json:
            output.write_document(document.indexed(reading, forgotten))
        else:
            for name, count in forgotten.items():
                output.write(f"{name:<12} forgot {counted(count, 'vanished memory', 'vanished memories')}\n")
            for name, outcome in reading.outcomes.items():
                read = reading.progress[name].read
                said = counted(outcome.memories, "memory", "memories")
                said += f", {counted(read, 'entry', 'entries')} read now"
                reason = f" — {visible(outcome.reason)}" if outcome.reason else ""
                output.write(f"{name:<12} {outcome.state.value.upper():<9} {said}{reason}\n")
            for notice in reading.notices:
                output.write(f"Note: {visible(notice)}\n")
        output.flush()
        outcomes = reading.outcomes.values()
        return exit_code(any(one.memories for one in outcomes), any(one.looked for one in outcomes))
