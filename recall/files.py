"""Safe reading of files that are not ours.

Regular files only, opened without blocking, read up to a limit, decoded without ever raising; folders walked
through links at most once per real folder. Nothing here writes.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from recall.api import Deadline, Problem
from recall.errors import StoreBroken
from recall.wording import visible

READ_LIMIT = 1 << 20  # bytes of one file: three times the largest hand-written memory seen in public trees
WALK_LIMIT = 200_000  # entries of one tree
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}


_Identity = tuple[int, int]  # device and file number


@dataclass(frozen=True, slots=True)
class Text:
    """A file's text: line ends are \\n, the byte-order mark is gone."""

    text: str
    encoding: str
    problem: str = ""  # what was lost: "not valid UTF-8 at byte 2971", "cut after 1,048,576 bytes"


@dataclass(frozen=True, slots=True)
class Found:
    """A regular file found by `walk`."""

    path: str  # as the file system spells it
    relative: str  # below the walked folder, with "/", NFC, raw bytes shown as %XX
    mtime_ns: int
    size: int
    identity: _Identity = (0, 0)  # device and file number: the same real file, by whatever name

    @property
    def stamp(self) -> str:
        """Changes when the content may have changed."""
        return f"{self.mtime_ns}:{self.size}"


def read_bytes(path: str | os.PathLike[str], limit: int = READ_LIMIT) -> bytes:
    """The first `limit` bytes of a regular file.

    Raises StoreBroken, with one line that names the reason, for anything that cannot be read as a file.
    """
    try:
        _require_regular(os.stat(path).st_mode)  # before opening: that alone would wake the writer of a pipe
        descriptor = os.open(path, _FLAGS)
    except (OSError, ValueError) as error:  # a NUL in the path is a ValueError
        raise StoreBroken(_why(error)) from None
    try:
        _require_regular(os.fstat(descriptor).st_mode)
        chunks: list[bytes] = []
        left = limit
        while left > 0 and (chunk := os.read(descriptor, min(left, 1 << 20))):
            chunks.append(chunk)
            left -= len(chunk)
        return b"".join(chunks)
    except OSError as error:
        raise StoreBroken(_why(error)) from None
    finally:
        os.close(descriptor)


