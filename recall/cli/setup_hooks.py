"""`recall setup CLIENT --hooks`: a client's hooks, printed, written or taken out again."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click

from recall.cli import context
from recall.cli.output import note
from recall.setup.apply import hook_up, unhook
from recall.setup.clients import Machine
from recall.setup.command import chosen, in_use
from recall.setup.hooks import HOOK_FILES, snippet
from recall.wording import json_visible, visible


def hook_lines(
    client: str, root: Path | None, program: str | None, *, write: bool, remove: bool
) -> Iterator[str]:
    """What was done, or what would be; root: a project's folder, None for the user's own file."""
    file = HOOK_FILES.get(client)
    if file is None:
        raise click.UsageError(f"{client} has no hooks that recall knows; {', '.join(HOOK_FILES)} have")
    machine = Machine(context.home(), context.environment(), sys.platform)
    path = file.user(machine) if root is None else root / file.project
    if remove:
        done = unhook(file, path, time.time())
        yield (
            f"removed: {_shown(done.path)}\n"
            if done.changed
            else f"no hooks of recall's: {_shown(done.path)}\n"
        )
    else:
        line = in_use(sys.argv[0], sys.executable) if program is None else chosen(program)
        starts = line[:-1]  # without the subcommand that serves
        if not write:
            note(f"{file.title} reads this from {path} (add --write to put it there):")
            yield json_visible(snippet(file, starts))
            return
        done = hook_up(file, path, starts, time.time(), shared=root is not None)
        yield (
            f"hooked up: {_shown(done.path)}\n"
            if done.changed
            else f"already hooked up: {_shown(done.path)}\n"
        )
        note(file.after)
    if done.backup is not None:
        yield f"backup: {_shown(done.backup)}\n"


def _shown(path: Path) -> str:
    return visible(str(path))
