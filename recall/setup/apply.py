"""A client set up, or no longer: its file read, edited, backed up and replaced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

from recall.errors import Overtaken, ReachedOverHttp, Unreadable, UsageError
from recall.setup import hooks, merge, write
from recall.setup.clients import Client, Format
from recall.setup.hooks import HookFile
from recall.wording import why

_SHARED = 0o644  # a project's file is read by whoever has the project
_ATTEMPTS = 8  # a client that writes its file as often within the same seconds is left alone


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
    hint = f"{again or f'recall setup {client.name}'} prints what to add by hand"
    return _change(
        client.format, file, hint, lambda text: merge.merged(text, client, command), now, shared=shared
    )


def take_out(client: Client, file: Path, now: float, *, again: str = "") -> Done:
    """Take the entry out of a file, which need not exist; the rest is as for `set_up`."""
    hint = f"{again or f'recall setup {client.name}'} prints what to take out by hand"
    return _change(client.format, file, hint, lambda text: merge.removed(text, client), now)


def hook_up(file: HookFile, path: Path, program: Sequence[str], now: float, *, shared: bool = False) -> Done:
    """Put the hooks into a client's file; the rest is as for `set_up`."""
    hint = f"recall setup {file.client} --hooks prints what to add by hand"
    edit = partial(hooks.merged, file=file, program=program)
    return _change(file.format, path, hint, edit, now, shared=shared)


def unhook(file: HookFile, path: Path, now: float) -> Done:
    """Take the hooks out of a client's file; the rest is as for `set_up`."""
    hint = f"recall setup {file.client} --hooks prints what to take out by hand"
    done = _change(file.format, path, hint, partial(hooks.removed, file=file), now)
    if done.changed:
        _remove_if_empty(done.path)
    return done


def _remove_if_empty(path: Path) -> None:
    """A file that nothing but hooks was in is no longer there; its backup is."""
    try:
        if not path.read_bytes().translate(None, b"{} \t\r\n"):
            path.unlink()
    except OSError:
        pass  # it says nothing, and stays


def for_single_folders(client: Client, file: Path) -> list[str]:
    """The folders for which alone a file sets it up. Raises UsageError if it cannot be read."""
    return merge.folders(write.read(file, merge.language(client.format).limit).text, client)


def _change(
    format: Format, file: Path, hint: str, edit: Callable[[str], str], now: float, *, shared: bool = False
) -> Done:
    """Read, edit and replace a file; from the start again if somebody else was quicker."""
    limit = merge.language(format).limit
    made = None
    for attempt in count(1):
        settings = write.read(file, limit, _SHARED) if shared else write.read(file, limit)
        text = _edited(file, hint, settings, edit)
        if text == settings.text:
            break
        made = made or _made(settings.path.parent, shared)
        try:
            return Done(settings.path, True, write.replace(settings, text, now), made)
        except Overtaken:
            if attempt == _ATTEMPTS:
                raise
    return Done(settings.path, changed=False)


def _edited(file: Path, hint: str, settings: write.Settings, edit: Callable[[str], str]) -> str:
    try:
        text = edit(settings.text)
        if text != settings.text:
            write.require_replaceable(settings)
    except ReachedOverHttp as error:
        hint = "keep it, or take that entry out by hand, and then run this again"
        raise UsageError(f"{file}: {error}; nothing was changed", hint) from None
    except Unreadable as error:
        raise UsageError(f"{file}: {error}; nothing was changed", hint) from None
    return text


def _made(folder: Path, shared: bool) -> Path | None:
    if folder.is_dir():
        return None
    try:
        folder.mkdir(mode=0o777 if shared else 0o700, parents=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {why(error)}") from None
    return folder
