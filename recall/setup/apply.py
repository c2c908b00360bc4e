"""A client set up, or no longer: its file read, edited, backed up and replaced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from recall.errors import UsageError
from recall.setup import merge, write
from recall.setup.clients import Client
from recall.setup.errors import ReachedOverHttp, Unreadable
from recall.wording import why

_SHARED = 0o644  # a project's file is read by whoever has the project


@dataclass(frozen=True, slots=True)
class Done:
    """What was done: with nothing to change, nothing was."""

    path: Path  # the real file
    changed: bool
    backup: Path | None = None
    made_folder: Path | None = None


def set_up(
    client: Client, file: Path, command: Sequence[str], now: float, *, shared: bool = False, again: str = ""
) -> Done:
    """Put the entry into a file, which need not exist.

    shared: it is a project's file, not the user's own. now: epoch seconds, for the backup's name.
    again: the command that prints the entry, if it is more than `recall setup CLIENT`.
    Raises UsageError, with nothing changed, if the file cannot be understood, changed safely or written.
    """
    settings = write.read(file, _SHARED) if shared else write.read(file)
    hint = f"{again or f'recall setup {client.name}'} prints what to add by hand"
    text = _edited(file, hint, lambda: merge.merged(settings.text, client, command))
    if text == settings.text:
        return Done(settings.path, changed=False)
    folder = _made(settings.path.parent, shared)
    return Done(settings.path, True, write.replace(settings, text, now), folder)


def take_out(client: Client, file: Path, now: float, *, again: str = "") -> Done:
    """Take the entry out of a file, which need not exist; the rest is as for `set_up`."""
    settings = write.read(file)
    hint = f"{again or f'recall setup {client.name}'} prints what to take out by hand"
    text = _edited(file, hint, lambda: merge.removed(settings.text, client))
    if text == settings.text:
        return Done(settings.path, changed=False)
    return Done(settings.path, True, write.replace(settings, text, now))


def for_single_folders(client: Client, file: Path) -> list[str]:
    """The folders for which alone a file sets it up. Raises UsageError if it cannot be read."""
    return merge.folders(write.read(file).text, client)


def _edited(file: Path, hint: str, edit: Callable[[], str]) -> str:
    try:
        return edit()
    except ReachedOverHttp as error:
        hint = "keep it, or take that entry out by hand, and then run this again"
        raise UsageError(f"{file}: {error}; nothing was changed", hint) from None
    except Unreadable as error:
        raise UsageError(f"{file}: {error}; nothing was changed", hint) from None


def _made(folder: Path, shared: bool) -> Path | None:
    if folder.is_dir():
        return None
    try:
        folder.mkdir(mode=0o777 if shared else 0o700, parents=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {why(error)}") from None
    return folder
