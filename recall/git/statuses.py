"""The records of `--name-status -z`: a status letter, and the paths behind it."""

from __future__ import annotations

from collections.abc import Iterator


def paths_of(status: bytes, records: Iterator[bytes]) -> list[bytes]:
    """The paths of one change, the newest name last: two of a rename or a copy; none if the output ends before them."""
    wanted = 2 if status[:1] in b"RC" else 1
    paths = [path for _one, path in zip(range(wanted), records, strict=False)]
    return paths if len(paths) == wanted else []
