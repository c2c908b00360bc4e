"""`recall new-provider`: the project of a new source, which passes its tests as it is."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from recall.cli import context
from recall.wording import visible


@click.command(name="new-provider")
@click.argument("name")
@click.option("--search", is_flag=True, help="For a store that can only be asked, not read.")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Where its folder is made; default: here.",
)
def command(name: str, search: bool, into: Path | None) -> int:
    """Write the project of a new source called NAME into a new folder recall-NAME.

    It has one module of at most 40 lines, and a test that says what is still wrong with it.
    """
    from recall import plugins, scaffold
    from recall.version import DISTRIBUTION

    own = [offer.name for offer in plugins.discover() if offer.distribution == DISTRIBUTION]
    scaffold.check_name(name, own)
    folder, *files = scaffold.write(into or context.here(), name, "search" if search else "corpus")
    output = context.data_stream()
    output.write(f"{visible(str(folder))}\n")
    for path in files:
        output.write(f"  {visible(str(path.relative_to(folder)))}\n")
    output.write(f"next: cd {visible(shlex.quote(str(folder)))} && pip install -e '.[test]' && pytest -q\n")
    output.flush()
    return 0
