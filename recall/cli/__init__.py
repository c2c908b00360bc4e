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
    from recall.cli.run import run

    code = run(list(sys.argv[1:] if arguments is None else arguments))
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass
    if _other_threads():
        # A provider that hangs must not hold the process: interpreter shutdown would wait for its locks.
        os._exit(code)
    sys.exit(code)


def _other_threads() -> bool:
    threading = sys.modules.get("threading")
    return threading is not None and threading.active_count() > 1
