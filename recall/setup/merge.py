"""The entry added to a client's settings: a text in, a text out, and proof that nothing else changed."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from recall.setup import tomlfile
from recall.setup.clients import SERVER, Client, Format
from recall.setup.command import SUBCOMMAND
from recall.setup.errors import Unreadable
from recall.setup.jsonc import Dialect

_ADDRESSES = ("url", "httpUrl", "serverUrl")  # an entry with one of these is reached over HTTP


class Language(Protocol):
    """What there is to know about a way to write settings."""

    def parse(self, text: str) -> Any:
        """The value of a text. Raises Unreadable."""

    def put(self, text: str, path: Sequence[str], value: Any) -> Iterator[str]:
        """Texts that may be the text with a value set. Raises Unreadable."""


def language(format: Format) -> Language:
    """How a format is read and written."""
    if format is Format.TOML:
        return tomlfile
    return Dialect(comments=format is not Format.JSON, commas=format is Format.JSONC)


def snippet(client: Client, command: Sequence[str]) -> str:
    """What the client's settings must contain."""
    return merged("", client, command)


def merged(text: str, client: Client, command: Sequence[str]) -> str:
    """The settings with the entry in them; the same text if it is there already.

    Of an entry that exists, only what starts the server is changed. Raises Unreadable.
    """
    spoken = language(client.format)
    value = spoken.parse(text)
    try:
        for path, wanted in _changes(value, client, command):
            value = _with(value, path, wanted)
            text = _edited(spoken, text, path, wanted, value)
    except RecursionError:  # what can just be parsed cannot always be copied and compared
        raise Unreadable("nested too deeply") from None
    return text


def _changes(settings: Any, client: Client, command: Sequence[str]) -> list[tuple[tuple[str, ...], Any]]:
    path = (*client.table, SERVER)
    entry = _at(settings, path)
    if entry is None:
        return [(path, client.entry(command))]
    for address in _ADDRESSES:
        if address in entry:
            raise Unreadable(
                f"{'.'.join(path)} is there already and has a {address}: it is reached over HTTP"
            )
    needed = {key: _kept(wanted, entry.get(key)) for key, wanted in client.needs(command).items()}
    return [((*path, key), wanted) for key, wanted in needed.items() if entry.get(key) != wanted]


def _kept(wanted: Any, found: Any) -> Any:
    """A command line or its arguments, with what the user put behind the subcommand."""
    if not isinstance(wanted, list) or not isinstance(found, list) or SUBCOMMAND not in found:
        return wanted
    return [*wanted, *found[found.index(SUBCOMMAND) + 1 :]]


def _at(settings: Any, path: Sequence[str]) -> Mapping[str, Any] | None:
    """The table at a path, None if there is none."""
    for depth in range(len(path) + 1):
        if not isinstance(settings, dict):
            raise Unreadable(f"{'.'.join(path[:depth]) or 'the whole'} is not a table of settings")
        if depth == len(path):
            return settings
        if path[depth] not in settings:
            return None
        settings = settings[path[depth]]
    return None


def _with(settings: Any, path: Sequence[str], wanted: Any) -> Any:
    changed = copy.deepcopy(settings)
    table = changed
    for key in path[:-1]:
        table = table.setdefault(key, {})
    table[path[-1]] = wanted
    return changed


def _edited(spoken: Language, text: str, path: Sequence[str], wanted: Any, meant: Any) -> str:
    for edited in spoken.put(text, path, wanted):
        try:
            if spoken.parse(edited) == meant:
                return edited
        except Unreadable:
            continue
    raise Unreadable(f"{'.'.join(path)} is written in a way that cannot be changed safely")
