"""The folders that are recall's own: settings, cache (may be deleted), state (should be kept)."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from recall.errors import IndexUnavailable
from recall.wording import why


class Places(NamedTuple):
    """Recall's own folders; outside them only `recall setup` and `recall checkpoint` write."""

    config: Path
    cache: Path
    state: Path

    @classmethod
    def find(cls, env: Mapping[str, str], home: Path) -> Places:
        """The platform's folders for this user; RECALL_CACHE_DIR and RECALL_STATE_DIR win."""
        return cls(
            config=_config(env, home),
            cache=_chosen(env, "RECALL_CACHE_DIR") or _standard(env, home, "cache"),
            state=_chosen(env, "RECALL_STATE_DIR") or _standard(env, home, "state"),
        )

    def make_cache(self) -> Path:
        """The cache folder, made for this user only; raises IndexUnavailable if that is not possible."""
        return _made(self.cache, "RECALL_CACHE_DIR")

    def make_state(self) -> Path:
        """The state folder, made for this user only; raises IndexUnavailable if that is not possible."""
        return _made(self.state, "RECALL_STATE_DIR")


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only its owner can read, all of it or nothing; raises OSError."""
    for folder in (path.parent.parent, path.parent):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    temporary = f"{path}.{os.getpid()}-{os.urandom(4).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(temporary, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as writer:
            writer.write(data)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _chosen(env: Mapping[str, str], name: str) -> Path | None:
    value = env.get(name, "")
    return Path(value).absolute() if value else None


def _config(env: Mapping[str, str], home: Path) -> Path:
    standard = _standard(env, home, "config")
    # Command-line people look in ~/.config on every system.
    plain = home / ".config" / "recall"
    return plain if not standard.is_dir() and plain.is_dir() else standard


def _standard(env: Mapping[str, str], home: Path, kind: str) -> Path:
    """platformdirs' answer. On Linux it is spelled out: importing platformdirs costs as much as a whole query."""
    if sys.platform == "linux":
        variable, below = _XDG[kind]
        base = env.get(variable, "")
        return (Path(base) if os.path.isabs(base) else home.joinpath(*below)) / "recall"
    import platformdirs

    if kind == "cache":
        return platformdirs.user_cache_path("recall", appauthor=False)
    if kind == "state":
        return platformdirs.user_state_path("recall", appauthor=False)
    return platformdirs.user_config_path("recall", appauthor=False)


_XDG = {
    "cache": ("XDG_CACHE_HOME", (".cache",)),
    "state": ("XDG_STATE_HOME", (".local", "state")),
    "config": ("XDG_CONFIG_HOME", (".config",)),
}


def _made(folder: Path, variable: str) -> Path:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise IndexUnavailable(
            f"{folder}: cannot be made: {why(error)}",
            f"set {variable} to a folder you can write to",
        ) from None
    return folder
