"""A hook's process, as clients start it: without the library that the other commands parse their options with.

Clients start one before every prompt and every tool, and that library is a tenth of its cost.
"""

from __future__ import annotations

import gc
import os
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from recall.cli.output import Output, note
from recall.clienthooks import Client, Event
from recall.hooks import run
from recall.hooks.contract import Surroundings
from recall.wording import why


def asked(arguments: Sequence[str]) -> tuple[str, str | None] | None:
    """The event and the client of a hook's command line; None for any other, or one with a mistake in it."""
    if len(arguments) not in (2, 4) or arguments[0] != "hook" or arguments[1] not in set(Event):
        return None
    if len(arguments) == 2:
        return arguments[1], None
    known = arguments[2] == "--client" and arguments[3] in set(Client)
    return (arguments[1], arguments[3]) if known else None


def answer(event: str, client: str | None) -> int:
    """Answer a hook on standard output. A session must always open: the exit code is 0, whatever goes wrong."""
    gc.disable()  # the process lives for a moment, and nearly all it makes is needed to its end
    try:
        output = Output()
        around = Surroundings(Path.home(), os.environ, Path.cwd, time.time, _program(sys.argv[0]))
        answered = run.answered(event, client, around)
        for line in answered.troubles:
            note(f"recall: {line}")
        output.write_message(answered.document)
        output.flush()
    except (OSError, RuntimeError) as error:  # nobody reads any more; a user without a home
        note(f"recall: hook {event}: {why(error) if isinstance(error, OSError) else error}")
    return 0


def _program(started_as: str) -> str:
    """The path of the script that a client's hook named; "" for `python -m recall`, and for what a shell must quote."""
    path = Path(started_as)
    plain = path.is_absolute() and path.name == "recall" and not re.search(r"[^\w./~+@-]", started_as)
    return started_as if plain else ""
