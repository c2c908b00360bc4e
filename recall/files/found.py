"""A file as a walk found it."""

from __future__ import annotations

from typing import NamedTuple

Identity = tuple[int, int]  # device and file number
NOWHERE: Identity = (0, 0)


class Found(NamedTuple):
    """A regular file. Given in place of its path, it is opened only if it is still the same file."""

    path: str  # as the file system spells it
    relative: str  # below the walked folder, with "/", NFC, raw bytes shown as %XX
    mtime_ns: int
    size: int
    identity: Identity = NOWHERE  # device and file number: the same real file, by whatever name
    ctime_ns: int = 0  # moves with every change, also where the modification time was set back

    def __fspath__(self) -> str:
        """The path."""
        return self.path

    @property
    def stamp(self) -> str:
        """Changes when the content may have changed."""
        return f"{self.mtime_ns}:{self.size}:{self.ctime_ns}"
