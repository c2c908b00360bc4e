"""A server as a child process: talked to over its streams, and ended with all it started, whatever becomes of us.

`recall.transport.process` runs a program to its end; a server stays, and must be gone when we are. So a keeper
(`keeper.py`) leads its process group and ends it. POSIX systems only.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_KEEPER = Path(__file__).with_name("keeper.py")


class ServerProcess:
    """A running server; `end` closes its stdin and has the keeper see to the rest."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: str | os.PathLike[str],
        env: Mapping[str, str],
        scratch: str = "",
    ) -> None:
        """argv: begins with an absolute path; env: the whole environment; scratch: a folder that goes with it.

        Raises OSError and ValueError.
        """
        self._ours, watched = socket.socketpair()
        with watched:
            keeper = [sys.executable, "-I", "-S", os.fspath(_KEEPER), str(watched.fileno()), scratch]
            try:
                self._popen = subprocess.Popen(
                    [*keeper, *argv],
                    cwd=cwd,
                    env=dict(env),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    bufsize=0,
                    pass_fds=(watched.fileno(),),
                    start_new_session=True,  # a group of its own, without a terminal to ask on
                )
            except BaseException:
                self._ours.close()
                raise
        streams: tuple[Any, ...] = (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        self.stdin, self.stdout, self.stderr = streams
        self.pid = self._popen.pid  # the keeper's, and the group's
        threading.Thread(target=self._reap, name="recall-reaping", daemon=True).start()

    def code(self, patience: float) -> int | None:
        """The server's exit code, negative for a signal; None if it is not known within `patience` seconds."""
        self._ours.settimeout(patience)
        try:
            return int(self._ours.recv(16))
        except (OSError, ValueError):
            return None

    def end(self) -> None:
        """Have it ended; returns at once. The keeper gives it a moment, and then kills the group."""
        for stream in (self.stdin, self._ours):
            try:
                stream.close()
            except OSError:
                pass  # what was still to be written has no reader

    def _reap(self) -> None:
        if hasattr(os, "waitid"):
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)  # its number is not given to others yet
            try:
                os.killpg(self.pid, signal.SIGKILL)  # a keeper that was killed itself left its group behind
            except (ProcessLookupError, PermissionError):
                pass  # nobody is left in it
        self._popen.wait()
