"""A damaged journal made whole again; the damaged one is kept aside, every byte of it."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path
from typing import NamedTuple

from recall.checkpoints import JOURNAL, Contents, Wrong, is_journal, parse, standing
from recall.context.folder import PATIENCE, Folder, opened
from recall.context.journal import whole
from recall.context.saving import write_views
from recall.errors import ContextUnavailable, NotFound
from recall.files import swap
from recall.wording import why


class Repaired(NamedTuple):
    """What became of a repair."""

    before: Contents
    after: Contents
    kept_aside: tuple[str, ...] = ()  # names in `.context`: the damaged journal, views changed by hand
    notes: tuple[str, ...] = ()


def repair(root: Path, *, project: str = "", patience: float = PATIENCE) -> Repaired:
    """Leave nothing but records in the journal of the project at `root`, and make its views anew.

    The damaged journal, or another program's in its place, is kept beside it. Raises NotFound where there is
    none, ContextBusy, and ContextUnavailable where it cannot be read or written; it is then as it was.
    """
    with opened(root) as folder:
        if folder is None:
            raise NotFound("there is no journal in this project", "the first `recall checkpoint` begins one")
        with folder.locked(patience):
            return _repaired(folder, project)


def _repaired(folder: Folder, project: str) -> Repaired:
    path = folder.path / JOURNAL
    try:
        descriptor = folder.open(JOURNAL, os.O_RDONLY)
    except FileNotFoundError:
        raise NotFound(f"{path}: there is no journal", "the first `recall checkpoint` begins one") from None
    try:
        data = whole(descriptor, path)
    finally:
        os.close(descriptor)
    before = parse(data)
    mended = _mended(data, before) if is_journal(data) else b""
    kept: tuple[str, ...] = ()
    if mended != data:
        try:
            kept = (_replaced(folder, data, mended),)
        except OSError as error:
            raise ContextUnavailable(
                f"{path}: cannot be repaired: {why(error)}; it is as it was",
                "make room on the disk, try again",
            ) from None
    after = parse(mended)
    if not after.records:
        return Repaired(before, after, kept)
    views, problems = write_views(folder.path, after, standing(after.records), project)
    return Repaired(before, after, (*kept, *views), problems)


def _mended(data: bytes, contents: Contents) -> bytes:
    """The records as they are, each on a line of its own; those of a newer version, too."""
    gone = [one for one in contents.damages if one.what is not Wrong.NEWER]
    parts: list[bytes] = []
    position = 0
    for damage in gone:
        parts.append(data[position : damage.byte])
        position = damage.byte + damage.size
    parts.append(data[position:])
    return b"".join(_lines(part) for part in parts)


def _lines(part: bytes) -> bytes:
    """Records without anything between them, a line each: glued ones are taken apart at their marks."""
    apart = part.replace(b'}{"checkpoint":', b'}\n{"checkpoint":')
    return b"".join(line + b"\n" for line in map(bytes.strip, apart.split(b"\n")) if line)


def _replaced(folder: Folder, data: bytes, mended: bytes) -> str:
    """Put the mended journal in its place, durably; the name of the old one."""
    path, new = folder.path / JOURNAL, folder.path / f".{JOURNAL}.part"
    new.unlink(missing_ok=True)
    _write(new, mended)
    aside = _kept(folder.path, data)
    os.replace(new, path)
    folder.sync()
    return aside


def _kept(folder: Path, data: bytes) -> str:
    part = folder / f".{JOURNAL}.aside"
    part.unlink(missing_ok=True)
    _write(part, data)
    stem = JOURNAL.removesuffix(".jsonl")
    for number in count(1):
        aside = folder / f"{stem}.damaged-{number}.jsonl"
        try:
            swap.place(part, aside)
        except FileExistsError:
            continue
        return aside.name
    raise AssertionError("count() has no end")


def _write(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise
