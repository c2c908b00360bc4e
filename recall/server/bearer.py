"""The bearer token of the HTTP server, kept in the state folder for this user only."""

from __future__ import annotations

import os
import re
import secrets
import stat
from pathlib import Path

from recall.errors import StoreBroken, UsageError
from recall.files import display_path, read_bytes
from recall.wording import why

_FILE = "server-token"
_SHAPE = re.compile(rb"[A-Za-z0-9_-]{43}\n?")  # 256 random bits


def token(state: Path) -> str:
    """The token in a folder, made on first use, and again if anybody else could have read it; raises UsageError."""
    path = state / _FILE
    try:
        return _kept(path) or _made(path)
    except OSError as error:
        raise UsageError(
            f"{display_path(path)}: cannot be written: {why(error)}",
            "set RECALL_STATE_DIR to a folder you can write to",
        ) from None


def _kept(path: Path) -> str:
    """The token in a file that is this user's alone, or ""."""
    try:
        found = os.lstat(path)
        content = read_bytes(path, 1_000)
    except (FileNotFoundError, StoreBroken):
        return ""
    private = os.name != "posix" or (found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077)
    return content.decode().strip() if private and _SHAPE.fullmatch(content) else ""


def _made(path: Path) -> str:
    made = secrets.token_urlsafe(32)
    temporary = f"{path}.{os.getpid()}-{secrets.token_hex(4)}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as writer:
            writer.write(made + "\n")
        try:
            os.link(temporary, path)  # never over one that another process makes at the same moment
        except OSError:  # something is there, or the file system knows no links
            if kept := _kept(path):
                return kept
            os.replace(temporary, path)
        return made
    finally:
        try:
            os.unlink(temporary)
        except FileNotFoundError:
            pass  # it took the place of another
