"""Validated settings, kept in the cache folder so that an unchanged file is not validated again.

A file's name is a digest of everything its content depends on; the content carries a digest of itself, so
that a damaged file, or one that is not ours, is simply not there.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from recall.errors import StoreBroken
from recall.files import read_bytes
from recall.places import write_private

KEPT = 20  # files; one for each combination of inputs seen last
_SIZE_LIMIT = 1 << 22


def digest(*parts: object) -> str:
    """A name for a combination of plain values."""
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def read(cache_dir: Path, key: str) -> Any:
    """The document kept under a key, or None."""
    import json

    try:
        seal, _, body = read_bytes(_folder(cache_dir) / f"{key}.json", _SIZE_LIMIT).partition(b"\n")
        return json.loads(body) if seal == _seal(key, body) else None
    except (StoreBroken, ValueError, RecursionError):
        return None


def write(cache_dir: Path, key: str, document: Any) -> None:
    """Keep a document. A folder that cannot be written and a document that is no JSON are no errors."""
    import json

    try:
        body = json.dumps(document).encode("ascii")
        write_private(_folder(cache_dir) / f"{key}.json", _seal(key, body) + b"\n" + body)
        _prune(_folder(cache_dir))
    except (OSError, TypeError, ValueError):
        pass


def _folder(cache_dir: Path) -> Path:
    return cache_dir / "settings"


def _seal(key: str, body: bytes) -> bytes:
    return hashlib.sha256(key.encode() + body).hexdigest().encode()


def _prune(folder: Path) -> None:
    with os.scandir(folder) as listing:
        files = [item for item in listing if item.is_file(follow_symlinks=False)]
    files.sort(key=lambda item: item.stat(follow_symlinks=False).st_mtime_ns, reverse=True)
    for item in files[KEPT:]:
        os.unlink(item.path)
