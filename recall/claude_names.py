"""What Claude Code calls the folder of a project, and where it keeps such folders.

It names one after the project's path, with every character outside A-Z, a-z and 0-9 turned into "-": the name cannot
be turned back, and several projects may share one folder. Rules as of its releases 2.1.100 to 2.1.332.
"""

from __future__ import annotations

import os
import re
import unicodedata

from recall import files
from recall.api import Scope

SLUG_LENGTH = 200  # longer names end in a hash that differs between builds
_FORCED_NAME = r"[A-Za-z0-9_-]{1,64}"


def config_root(scope: Scope, override: str = "") -> str:
    """Claude Code's own folder."""
    path = os.fspath(scope.expand(override or scope.env.get("CLAUDE_CONFIG_DIR") or "~/.claude"))
    composed = unicodedata.normalize("NFC", path)
    return composed if composed == path or files.is_folder(composed) else path


def slug(path: str) -> str:
    """A path as a folder name: each UTF-16 unit outside A-Z, a-z, 0-9 is one "-"."""
    return "".join(
        letter if letter.isascii() and letter.isalnum() else "--" if ord(letter) > 0xFFFF else "-"
        for letter in path
    )


def forced(scope: Scope) -> tuple[str, ...]:
    """The name that the environment gives every project's folder, if it gives one that is taken."""
    name = scope.env.get("CLAUDE_CODE_PROJECT_DIR_NAME", "") if scope.env.get("CLAUDE_CONFIG_DIR") else ""
    return (name,) if re.fullmatch(_FORCED_NAME, name) else ()
