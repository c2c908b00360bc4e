"""What a client writes to a hook's standard input: read with a deadline, for some leave it open."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from typing import Any

_MOST = 8 << 20  # bytes: a write tool's input holds the whole file
_CHUNK = 1 << 16
_PATIENCE = 1.0  # seconds


def read(
    descriptor: int, seconds: float = _PATIENCE, reader: Callable[[int, int], bytes] = os.read
) -> dict[str, Any]:
    """The JSON object on a descriptor, as soon as it is whole; an empty one if there is none in time.

    Raises ValueError, with one line, for what is no JSON object.
    """
    data = bytearray()
    again = (
        0  # bytes, from which on a look whether it is whole is worth its cost: a file may be full of braces
    )
    over = threading.Event()
    found: list[Any] = []

    def body() -> None:
        nonlocal again
        try:
            while len(data) < _MOST and (chunk := reader(descriptor, _CHUNK)):
                data.extend(chunk)
                if len(data) < again or not chunk.rstrip().endswith(b"}"):
                    continue
                if (whole := _parsed(bytes(data))) is not None:
                    found.append(whole)
                    return
                again = 2 * len(data)
        except OSError:
            pass  # a closed standard input says as much as an empty one
        finally:
            over.set()

    threading.Thread(target=body, name="recall-stdin", daemon=True).start()
    over.wait(seconds)
    if not found and again and (whole := _parsed(bytes(data))) is not None:
        found.append(whole)
    if found:
        return dict(found[0])
    if bytes(data).strip():
        raise ValueError("standard input holds no JSON object")
    return {}


def _parsed(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
