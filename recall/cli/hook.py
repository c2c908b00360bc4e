"""`recall hook`: what a coding agent calls at fixed moments of a session."""

from __future__ import annotations

import click

from recall.cli import context

_EVENTS = ("session-start", "prompt", "pre-tool", "stop", "pre-compact")
_CLIENTS = ("claude-code", "codex", "gemini")


@click.command(name="hook")
@click.argument("event", type=click.Choice(_EVENTS))
@click.option(
    "--client", type=click.Choice(_CLIENTS), help="Whose hook it is; default: told by what it says."
)
def command(event: str, client: str | None) -> int:
    """Answer a coding agent's hook: the event's JSON on standard input, one JSON document on standard output.

    A session must always open: whatever goes wrong is one line on stderr, and the exit code is 0.
    """
    import time

    from recall.cli.output import note
    from recall.cli.run import FOUND
    from recall.hooks import run
    from recall.hooks.moments import Surroundings

    output = context.data_stream()
    around = Surroundings(context.home(), context.environment(), context.here, time.time)
    answered = run.answered(event, client, around)
    for line in answered.troubles:
        note(f"recall: {line}")
    output.write_message(answered.document)
    output.flush()
    return FOUND
