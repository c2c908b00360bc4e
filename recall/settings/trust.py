"""Which project files the user trusts, by their content: an edited file is a stranger's again.

A project's `.recall.toml` comes with a clone, so whoever wrote the repository wrote it. `restrict.py` holds
what it may say before the user has said `recall config trust`.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from recall.errors import SettingsError, StoreBroken
from recall.files import display_path, read_bytes
from recall.places import write_private
from recall.settings.sources import TRUST_FILE
from recall.wording import why


def is_trusted(path: str | os.PathLike[str], content: bytes, state_dir: Path) -> bool:
    """Whether the user trusts the file at this place with exactly this content."""
    return _trusted(state_dir).get(_identity(path)) == _fingerprint(content)


def trust(path: str | os.PathLike[str], content: bytes, state_dir: Path) -> None:
    """Trust the file as long as its content stays; raises SettingsError if that cannot be written down."""
    _write(state_dir, {**_trusted(state_dir), _identity(path): _fingerprint(content)})


def untrust(path: str | os.PathLike[str], state_dir: Path) -> bool:
    """Take trust back; whether there was any. Raises SettingsError if that cannot be written down."""
    trusted = _trusted(state_dir)
    if trusted.pop(_identity(path), None) is None:
        return False
    _write(state_dir, trusted)
    return True


def _identity(path: str | os.PathLike[str]) -> str:
    return display_path(os.path.realpath(path))


def _fingerprint(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _trusted(state_dir: Path) -> dict[str, Any]:
    """Path -> fingerprint; a record that cannot be read trusts nothing."""
    import json

    try:
        record = json.loads(read_bytes(state_dir / TRUST_FILE))
    except (StoreBroken, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _write(state_dir: Path, record: dict[str, Any]) -> None:
    import json

    try:
        write_private(state_dir / TRUST_FILE, json.dumps(record, indent=1, sort_keys=True).encode())
    except OSError as error:
        line = f"{display_path(state_dir / TRUST_FILE)}: cannot be written: {why(error)}"
        raise SettingsError([line], "set RECALL_STATE_DIR to a folder you can write to") from None
