"""Reading one file: regular files only, without blocking, up to a limit, decoded whatever its encoding.

What cannot be read, or is no text, raises StoreBroken and nothing else.
"""

from __future__ import annotations

import os
import stat
from typing import BinaryIO, NamedTuple

from recall.errors import StoreBroken
from recall.files.apart import obstacle, require_answering
from recall.files.found import NOWHERE, Found
from recall.wording import why

READ_LIMIT = 1 << 20  # bytes of one file: three times the largest hand-written memory seen in public trees
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}


class Text(NamedTuple):
    """A file's text: line ends are \\n, the byte-order mark is gone."""

    text: str
    encoding: str
    problem: str = ""  # what was lost: "not valid UTF-8 at byte 2971", "cut after 1,048,576 bytes"


def read_bytes(path: str | os.PathLike[str], limit: int = READ_LIMIT, *, tail: bool = False) -> bytes:
    """The first `limit` bytes of a regular file, or the last ones.

    Raises StoreBroken, with one line that names the reason, for anything that cannot be read as a file.
    """
    descriptor = _opened(path)
    try:
        if tail and (size := os.fstat(descriptor).st_size) > limit:
            os.lseek(descriptor, size - limit, os.SEEK_SET)
        chunks: list[bytes] = []
        left = limit
        while left > 0 and (chunk := os.read(descriptor, min(left, 1 << 20))):
            chunks.append(chunk)
            left -= len(chunk)
        return b"".join(chunks)
    except OSError as error:
        raise StoreBroken(why(error)) from None
    finally:
        os.close(descriptor)


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """A regular file, opened to be read piece by piece; raises StoreBroken like `read_bytes`."""
    return os.fdopen(_opened(path), "rb")


def _opened(path: str | os.PathLike[str]) -> int:
    require_answering(path)
    try:
        _require_regular(os.stat(path).st_mode)  # before opening: that alone would wake the writer of a pipe
        descriptor = os.open(path, _FLAGS)
    except (OSError, ValueError) as error:  # a NUL in the path is a ValueError
        raise StoreBroken(why(error)) from None
    try:
        opened = os.fstat(descriptor)
        _require_regular(opened.st_mode)
        _require_same(path, opened)
    except StoreBroken:
        os.close(descriptor)
        raise
    return descriptor


def _require_same(path: str | os.PathLike[str], opened: os.stat_result) -> None:
    """Refuse what took a file's place since it was found: it may be a link that leads elsewhere by now."""
    if not isinstance(path, Found) or path.identity == NOWHERE or os.name == "nt":
        return
    if (opened.st_dev, opened.st_ino) != path.identity:
        raise StoreBroken("another file took its place just now; it is read at the next look")


def _require_regular(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise StoreBroken(f"not a regular file but {kind(mode)}")


def kind(mode: int) -> str:
    """What a file that is no regular one is, in words."""
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


def look(folder: str | os.PathLike[str]) -> str | None:
    """Why a folder cannot be walked, "" if it can, None if nothing is in its place.

    What cannot be looked at, and a link that leads nowhere, are not nothing: memories may be behind them.
    """
    if reason := obstacle(folder):
        return reason
    try:
        return "" if stat.S_ISDIR(os.stat(folder).st_mode) else "not a folder"
    except FileNotFoundError:
        return "broken link" if os.path.islink(folder) else None
    except NotADirectoryError:
        return None
    except (OSError, ValueError) as error:
        return why(error)


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a folder is there; False for anything that cannot be looked at."""
    try:
        return not obstacle(path) and stat.S_ISDIR(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether a regular file is there; False for anything that cannot be looked at."""
    try:
        return not obstacle(path) and stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False
