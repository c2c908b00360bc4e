"""`recall guard`: may a session change something, or has the project moved on since it asked?"""

from __future__ import annotations

from pathlib import Path

import click

from recall.cli import context


@click.command(name="guard")
@click.option("--handle", default="", help="The context handle to check; default: the best of the session's.")
@click.option("--session", default="", help="The client's id of the session; default: any.")
@click.option(
    "--deadline", type=click.FloatRange(0.05, 60), default=2.0, metavar="SECONDS", help="Answer by then."
)
@context.project_option
@context.json_option
def command(handle: str, session: str, deadline: float, project: Path | None, as_json: bool) -> int:
    """Say whether a session may go on changing the project, or must bootstrap again.

    Exit code 1 when it must. It is a check of continuity and no sandbox: nothing is prevented.
    """
    import time

    from recall import project as projects
    from recall import settings
    from recall.api import Deadline
    from recall.cli.run import FOUND, NOTHING
    from recall.context import guard
    from recall.places import Places
    from recall.render import bootstrap as rendered

    output = context.data_stream()
    home, env = context.home(), context.environment()
    places = Places.find(env, home)
    scope = projects.find_scope(project or context.here(), home=home, env=env)
    wanted = settings.load(places=places, root=scope.root, env=env, flags={}, home=home).context
    verdict = guard.judged(
        scope,
        places.state,
        handle=handle,
        session=session,
        now=time.time(),
        idle_seconds=wanted.idle_minutes * 60,
        deadline=Deadline.after(deadline),
    )
    if as_json:
        output.write_document(rendered.verdict_document(verdict))
    else:
        output.write(rendered.verdict(verdict))
    output.flush()
    return FOUND if verdict.allowed else NOTHING
