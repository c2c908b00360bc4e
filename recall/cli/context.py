"""What every command needs: the data stream, the shared options, an engine for where the user stands."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from recall.cli.output import Output
from recall.errors import DeadlineExceeded
from recall.piece import Piece

if TYPE_CHECKING:
    from recall.engine import Engine

START_LIMIT = (
    10.0  # seconds until an engine has started; a plugin that hangs while it is imported costs two of them
)

T = TypeVar("T")
Command = TypeVar("Command", bound=Callable[..., Any])


class Process:
    """What one run of the command owns. The data stream is made once it is needed: --help needs none."""

    def __init__(self) -> None:
        self._output: Output | None = None

    @property
    def output(self) -> Output:
        """The data stream; from the first use on, nothing else reaches stdout."""
        if self._output is None:
            self._output = Output()
        return self._output


def data_stream() -> Output:
    """The data stream of the command that runs."""
    process: Process = click.get_current_context().find_root().obj
    return process.output


@contextmanager
def engine_for(project: Path | None, all_projects: bool = False) -> Iterator[Engine]:
    """An engine for the project the user stands in or names."""
    from recall.engine import Engine

    data_stream()  # before any plugin is imported
    folder = project or here()
    engine = within(lambda: Engine.start(folder, home=home(), env=environment(), all_projects=all_projects))
    try:
        yield engine
    finally:
        engine.close()


def within(work: Callable[[], T], seconds: float = START_LIMIT) -> T:
    """What some work returns or raises, unless it takes too long; then DeadlineExceeded.

    It has a thread of its own: the project's folder, the settings or a plugin may lie where nothing answers.
    """
    piece = Piece(work, "start")
    if not piece.wait(seconds):
        raise _does_not_answer(piece.thread, seconds)
    if piece.error is not None:
        raise piece.error
    return piece.found[0]


def _does_not_answer(thread: threading.Thread, seconds: float) -> DeadlineExceeded:
    from recall.files import display_path
    from recall.files.apart import where

    place = where(thread.ident)
    at = f", it hangs at {display_path(place)}" if place else ""
    return DeadlineExceeded(
        f"the project, the settings or a plugin did not answer within {seconds:g} s{at}",
        "see whether that folder answers, or name another project with --project",
    )


def environment() -> Mapping[str, str]:
    """The process's environment; below this line everything gets it passed in."""
    return os.environ


def home() -> Path:
    """The user's home folder."""
    return Path.home()


def here() -> Path:
    """The folder the user stands in."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise click.UsageError("the current folder does not exist any more") from None


def project_option(command: Command) -> Command:
    """`--project`."""
    help = "The project to ask for; default: here."
    return click.option("--project", type=click.Path(path_type=Path), metavar="FOLDER", help=help)(command)


def shared(command: Command) -> Command:
    """`--project` and `--all-projects`."""
    help = "Memories of every project, not only of this one."
    return click.option("--all-projects", is_flag=True, help=help)(project_option(command))


def provider_option(command: Command) -> Command:
    """`--provider`, which may be given several times."""
    return click.option(
        "--provider",
        "-p",
        "providers",
        multiple=True,
        metavar="NAME",
        help="Only this source; may be repeated.",
    )(command)


def json_option(command: Command) -> Command:
    """`--json`."""
    return click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")(command)


def is_terminal() -> bool:
    """Whether a person watches stderr: only then is there progress or colour."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
