"""The command line that starts this recall's server from any folder."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from recall.errors import UsageError

SUBCOMMAND = "serve"
_NAMES = ("recall", "recall.exe")


def in_use(started_as: str, python: str) -> list[str]:
    """The command line for the installation that runs now.

    started_as: `sys.argv[0]`; python: `sys.executable`. The script's own path is kept as it is, links too: what
    a tool installer puts on PATH stays when the environment behind it is made anew.
    """
    beside = (Path(python).with_name(name) for name in _NAMES)
    for script in (Path(started_as).absolute(), *beside):
        if script.name in _NAMES and script.is_file() and os.access(script, os.X_OK):
            return [os.fspath(script), SUBCOMMAND]
    return [python, "-m", "recall", SUBCOMMAND]


def chosen(text: str) -> list[str]:
    """The command line for a program that the user names, with arguments of its own or not."""
    try:
        words: Sequence[str] = shlex.split(text, posix=os.name == "posix")
    except ValueError as error:
        raise UsageError(f"--command: {str(error).lower()}: {text}") from None
    if not words or not words[0]:
        raise UsageError("--command: no program is named")
    if words[0].startswith("-"):
        raise UsageError(
            f"--command: {words[0]} is an option, no program", "name the program that starts recall"
        )
    if not text.isprintable():
        raise UsageError("--command: there is a character in it that cannot be printed")
    if os.path.dirname(words[0]) and not os.path.isabs(words[0]):
        raise UsageError(
            f"--command: {words[0]} depends on the folder a client starts in",
            f"--command {shlex.quote(os.path.abspath(words[0]))}",
        )
    if words[-1] == SUBCOMMAND:
        words = words[:-1]
    return [*words, SUBCOMMAND]
