"""The entry added to a client's settings, or taken out: a text in, a text out, and proof that nothing else changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from recall.errors import ReachedOverHttp, Unreadable
from recall.setup.clients import ADDRESSES, SERVER, Client, Format
from recall.setup.command import SUBCOMMAND
from recall.setup.jsonc import Dialect
from recall.setup.tomlfile import Toml


class Language(Protocol):
    """What there is to know about a way to write settings."""

    @property
    def limit(self) -> int:
        """The largest file that is changed, in bytes."""

    def parse(self, text: str) -> Any:
        """The value of a text. Raises Unreadable."""

    def put(self, text: str, path: Sequence[str], value: Any) -> Iterator[str]:
        """Texts that may be the text with a value set. Raises Unreadable."""

    def without(self, text: str, path: Sequence[str]) -> Iterator[str]:
        """Texts that may be the text without what is at a path. Raises Unreadable."""


def language(format: Format) -> Language:
    """How a format is read and written."""
    if format is Format.TOML:
        return Toml()
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
            value = with_value(value, path, wanted)
            text = first(spoken, spoken.put(text, path, wanted), path, [value])
    except RecursionError:  # what can just be parsed cannot always be copied and compared
        raise Unreadable("nested too deeply") from None
    return text


def removed(text: str, client: Client) -> str:
    """The settings without the entry; the same text if it is not there. Raises Unreadable."""
    spoken = language(client.format)
    value = spoken.parse(text)
    path = (*client.table, SERVER)
    try:
        entry = _at(value, path)
        if entry is None:
            return text
        _refuse_http(entry, path)
        return first(spoken, spoken.without(text, path), path, without_value(value, path))
    except RecursionError:
        raise Unreadable("nested too deeply") from None


def folders(text: str, client: Client) -> list[str]:
    """The folders for which alone the settings have an entry. Raises Unreadable."""
    value = language(client.format).parse(text)
    if client.local is None or not isinstance(value, dict):
        return []
    tables = value.get(client.local.table)
    return (
        [folder for folder, table in tables.items() if _has_entry(table, client)]
        if isinstance(tables, dict)
        else []
    )


def _has_entry(settings: Any, client: Client) -> bool:
    try:
        return _at(settings, (*client.table, SERVER)) is not None
    except Unreadable:
        return False


def _changes(settings: Any, client: Client, command: Sequence[str]) -> list[tuple[tuple[str, ...], Any]]:
    path = (*client.table, SERVER)
    entry = _at(settings, path)
    if entry is None:
        return [(path, client.entry(command))]
    _refuse_http(entry, path)
    needed = {key: _kept(wanted, entry.get(key)) for key, wanted in client.needs(command).items()}
    return [((*path, key), wanted) for key, wanted in needed.items() if entry.get(key) != wanted]


def _refuse_http(entry: Mapping[str, Any], path: Sequence[str]) -> None:
    for address in ADDRESSES:
        if address in entry:
            raise ReachedOverHttp(
                f"{'.'.join(path)} has a {address}: it is reached over HTTP, and not set up by this"
            )


def _kept(wanted: Any, found: Any) -> Any:
    """A command line or its arguments, with what the user put behind the subcommand."""
    if not isinstance(wanted, list) or not isinstance(found, list) or SUBCOMMAND not in found:
        return wanted
    return [*wanted, *found[found.index(SUBCOMMAND) + 1 :]]


def _at(settings: Any, path: Sequence[str]) -> Mapping[str, Any] | None:
    """The table at a path, None if there is none."""
    table = table_of(settings, ())
    for depth, key in enumerate(path, 1):
        if key not in table:
            return None
        table = table_of(table[key], path[:depth])
    return table


def table_of(value: Any, path: Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Unreadable(f"{'.'.join(path) or 'the whole'} is not a table of settings")
    return value


def with_value(settings: Mapping[str, Any], path: Sequence[str], wanted: Any) -> dict[str, Any]:
    """The settings with a value at a path; what is beside the path is shared with the old ones."""
    key, *rest = path
    return {**settings, key: with_value(settings.get(key, {}), rest, wanted) if rest else wanted}


def without_value(settings: Mapping[str, Any], path: Sequence[str]) -> list[dict[str, Any]]:
    """The settings without what is at a path; then without the tables that are left empty, which TOML may not name."""
    key, *rest = path
    others = {name: value for name, value in settings.items() if name != key}
    if not rest:
        return [others]
    below = without_value(settings[key], rest)
    return [{**settings, key: inner} for inner in below] + ([] if below[-1] else [others])


def first(spoken: Language, texts: Iterator[str], path: Sequence[str], meant: Sequence[Any]) -> str:
    """The first of some texts that says what is meant."""
    for text in texts:
        try:
            if spoken.parse(text) in meant:
                return text
        except Unreadable:
            continue
    raise Unreadable(f"{'.'.join(path)} is written in a way that cannot be changed safely")
