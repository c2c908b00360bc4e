"""`recall setup`: an agent's configuration, printed, written or taken out again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from recall.cli import context
from recall.cli.output import note
from recall.wording import json_visible, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recall.setup.clients import Client


def _known(asked: click.Context, _parameter: click.Parameter, name: str | None) -> str:
    from recall.setup.clients import CLIENTS
    from recall.wording import nearest

    if name is None:
        taken = str(asked.params.get("project"))  # `--project codex`: the option took the name as its folder
        if taken in CLIENTS:
            raise click.UsageError(f"put the client first: recall setup {taken} --project", asked)
        raise click.UsageError(f"name a client: {', '.join(CLIENTS)}", asked)
    if name not in CLIENTS:
        meant = nearest(name, CLIENTS)
        hint = f"did you mean {meant}?" if meant else f"known are {', '.join(CLIENTS)}"
        raise click.UsageError(f"no client is called {name!r}, {hint}", asked)
    return name


@click.command(name="setup")
@click.argument("client", metavar="CLIENT", required=False, callback=_known)
@click.option("--write", "wanted", is_flag=True, help="Write it into the client's file, with a backup.")
@click.option("--remove", is_flag=True, help="Take recall's entry out of the client's file, with a backup.")
@click.option("--hooks", is_flag=True, help="The hooks of a session instead: claude-code, codex or gemini.")
@click.option(
    "--project",
    is_flag=False,
    flag_value=".",
    type=click.Path(path_type=Path),
    metavar="[FOLDER]",
    help="The project's file instead of yours; default: the project here.",
)
@click.option(
    "--command", "program", metavar="PROGRAM", help="What starts recall; default: this installation."
)
def command(
    client: str, wanted: bool, remove: bool, hooks: bool, project: Path | None, program: str | None
) -> int:
    """Connect an agent: print, write or remove its configuration.

    CLIENT is claude-code, codex, gemini, antigravity, cursor, vscode or opencode. Nothing is written without
    --write or --remove; what else is in the file stays as it is.
    """
    from recall.setup.clients import CLIENTS, Machine
    from recall.setup.command import chosen, in_use

    if remove and (wanted or program is not None):
        raise click.UsageError("--remove goes with neither --write nor --command")
    data_stream = context.data_stream()
    if hooks:
        from recall.cli.setup_hooks import hook_lines

        for line in hook_lines(client, _root(project), program, write=wanted, remove=remove):
            data_stream.write(line)
            data_stream.flush()
        return 0
    agent, root = CLIENTS[client], _root(project)
    machine = Machine(context.home(), context.environment(), sys.platform)
    again = _again(client, project)
    if remove:
        for line in _removed(agent, agent.files(machine, root), again):
            data_stream.write(line)
            data_stream.flush()
        return 0
    file = agent.file(machine, root)
    starts = in_use(sys.argv[0], sys.executable) if program is None else chosen(program)
    if wanted:
        data_stream.write(_written(agent, file, starts, again, shared=root is not None))
    else:
        data_stream.write(_printed(agent, file, starts))
    if root is not None and program is None:
        note("the path in it is this machine's; to share the file: --command recall")
    data_stream.flush()
    return 0


def _again(client: str, project: Path | None) -> str:
    """The command that prints the same entry."""
    import shlex

    folder = "" if project is None or str(project) == "." else f" {shlex.quote(str(project))}"
    return f"recall setup {client}" + ("" if project is None else f" --project{folder}")


def _root(project: Path | None) -> Path | None:
    if project is None:
        return None
    from recall.project import find_scope

    return find_scope(project, home=context.home(), env=context.environment()).root


def _printed(client: Client, file: Path, line: Sequence[str]) -> str:
    from recall.setup.merge import snippet

    note(f"{client.title} reads this from {file} (add --write to put it there):")
    return json_visible(snippet(client, line))  # TOML's strings have the same escapes


def _written(client: Client, file: Path, line: Sequence[str], again: str, *, shared: bool) -> str:
    import time

    from recall.setup.apply import set_up

    done = set_up(client, file, line, time.time(), shared=shared, again=again)
    if not done.changed:
        return f"already set up: {_shown(done.path)}\n"
    if done.made_folder is not None:
        doubt = "" if shared else f": is {client.title} installed?"
        note(f"{done.made_folder} was not there and was made{doubt}")
    note(f"start {client.title} anew; to see that it works: {client.check}")
    backup = f"backup: {_shown(done.backup)}\n" if done.backup is not None else ""
    return f"set up: {_shown(done.path)}\n{backup}"


def _removed(client: Client, files: Sequence[Path], again: str) -> Iterator[str]:
    """Takes the entry out of each file that has it, and says so."""
    import time

    from recall.setup.apply import for_single_folders, take_out

    found = False
    for file in files:
        done = take_out(client, file, time.time(), again=again)
        if done.changed:
            found = True
            yield f"removed: {_shown(done.path)}\nbackup: {_shown(done.backup)}\n"
    single = for_single_folders(client, files[0])
    if found:
        note(f"start {client.title} anew")
    else:
        yield f"{'set up for single folders only' if single else 'not set up'}: {_shown(files[0])}\n"
    if single and client.local is not None:
        note(f"it stays set up for {', '.join(single)}; there, take it out with: {client.local.undo}")


def _shown(path: Path | None) -> str:
    return visible(str(path))
