"""`recall hook`: what a coding agent calls at fixed moments of a session."""

from __future__ import annotations

import click

from recall.clienthooks import Client, Event


@click.command(name="hook")
@click.argument("event", type=click.Choice(tuple(map(str, Event))))
@click.option(
    "--client",
    type=click.Choice(tuple(map(str, Client))),
    help="Whose hook it is; default: told by what it says.",
)
def command(event: str, client: str | None) -> int:
    """Answer a coding agent's hook: the event's JSON on standard input, one JSON document on standard output.

    A session must always open: whatever goes wrong is one line on stderr, and the exit code is 0.
    """
    from recall.cli import hooked

    return hooked.answer(event, client)
