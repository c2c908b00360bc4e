"""The checksum at the end of a view: whether it is still as it was written."""

from __future__ import annotations

import re
import zlib

_NOTE = b"recall checkpoint wrote this from the journal; what is changed here is kept aside at the next save"
_SEALS = {
    ".md": (
        b"\n<!-- " + _NOTE + b"; sum:%08x -->\n",
        re.compile(rb"\n<!-- recall checkpoint [^\n]* sum:([0-9a-f]{8}) -->\n\Z"),
    ),
    ".json": (b',\n  "sum": "%08x"\n}\n', re.compile(rb',\n  "sum": "([0-9a-f]{8})"\n\}\n\Z')),
}


def sealed(view: str, body: bytes) -> bytes:
    """A view with its checksum: markdown whole, JSON (`indent=2`) with its end.

    view: the file's name.
    """
    if view.endswith(".json"):
        return _seal(".json", body.rstrip().removesuffix(b"}").rstrip())
    return _seal(".md", body.rstrip() + b"\n")


def _seal(ending: str, body: bytes) -> bytes:
    return body + _SEALS[ending][0] % zlib.crc32(body)


def is_sealed(view: str, data: bytes) -> bool:
    """Whether a file is a view as recall wrote it: nobody changed it since."""
    found = _SEALS["." + view.rpartition(".")[2]][1].search(data)
    return found is not None and zlib.crc32(data[: found.start()]) == int(found[1], 16)
