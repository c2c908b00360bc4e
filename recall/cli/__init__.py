"""The `recall` command: one file a sub-command, each imported when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and end the process with its exit code.

    0 found or healthy; 1 looked and found nothing, or something needs attention; 2 usage or settings;
    3 could not look anywhere; 130 interrupted.
    """
    _require_streams()
    if arguments is None:
        _require_utf8_names()
    code = _run(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass
    # Neither a provider that hangs nor what a plugin left for the exit may hold the process.
    os._exit(code)


def _run(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["hook"]:
        from recall.cli import hooked

        if asked := hooked.asked(arguments):
            return hooked.answer(*asked)
    from recall.cli.run import run

    code = run(list(arguments))
    # Clients take 2 as a refusal: hooks that a newer recall wrote, or a typing error, must not block a session.
    return 0 if arguments[:1] == ["hook"] else code


def _require_streams() -> None:
    """Give the process the standard streams that its caller closed: the next file opened would take their place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
        if getattr(sys, name) is None:
            mode = "r" if number == 0 else "w"
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _require_utf8_names() -> None:
    """Start again in UTF-8 mode where the locale would make Korean file names and questions unreadable.

    A C locale leaves Python with ASCII for names; the output's own encoding (PYTHONIOENCODING) stays as it is.
    """
    if sys.getfilesystemencoding().lower() != "utf-8" and os.name == "posix":
        arguments = [sys.executable, "-X", "utf8", "-m", "recall", *sys.argv[1:]]
        os.execv(sys.executable, arguments)
