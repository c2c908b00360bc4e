"""Plugins: discover (imports nothing), load (each in isolation), construct. A broken one is a row, never a crash.

Every provider registers by the same entry-point group, the project's own included; a file of the user's own can
stand in for a package (`provider_files`). A stranger cannot take a name that is already offered: the project's own
wins, two strangers are both refused until the settings name the distribution or the file.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pluggy

from recall import hookspecs
from recall.api import Authority
from recall.errors import NotConfigured, ProviderError, SettingsError, StoreBroken
from recall.files import read_bytes
from recall.piece import Piece
from recall.places import write_private
from recall.version import DISTRIBUTION

FILES_FOLDER = "providers"  # in recall's settings folder: the user's own providers of one file
LOADING_LIMIT = 2.0  # seconds one plugin may take to be imported and constructed

T = TypeVar("T")


class Candidate(NamedTuple):
    """An offer of a provider: what it is called and where it would be imported from."""

    name: str
    value: str  # "package" or "package:attribute"
    distribution: str
    version: str
    file: str = ""  # a single file, instead of the three above
    named: bool = False  # whether the settings name that file
    family: str = ""  # the entry point's own name, where the settings make several providers of it


class Plugin(NamedTuple):
    """A provider by name: constructed, switched off, or broken with the reason."""

    name: str
    distribution: str
    version: str
    provider: Any = None  # the constructed provider, if it is usable
    options: Any = None  # what it was constructed with
    reason: str = ""  # why it is not usable
    next_step: str = ""
    enabled: bool = True
    file: str = ""  # the single file it comes from, in place of a distribution

    @property
    def broken(self) -> bool:
        """Whether it should have worked and does not."""
        return self.enabled and self.provider is None


def discover(cache_folder: str | None = None) -> list[Candidate]:
    """Every entry point of the group; nothing of it is imported.

    The scan costs more than a query, so its result is kept in `cache_folder`, keyed by the folders it read.
    """
    if cache_folder is None:
        return _scan()
    cache, key = Path(cache_folder, "plugins.json"), _path_key()
    kept = _read_cache(cache, key)
    if kept is not None:
        return kept
    found = _scan()
    _write_cache(cache, key, found)
    return found


def in_files(config: Path, named: Mapping[str, str]) -> tuple[list[Candidate], str]:
    """Every single file that offers a provider, none of them opened; and what is wrong with the folder, or "".

    config: recall's settings folder. named: paths that the settings name, by the provider's name.
    """
    folder = os.path.join(config, FILES_FOLDER)
    if not named and not os.path.isdir(folder):
        return [], ""  # as nearly always: nothing is imported for it
    from recall import provider_files

    paths, problem = provider_files.listed(folder)
    taken = {os.path.realpath(path) for path in named.values()}
    found = [Candidate(name, "", "", "", path, named=True) for name, path in named.items()]
    found += [
        Candidate(provider_files.name_of(path), "", "", "", path)
        for path in paths
        if os.path.realpath(path) not in taken
    ]
    return found, problem


def choose(
    candidates: Iterable[Candidate], distribution_of: Callable[[str], str]
) -> tuple[list[Candidate], list[Plugin]]:
    """One candidate a name, and a refusal for every other.

    distribution_of: the distribution the settings name for a provider, or "".
    """
    by_name: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_name.setdefault(normal(candidate.name), []).append(candidate)
    chosen: list[Candidate] = []
    refused: list[Plugin] = []
    for name in sorted(by_name):
        wanted = distribution_of(by_name[name][0].name)
        winner = _winner(by_name[name], wanted)
        if winner is not None:
            chosen.append(winner)
        refused += [_refusal(other, winner, wanted) for other in by_name[name] if other is not winner]
    return chosen, refused


def load(
    candidate: Candidate, options_for: Callable[[str, type], Any], limit: float = LOADING_LIMIT
) -> Plugin:
    """Import one plugin and construct its provider; whatever goes wrong becomes the reason.

    options_for: gives the validated options for a name and its Options class; SettingsError passes.
    limit: seconds after which it is given up.
    """

    def failed(reason: str, next_step: str) -> Plugin:
        return _row(candidate, reason=reason, next_step=next_step)

    def construct() -> tuple[Any, Any]:
        found = provider_class(candidate)
        _check_class(found, candidate)
        if candidate.family:
            found = type(found.__name__, (found,), {"name": candidate.name})
        options = options_for(candidate.name, found.Options)
        return found(options), options

    made, error = _within(construct, limit)
    if made is not None:
        provider, options = made
        return _row(candidate, provider=provider, options=options)
    if isinstance(error, SettingsError):
        raise error
    from recall.failures import said

    if isinstance(error, NotConfigured):
        return failed(said(error), error.next_step)._replace(enabled=False)
    if isinstance(error, ImportError):
        missing = error.name or "a module"
        return failed(f"cannot be imported: {said(error)}", f"install what provides {missing}, or disable it")
    if isinstance(error, ProviderError) and error.next_step:
        return failed(said(error), error.next_step)
    what = "SystemExit while importing" if isinstance(error, SystemExit) else type(error).__name__
    return failed(f"{what}: {text}" if (text := said(error)) else what, _disable(candidate))


def _row(candidate: Candidate, **told: Any) -> Plugin:
    return Plugin(candidate.name, candidate.distribution, candidate.version, file=candidate.file, **told)


def _within(work: Callable[[], T], limit: float) -> tuple[T | None, BaseException | None]:
    """What some work returned, or what it raised; it is abandoned when it takes too long.

    A SystemExit or KeyboardInterrupt of a plugin is the plugin's own failure. stdout is stderr meanwhile.
    """
    with contextlib.redirect_stdout(sys.stderr):
        piece = Piece(work, "loading")
        if not piece.wait(limit):
            return None, TimeoutError(f"neither imported nor constructed within {limit:g} s")
    return (piece.found[0], None) if piece.found else (None, piece.error)


def switched_off(candidate: Candidate, reason: str) -> Plugin:
    """The row of a provider that is not read: it is not imported."""
    step = f"set providers.{candidate.name}.enabled = true"
    return _row(candidate, reason=reason, next_step=step, enabled=False)


def provider_class(candidate: Candidate) -> Any:
    """Import a plugin and ask its hook for the provider class; raises whatever the plugin raises."""
    return hooked_class(_module(candidate), candidate.name)


def _module(candidate: Candidate) -> Any:
    if candidate.file:
        from recall import provider_files

        return provider_files.module(candidate.name, candidate.file)
    import importlib

    module_name, _, attribute = candidate.value.partition(":")
    module: Any = importlib.import_module(module_name)
    for part in attribute.split(".") if attribute else ():
        module = getattr(module, part)
    return module


def hooked_class(plugin: Any, name: str = "") -> Any:
    """The provider class that a plugin's hook gives; raises whatever the plugin raises.

    plugin: what implements the hook, mostly a module.
    """
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(plugin, name or None)
    found = manager.hook.recall_provider()
    if found is None:
        if callable(getattr(plugin, "recall_provider", None)):
            raise TypeError("recall_provider is not marked with @hookimpl")
        raise TypeError("it implements no recall_provider hook")
    return found


def _check_class(found: Any, candidate: Candidate) -> None:
    """A provider that would fail later fails now, by name of what is missing."""
    own = getattr(found, "name", None)
    if own != (candidate.family or candidate.name):
        says = "the settings say" if candidate.named else "its file" if candidate.file else "its entry point"
        says += "" if candidate.named else " says"
        raise TypeError(f"its name is {own!r}, {says} {candidate.name!r}")
    for attribute in ("authority", "Options"):
        if not hasattr(found, attribute):
            raise TypeError(f"{found.__name__} has no {attribute}")
    Authority(found.authority)
    known = ("health", "entries", "load", "search", "policies")
    methods = [method for method in known if hasattr(found, method)]
    if "health" not in methods:
        raise TypeError(f"{found.__name__} has no health method")
    if not ({"search", "policies"} & set(methods) or {"entries", "load"} <= set(methods)):
        raise TypeError(f"{found.__name__} has neither entries and load nor search nor policies")


def _winner(offers: Sequence[Candidate], wanted: str) -> Candidate | None:
    if wanted:
        return next((offer for offer in offers if normal(offer.distribution) == normal(wanted)), None)
    own = [offer for offer in offers if normal(offer.distribution) == DISTRIBUTION]
    chosen = own or [offer for offer in offers if offer.named]
    if chosen:
        return chosen[0]
    return offers[0] if len(offers) == 1 else None


def _refusal(other: Candidate, winner: Candidate | None, wanted: str) -> Plugin:
    if winner is not None:
        reason = f"the name is taken by {winner.distribution or winner.file}"
    elif wanted:
        reason = f"the settings name the distribution {wanted!r}, which is not there"
    else:
        reason = "more than one distribution or file offers this name"
    step = f'set providers.{other.name}.distribution = "{other.distribution}" to use this one'
    if other.file:
        step = f'set providers.{other.name}.file = "{other.file}" to use this one'
        if winner is not None and normal(winner.distribution) == DISTRIBUTION:
            step = "give the file and its provider another name"
    return _row(other, reason=reason, next_step=step)


def _disable(candidate: Candidate) -> str:
    step = f"mend {candidate.file}" if candidate.file else "report it to its author"
    return f"{step}, or set providers.{candidate.name}.enabled = false"


def normal(name: str) -> str:
    """A name as names are compared: small letters, one dash for every run of separators."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _scan() -> list[Candidate]:
    from importlib.metadata import entry_points

    found = {}
    for entry in entry_points(group=hookspecs.ENTRY_POINT_GROUP):
        distribution = entry.dist
        name = distribution.name if distribution is not None else "unknown"
        version = distribution.version if distribution is not None else ""
        # One distribution seen through two folders of the path (an editable install) is one offer.
        found[(entry.name, entry.value, name)] = Candidate(entry.name, entry.value, name, version)
    return sorted(found.values(), key=lambda candidate: (candidate.name, candidate.distribution))


def _path_key() -> str:
    """Installing, removing or upgrading a distribution changes its folder's time."""
    import hashlib

    seen = [sys.version]
    try:
        here = os.getcwd()
    except OSError:
        here = ""  # it was deleted
    for folder in sys.path:
        if folder in ("", here):
            continue  # `python -m recall` puts the project itself on the path; nothing is installed there
        try:
            seen.append(f"{folder}:{os.stat(folder).st_mtime_ns}")
        except OSError:
            continue
    return hashlib.sha256("\n".join(seen).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _read_cache(path: Path, key: str) -> list[Candidate] | None:
    try:
        kept, *rows = json.loads(read_bytes(path))
        return [Candidate(*row) for row in rows] if kept == key else None
    except (StoreBroken, ValueError, TypeError, RecursionError):
        return None


def _write_cache(path: Path, key: str, found: list[Candidate]) -> None:
    try:
        write_private(path, json.dumps([key, *map(list, found)]).encode())
    except OSError:
        pass  # a cache that cannot be written costs time, never an answer
