"""Safe reading of files that are not ours.

Regular files only, opened without blocking, read up to a limit, decoded whatever their encoding; what cannot be read
raises StoreBroken. Folders are walked through links at most once per real folder. Nothing here writes.
"""

from __future__ import annotations

from recall.files.apart import obstacle
from recall.files.found import Found
from recall.files.names import display_path, is_inside, lies_in, unique
from recall.files.reading import (
    READ_LIMIT,
    Text,
    decode,
    is_file,
    is_folder,
    look,
    open_regular,
    read_bytes,
    read_text,
)
from recall.files.walking import WALK_LIMIT, Walker, walk
from recall.wording import why

__all__ = [
    "READ_LIMIT",
    "WALK_LIMIT",
    "Found",
    "Text",
    "Walker",
    "decode",
    "display_path",
    "is_file",
    "is_folder",
    "is_inside",
    "lies_in",
    "look",
    "obstacle",
    "open_regular",
    "read_bytes",
    "read_text",
    "unique",
    "walk",
    "why",
]
