"""A store that the tests of the contract fill: what its author has to say about it."""

from __future__ import annotations

import copy
import os
import unicodedata
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from recall.api import Scope
from recall.plugins import Candidate, hooked_class, provider_class

NOW = 1_780_000_000.0  # epoch seconds, 2026-05-28: the moment that tests take for now
_START = NOW - 86_400  # of the first file; each later one is a minute younger

# What tools put into a new file for its owner to fill in.
TEMPLATE = """\
# [Title]

<!-- What should be remembered, in one or two sentences? -->

## Context

- [Describe the context]

## Decision

TBD
"""


class Corpus:
    """One store, one scope, and how the store is filled. Subclass it with `make`, `write` and `remove`.

    What a method cannot do for this kind of store it says with `self.cannot(why)`: the test is then skipped with the
    reason.
    """

    def __init__(
        self,
        folder: Path,
        plugin: ModuleType | str,
        options: Any = None,
        *,
        limits: Mapping[str, Any] | None = None,
    ) -> None:
        """A home and a project below `folder`; the store itself is not there yet.

        plugin: the module with the hook, or what the entry point names ("package", "package:attribute").
        options: the provider's options; default: its defaults.
        limits: option values under which a text of 20,000 characters is too long, as {"max_file_bytes": 1024}.
        """
        self.limits = dict(limits or {})
        self.folder = folder
        self.plugin = plugin
        self.provider_class = _provider_class(plugin)
        self.options = self.provider_class.Options() if options is None else options
        self.scope = _scope(folder)

    def provider(self, **changes: Any) -> Any:
        """A provider as an engine constructs it; override it to pass a clock. `changes`: other option values."""
        return self.provider_class(replace(self.options, **changes) if changes else self.options)

    def make(self) -> None:
        """Make the store, without a memory in it."""
        raise NotImplementedError(
            f"{type(self).__name__} has no make(): it makes the store, with no memory in it"
        )

    def write(self, name: str, text: str) -> None:
        """Add a memory with this text, or change the one that was written under this name.

        name: a few words, possibly Korean, in either Unicode form. The text is found again when it is asked for;
        what the store needs around it (front matter, columns) is up to you.
        """
        raise NotImplementedError(
            f"{type(self).__name__} has no write(name, text): it adds or changes a memory"
        )

    def remove(self, name: str) -> None:
        """Delete the memory that was written under this name."""
        raise NotImplementedError(f"{type(self).__name__} has no remove(name): it deletes a memory")

    def write_blank(self, name: str) -> None:
        """Add an item without any text."""
        self.write(name, "")

    def write_template(self, name: str) -> None:
        """Add an item as tools make them, which nobody has filled in yet."""
        self.write(name, TEMPLATE)

    def spoil(self, name: str) -> None:
        """Make the item of this name unreadable, so that the others still can be read."""
        self.cannot("this corpus has no spoil(name), which makes one item unreadable")

    def sources(self) -> tuple[Path, ...]:
        """The folders in which nothing may change."""
        return self.scope.home, self.scope.root

    def cannot(self, why: str) -> NoReturn:
        """Skip the test that asks for it, with the reason."""
        import pytest

        pytest.skip(why)

    def elsewhere(self) -> Corpus:
        """The same corpus for another home and project, in which nothing is written."""
        other = copy.copy(self)
        other.folder = self.folder / "elsewhere"
        other.scope = replace(_scope(other.folder), env=self.scope.env, names=("elsewhere",))
        other.options = _moved(self.options, os.fspath(self.folder), os.fspath(other.folder))
        return other


class FolderCorpus(Corpus):
    """A folder of text files, one memory each."""

    def __init__(
        self,
        folder: Path,
        plugin: ModuleType | str,
        place: str,
        options: Any = None,
        *,
        limits: Mapping[str, Any] | None = None,
    ) -> None:
        """place: where a memory's file is, "~/notes/{name}.md" or, below the project, "docs/notes/{name}.md"."""
        super().__init__(folder, plugin, options, limits=limits)
        self.place = place
        self._written = 0

    def path(self, name: str) -> Path:
        """The file of a memory."""
        return self.scope.expand(self.place.format(name=name))

    def document(self, name: str, text: str) -> str:
        """The whole file for a memory's text; override it where it needs a frame."""
        return text

    def make(self) -> None:
        """Make the folder."""
        self.path("any").parent.mkdir(parents=True, exist_ok=True)

    def write(self, name: str, text: str) -> None:
        """Write the file; each is a minute younger than the one before."""
        self.put(self.path(name), self.document(name, text).encode())

    def write_blank(self, name: str) -> None:
        """Write a file without a byte."""
        self.put(self.path(name), b"")

    def remove(self, name: str) -> None:
        """Delete the file."""
        self.path(name).unlink()

    def spoil(self, name: str) -> None:
        """Write bytes that are no text into the file."""
        self.put(self.path(name), b"\x00\xff\xfe\x01" * 64)

    def put(self, path: Path, content: bytes) -> None:
        """Write any file of the store, each a minute younger than the one before."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self._written += 1
        moment = _START + 60 * self._written
        os.utime(path, (moment, moment))


def decomposed(text: str) -> str:
    """The text in the Unicode form that macOS gives to file names."""
    return unicodedata.normalize("NFD", text)


def _provider_class(plugin: ModuleType | str) -> Any:
    if isinstance(plugin, str):
        return provider_class(Candidate(plugin, plugin, "", ""))
    return hooked_class(plugin)


def _scope(folder: Path) -> Scope:
    home, root = folder / "home", folder / "shop-api"
    home.mkdir(parents=True, exist_ok=True)
    root.mkdir(parents=True, exist_ok=True)
    return Scope(home=home, cwd=root, root=root, main_root=root, names=("shop-api",))


def _moved(value: Any, old: str, new: str) -> Any:
    """The same value, every path in it moved to another folder."""
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, Path):
        return Path(os.fspath(value).replace(old, new))
    if isinstance(value, tuple):
        return tuple(_moved(item, old, new) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        changes = {field.name: _moved(getattr(value, field.name), old, new) for field in fields(value)}
        return replace(value, **changes)
    return value
