"""Whether a process that is to end does."""

from __future__ import annotations

import os
import select

_SECONDS = 60  # a while that no end takes


def is_gone(pid: int) -> bool:
    """Whether a process ends: a kill is sent at once, and takes its moment to arrive."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], _SECONDS)[0])
    finally:
        os.close(descriptor)
