"""From arguments to an exit code: the one place that turns an exception into words."""

from __future__ import annotations

import errno
from collections.abc import Sequence

import click

from recall.cli.context import Process
from recall.cli.group import ReaderGone, recall
from recall.cli.output import note
from recall.errors import NotFound, RecallError, SettingsError, UsageError
from recall.wording import why

FOUND, NOTHING, USAGE, COULD_NOT_LOOK, INTERRUPTED = 0, 1, 2, 3, 130
_BROKEN_PIPE = 141  # as a shell reports a process that SIGPIPE ended


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code; errors are one line on stderr, tracebacks are bugs."""
    process = Process()
    output = process if "--json" in arguments else None
    try:
        code = recall.main(list(arguments), prog_name="recall", standalone_mode=False, obj=process)
    except click.UsageError as error:
        return _say(UsageError(error.format_message(), _help_hint(error.ctx)), output)
    except click.ClickException as error:
        return _say(UsageError(error.format_message()), output)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except ReaderGone:
        process.output.forget()
        return _BROKEN_PIPE
    except RecallError as error:
        return _say(error, output)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EIO, errno.EBADF):
            raise
        note(f"recall: the answer cannot be written: {why(error)}")
        return COULD_NOT_LOOK
    return code if isinstance(code, int) else FOUND


def _say(error: RecallError, process: Process | None) -> int:
    """Say what is wrong on stderr, and as a document on the data stream where one was asked for."""
    from recall import secrets  # a mistake in a setting may quote a token

    if process is not None:
        from recall.render import document

        process.output.write_document(document.error(error))
        process.output.flush()
    for line in error.problems if isinstance(error, SettingsError) else (str(error),):
        note(f"recall: {secrets.mask(line)[0]}")
    if error.next_step:
        note(f"  next: {error.next_step}")
    if isinstance(error, NotFound):
        return NOTHING
    return USAGE if isinstance(error, UsageError | SettingsError) else COULD_NOT_LOOK


def _help_hint(context: click.Context | None) -> str:
    return f"{context.command_path} --help" if context is not None else "recall --help"


def exit_code(found: bool, looked: bool) -> int:
    """The exit code of a look: found, looked and found nothing, could not look."""
    return FOUND if found else NOTHING if looked else COULD_NOT_LOOK