def _require_regular(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise StoreBroken(f"not a regular file but {_kind(mode)}")


def _kind(mode: int) -> str:
    return _KINDS.get(stat.S_IFMT(mode), "something else")


def read_text(path: str | os.PathLike[str], limit: int = READ_LIMIT) -> Text:
    """A text file, decoded as far as it can be; raises StoreBroken if it cannot be read or is binary."""
    data = read_bytes(path, limit + 1)
    cut = len(data) > limit
    decoded = decode(data[:limit], cut=cut)
    if not cut:
        return decoded
    problems = (decoded.problem, f"cut after {limit:,} bytes")
    return Text(decoded.text, decoded.encoding, "; ".join(filter(None, problems)))


def decode(data: bytes, *, cut: bool = False) -> Text:
    """Bytes as text: UTF-8, UTF-16 by its mark, cp949 when that gives Hangul, else UTF-8 with replacements.

    Raises StoreBroken for binary content (a NUL byte outside UTF-16).
    """
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return _utf_16(data[2:], encoding, cut)
    if b"\0" in data:
        raise StoreBroken("binary content (NUL bytes)")
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return Text(_lines(data.decode("utf-8")), "utf-8")
    except UnicodeDecodeError as error:
        if cut and error.start >= len(data) - 3:  # the limit fell inside a character
            return Text(_lines(data[: error.start].decode("utf-8")), "utf-8")
        position = error.start
    legacy = _korean_legacy(data)
    if legacy is None and cut:
        legacy = _korean_legacy(data[:-1])
    if legacy is not None:
        return Text(_lines(legacy), "cp949")
    return Text(_lines(data.decode("utf-8", "replace")), "utf-8", f"not valid UTF-8 at byte {position}")


def _utf_16(data: bytes, encoding: str, cut: bool) -> Text:
    text = data.decode(encoding, "ignore" if cut else "replace")
    if "\0" in text:
        raise StoreBroken("binary content (NUL bytes)")
    return Text(_lines(text), "utf-16", "not valid UTF-16" if "\ufffd" in text else "")


def _korean_legacy(data: bytes) -> str | None:
    """The text if `data` is Korean in cp949: nearly any bytes decode, so most of it must be Hangul.

    Only the 2,350 syllables of KS X 1001 count. The rest of cp949 is rare in Korean, and is what a single
    western character and the letter behind it look like ("25°C").
    """
    try:
        text = data.decode("cp949")
    except UnicodeDecodeError:
        return None
    foreign = [character for character in text if ord(character) > 127]
    hangul = sum("가" <= one <= "힣" and min(one.encode("cp949")) >= 0xA1 for one in foreign)
    return text if hangul >= 0.7 * len(foreign) else None


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def walk(
    root: str | os.PathLike[str],
    deadline: Deadline,
    *,
    suffixes: tuple[str, ...] = (".md",),
    enter: Callable[[str], bool] | None = None,
    leave_root: bool = True,
    allowed: tuple[str, ...] = (),
    limit: int = WALK_LIMIT,
) -> Iterator[Found | Problem]:
    """Every regular file below `root` whose name ends in one of `suffixes`, in a stable order.

    Links are followed; each real folder and file comes once, so loops end. Whatever cannot be looked at comes
    as a Problem. A missing `root` yields nothing.

    enter: decides by the relative folder name whether to descend; default: always.
    leave_root: whether links may lead out of `root` (a shared folder) or are reported instead.
    allowed: real folders into which links may lead all the same.
    """
    top = os.fspath(root)
    seen: set[_Identity] = set()
    count = 0
    pending = [(top, "", _identity(top))]
    linked_folders: list[tuple[str, str, _Identity]] = []
    linked_files: list[Found] = []
    while pending or linked_folders:
        # What links lead to comes last, so that a file inside keeps the name it has without them.
        folder, prefix, itself = pending.pop() if pending else linked_folders.pop(0)
        deadline.check()
        if itself in seen:
            continue
        seen.add(itself)
        items = _listing(folder)
        if isinstance(items, Problem):
            yield items
            continue
        below: list[tuple[str, str, _Identity]] = []
        for item in items:
            count += 1
            if count > limit:
                yield Problem(display_path(top), f"more than {limit:,} entries; the rest is not read", True)
                return
            if count % 256 == 0:
                deadline.check()
            relative = prefix + _display(item.name)
            found = _looked_at(item, relative, suffixes)
            if not isinstance(found, os.stat_result):
                if found:
                    yield found
                continue
            is_folder = stat.S_ISDIR(found.st_mode)
            if is_folder and enter is not None and not enter(relative):
                continue
            is_link = item.is_symlink()
            if is_link and not leave_root and not is_inside(item.path, (os.path.realpath(top), *allowed)):
                yield Problem(relative, "link that leaves the store")
                continue
            if not is_folder and not stat.S_ISREG(found.st_mode):
                yield Problem(relative, f"not a regular file but {_kind(found.st_mode)}; skipped")
                continue
            identity = (found.st_dev, found.st_ino)
            if is_folder:
                (linked_folders if is_link else below).append((item.path, relative + "/", identity))
                continue
            file = Found(item.path, relative, found.st_mtime_ns, found.st_size, identity)
            if is_link:
                linked_files.append(file)
            elif identity not in seen:
                seen.add(identity)
                yield file
        pending.extend(reversed(below))
    for file in linked_files:
        if file.identity not in seen:
            seen.add(file.identity)
            yield file


def _listing(folder: str) -> list[os.DirEntry[str]] | Problem:
    try:
        with os.scandir(folder) as listing:
            return sorted(listing, key=lambda item: item.name)
    except FileNotFoundError:
        return Problem(display_path(folder), "broken link", True) if os.path.islink(folder) else []
    except (OSError, ValueError) as error:
        return Problem(display_path(folder), _why(error), hides_entries=True)


def _looked_at(
    item: os.DirEntry[str], relative: str, suffixes: tuple[str, ...]
) -> os.stat_result | Problem | None:
    """What an entry is, links followed; None if it is neither a folder nor has one of the suffixes."""
    is_wanted = item.name.endswith(suffixes)
    try:
        if not is_wanted and not item.is_dir():
            # Told by the listing itself: media folders hold thousands of other files. A link to nowhere may be
            # the way to a folder that is away for now.
            if item.is_symlink() and "." not in item.name and not os.path.exists(item.path):
                return Problem(relative, "broken link", hides_entries=True, harmless=True)
            return None
        # On Windows a listing carries no file numbers.
        return os.stat(item.path) if os.name == "nt" else item.stat()
    except OSError as error:
        if is_wanted:
            return Problem(relative, f"broken link or {_why(error)}" if item.is_symlink() else _why(error))
        if error.errno == errno.ELOOP:  # hides nothing
            return None
        return Problem(relative, _why(error), hides_entries=True)


def _identity(path: str) -> _Identity:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return (0, 0)
    return (found.st_dev, found.st_ino)


def look(folder: str | os.PathLike[str]) -> str | None:
    """Why a folder cannot be walked, "" if it can, None if nothing is in its place.

    What cannot be looked at, and a link that leads nowhere, are not nothing: memories may be behind them.
    """
    try:
        return "" if stat.S_ISDIR(os.stat(folder).st_mode) else "not a folder"
    except FileNotFoundError:
        return "broken link" if os.path.islink(folder) else None
    except NotADirectoryError:
        return None
    except (OSError, ValueError) as error:
        return _why(error)


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a folder is there; False for anything that cannot be looked at."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether a regular file is there; False for anything that cannot be looked at."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def unique(key: str, taken: set[str]) -> str:
    """The key, or the key with a number if it is taken, as by a name in another Unicode form; takes it."""
    if key in taken:
        key = next(other for number in count(2) if (other := f"{key}~{number}") not in taken)
    taken.add(key)
    return key


def display_path(path: str | os.PathLike[str]) -> str:
    """A path that can be printed, stored and compared: NFC, raw bytes as %XX, control characters escaped."""
    return _display(os.fspath(path))


def lies_in(path: str, folders: Iterable[str]) -> bool:
    """Whether a path, as it is written and possibly on another system, is one of the folders or below one."""
    plain = _as_written(path)
    return any(plain == folder or plain.startswith(folder + "/") for folder in map(_as_written, folders))


def _as_written(path: str) -> str:
    plain = unicodedata.normalize("NFC", path).replace("\\", "/").rstrip("/")
    return plain[:1].lower() + plain[1:] if plain[1:2] == ":" else plain


def _display(name: str) -> str:
    if name.isascii():
        return visible(name)
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        name = "".join(
            f"%{ord(character) - 0xDC00:02X}" if 0xDC80 <= ord(character) <= 0xDCFF else character
            for character in name
        )
    return visible(unicodedata.normalize("NFC", name))


def is_inside(path: str, real_folders: tuple[str, ...]) -> bool:
    """Whether a path really lies in one of the folders, links followed."""
    real = os.path.realpath(path)
    return any(real == folder or real.startswith(folder.rstrip(os.sep) + os.sep) for folder in real_folders)


def _why(error: OSError | ValueError) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()
