"""Where claude-mem's worker may listen: what it wrote down itself, what it is set to, and what it does by default.

None of it proves anything: `worker.pid` stays behind a worker that was killed, and a port is taken by whoever comes
first. `worker.py` asks who it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from recall.api import Scope
from recall.errors import StoreBroken
from recall.files import read_text
from recall.frontmatter import load_json
from recall.transport.http import is_loopback
from recall_claude_mem.place import Place, settings

_HOST, _PORT = "CLAUDE_MEM_WORKER_HOST", "CLAUDE_MEM_WORKER_PORT"
_BASE, _USERS = 37_700, 100  # the default port is the base and the user's number modulo this
_WITHOUT_USERS = 37_777  # where the system has no such numbers, and everywhere before about 12.4
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # listening everywhere, it is reached here


class Door(NamedTuple):
    """A port at which the worker may be, and what speaks for it."""

    host: str
    port: int
    because: str

    @property
    def url(self) -> str:
        """Without a path."""
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"


class Doors(NamedTuple):
    """All that may be tried, most likely first."""

    found: tuple[Door, ...]
    elsewhere: str = ""  # the host that the worker is on instead, which is not asked


def find_doors(place: Place, scope: Scope, user: int | None) -> Doors:
    """The ports to try, each once; user: the number of who is asking, None where there is none."""
    told, _problems = settings(place.data / "settings.json", (_HOST, _PORT))
    host = scope.env.get(_HOST, "").strip() or told.get(_HOST, "").strip() or "127.0.0.1"
    if not is_loopback(host):
        return Doors((), host)
    default = _WITHOUT_USERS if user is None else _BASE + user % _USERS
    ports = (
        (_noted(place.data / "worker.pid"), "worker.pid"),
        (_port(scope.env.get(_PORT)), _PORT),
        (_port(told.get(_PORT)), "settings.json"),
        (default, "by default"),
        (_WITHOUT_USERS, "as before 12.4"),
    )
    once: dict[int, str] = {}
    for port, because in ports:
        if port:
            once.setdefault(port, because)
    host = _ANYWHERE.get(host, host.strip("[]"))
    return Doors(tuple(Door(host, port, because) for port, because in once.items()))


def own_number() -> int | None:
    """The user's number, None where the system has none."""
    return os.getuid() if hasattr(os, "getuid") else None


def _noted(path: Path) -> int:
    """The port in the file that a worker writes; 0 without one."""
    try:
        document = load_json(read_text(path).text)
    except (StoreBroken, OSError):
        return 0
    return _port(document.get("port")) if isinstance(document, dict) else 0


def _port(value: object) -> int:
    """A port as a number or text; 0 for anything else."""
    text = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(text) if text.isascii() and text.isdigit() and 0 < int(text[:6]) < 65_536 else 0


def told(doors: Iterable[Door]) -> str:
    """The ports in a sentence."""
    return ", ".join(f"{door.port} ({door.because})" for door in doors)
