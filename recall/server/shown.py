"""In which project a client was shown a memory: two projects may use the same uri, and each has its own text."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from recall.errors import UsageError
from recall.files import display_path
from recall.server.mistakes import named

_REMEMBERED = 4_096  # memories of one client
_STATE = "recall.shown"


class Shown:
    """What one client was shown, and in which projects. Safe to use from several threads."""

    def __init__(self, *, known: bool = True, remembered: int = _REMEMBERED) -> None:
        """known: whether it is one client; False stands for all that cannot be told apart."""
        self._known = known
        self._remembered = remembered
        self._lock = threading.Lock()
        self._projects: OrderedDict[str, set[Path]] = OrderedDict()  # by uri
        self._forgotten: set[Path] = set()

    def note(self, uris: Iterable[str], project: Path) -> None:
        """Remember that memories were shown in a project."""
        with self._lock:
            for uri in uris:
                self._projects.setdefault(uri, set()).add(project)
                self._projects.move_to_end(uri)
            while len(self._projects) > self._remembered:
                self._forgotten |= self._projects.popitem(last=False)[1]

    def project_of(self, uri: str, default: Path) -> Path:
        """The project that a client means by a uri; raises UsageError if it may mean several.

        default: the one for a memory that was not shown before.
        """
        with self._lock:
            projects = set(self._projects.get(uri, ()))
            if not projects:
                projects = {default, *self._forgotten}
            elif not self._known:  # it was shown to somebody, who need not be the one that asks
                projects.add(default)
        if len(projects) == 1:
            return projects.pop()
        places = ", ".join(map(display_path, sorted(projects if self._known else {default})))
        others = "" if self._known else " and others"
        raise UsageError(
            f"{named(uri)}: may be a memory of several projects: {places}{others}",
            "name the one you mean: read_memory and fetch take a project, as deep_recall does",
        )


class Audience:
    """What each client was shown. What an HTTP session was shown is forgotten with the session."""

    def __init__(self) -> None:
        self._here = Shown()  # over a pipe: there is one client
        self._nameless = Shown(known=False)  # since 2026-07-28 no request over HTTP says whose it is

    def of(self, ctx: Context[Any, Any]) -> Shown:
        """What the client of a request was shown."""
        request = ctx.request_context
        if request.request is None:
            return self._here
        if request.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return self._nameless
        found: Shown = request.session._connection.state.setdefault(_STATE, Shown())
        return found
