"""`recall config`: the settings, where each comes from, and whether a project's are trusted."""

from __future__ import annotations

from pathlib import Path

import click

from recall.cli import context
from recall.wording import visible


@click.group(name="config")
def command() -> None:
    """Show the settings and where each comes from; trust a project's."""


@command.command(name="show")
@click.option("--origin", is_flag=True, help="Where each value comes from.")
@context.shared
@context.json_option
def show(origin: bool, project: Path | None, all_projects: bool, as_json: bool) -> int:
    """Every setting with its value, defaults too."""
    from recall.render import document
    from recall.settings.describe import describe

    output = context.data_stream()
    with context.engine_for(project, all_projects) as engine:
        rows = describe(engine.settings, engine.options)
        if as_json:
            output.write_document(document.configured(rows, engine.notices()))
        else:
            for key, value, source in rows:
                comment = f"    # {source}" if origin else ""
                output.write(visible(f"{key} = {value}{comment}") + "\n")
            for notice in engine.notices():
                output.write(f"# {visible(notice)}\n")
        output.flush()
    return 0


@command.command(name="path")
@context.shared
def path(project: Path | None, all_projects: bool) -> int:
    """The settings files and recall's own folders."""
    from recall import settings

    output = context.data_stream()
    with context.engine_for(project, all_projects) as engine:
        named = context.environment().get("RECALL_CONFIG", "")
        for what, path in (
            ("user settings", named or engine.places.config / "config.toml"),
            ("project settings", engine.scope.root / settings.PROJECT_FILE),
            ("cache", engine.places.cache),
            ("state", engine.places.state),
        ):
            output.write(f"{what:<16}  {visible(str(path))}\n")
        output.flush()
    return 0


@command.command(name="example")
def example() -> int:
    """A settings file with every option, commented."""
    from recall.cli.example import rendered

    output = context.data_stream()
    output.write(rendered())
    output.flush()
    return 0


@command.command(name="trust")
@context.project_option
def trust(project: Path | None) -> int:
    """Let this project's .recall.toml set everything, until it changes."""
    return _change_trust(project, trusted=True)


@command.command(name="untrust")
@context.project_option
def untrust(project: Path | None) -> int:
    """Take that back."""
    return _change_trust(project, trusted=False)


def _change_trust(project: Path | None, *, trusted: bool) -> int:
    from recall import files, settings
    from recall.errors import StoreBroken, UsageError
    from recall.places import Places
    from recall.project import find_scope
    from recall.settings import trust as book

    output = context.data_stream()
    home, env = context.home(), context.environment()
    root = find_scope(project or Path.cwd(), home=home, env=env).root
    file, state = root / settings.PROJECT_FILE, Places.find(env, home).state
    if trusted:
        try:
            content = files.read_bytes(file)
        except StoreBroken as error:
            raise UsageError(f"{file}: {error}", "there is nothing to trust in this project") from None
        book.trust(file, content, state)
        output.write(f"trusted until it changes: {visible(str(file))}\n")
    else:
        book.untrust(file, state)
        output.write(f"not trusted: {visible(str(file))}\n")
    output.flush()
    return 0
