"""`recall serve`: the same engine for agents, over MCP."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from recall.cli import context

if TYPE_CHECKING:
    from recall.places import Places
    from recall.server.sessions import Sessions
    from recall.settings import ServerSettings


@click.command(name="serve")
@click.option("--http", is_flag=True, help="Serve streamable HTTP instead of stdin and stdout.")
@click.option("--host", metavar="ADDRESS", help="Bind to this address; default: loopback.")
@click.option("--port", type=click.IntRange(0, 65_535), help="Bind to this port; 0: any free one.")
@click.option("--allow-remote", is_flag=True, help="Let --host be an address that other machines reach.")
@click.option("--show-token", is_flag=True, help="Print the token that HTTP clients must send, and end.")
@context.project_option
def command(
    http: bool, host: str | None, port: int | None, allow_remote: bool, show_token: bool, project: Path | None
) -> int:
    """Serve memories to agents over MCP.

    A client starts it and talks to it over stdin and stdout; `recall setup` prints what to tell the client.
    """
    from recall import settings
    from recall.places import Places
    from recall.project import find_scope

    home, env = context.home(), context.environment()
    places = Places.find(env, home)
    if show_token:
        return _show_token(places)
    if not http and (host is not None or port is not None or allow_remote):
        raise click.UsageError("--host, --port and --allow-remote go with --http")
    here = project or context.here()
    flags = {"server": {"host": host, "port": port}}
    folder = context.within(lambda: find_scope(here, home=home, env=env).cwd)
    chosen = context.within(
        lambda: settings.load(places=places, root=None, env=env, flags=flags, home=home).server
    )
    if http:
        return _over_http(_sessions(folder), chosen, places, allow_remote)
    return _over_stdio(folder, chosen)


def _over_stdio(folder: Path, chosen: ServerSettings) -> int:
    import sys

    from recall.cli.output import note
    from recall.server.ending import Ending
    from recall.server.wire import Wire

    if sys.stdin is not None and sys.stdin.isatty():
        note("recall: serving MCP on this terminal; a client should start it. Ctrl-C ends it.")
    ending = Ending()
    wire = Wire(ending)  # before mcp or any plugin is imported
    _log_plainly()

    def serve() -> None:
        from recall.server import app, stdio

        stdio.serve(app.build(_sessions(folder), chosen), wire)

    ending.run(serve)


def _over_http(sessions: Sessions, chosen: ServerSettings, places: Places, allow_remote: bool) -> int:
    context.data_stream()  # nothing is written to it; from now on nobody else writes to stdout either
    _log_plainly()
    from recall.cli.output import note
    from recall.server import app, guard, http
    from recall.server.bearer import token
    from recall.server.ending import Ending

    if not guard.is_loopback(chosen.host) and not allow_remote:
        raise click.UsageError(
            f"{chosen.host} can be reached by other machines: add --allow-remote if they may"
        )
    secret = token(places.make_state())
    listener = http.listen(chosen.host, chosen.port)
    application = http.application(app.build(sessions, chosen), chosen.host, chosen.allowed_hosts)
    guarded = guard.TokenGuard(application, secret)
    note(f"recall: serving MCP at {' and '.join(http.urls(listener))} (token: recall serve --show-token)")
    if not guard.is_loopback(chosen.host):
        note("  under further names and addresses once they are in [server] allowed_hosts")
    Ending().run(lambda: http.serve(guarded, listener))


def _log_plainly() -> None:
    """Before the SDK sets up its own log, whose drawn tracebacks keep the event loop busy for seconds."""
    import logging

    logging.basicConfig(level=logging.WARNING, format="recall: %(name)s: %(message)s")


def _sessions(folder: Path) -> Sessions:
    from recall.engine import Engine
    from recall.server.sessions import Sessions

    home, env = context.home(), context.environment()
    return Sessions(lambda path: Engine.start(path, home=home, env=env), folder, home)


def _show_token(places: Places) -> int:
    from recall.server.bearer import token

    output = context.data_stream()
    output.write(token(places.make_state()) + "\n")
    output.flush()
    return 0
